import AsyncKit
import BoundedJSON
import HAPTesting
import HTTPKit
import HomeModel
import Testing
import YAMLKit

@testable import homehubd

@Suite("The webhook for notifications")
struct WebhookTests {
    private static let message: OutgoingMessage = {
        var generator = SeededNumbers(seed: 1)
        let message = TriggerMessage(
            home: Home.ID(using: &generator), trigger: Trigger.ID(using: &generator), text: #"{home} "open""#,
            time: Timestamp(millisecondsSince1970: 1_700_000_000_000))
        return OutgoingMessage(message, home: "My Home", automation: "Window")
    }()

    @Test(
        "parses a URL",
        arguments: [
            ("https://ntfy.sh", true, "ntfy.sh", "ntfy.sh", "/", "ntfy.sh"),
            (
                "http://10.0.0.5:8123/api/webhook/x?a=b%20c", false, "10.0.0.5", "10.0.0.5:8123",
                "/api/webhook/x?a=b%20c", nil
            ),
            ("HTTPS://[fd00::1]:443/x", true, "fd00::1", "[fd00::1]", "/x", nil),
            ("http://gotify.local:80?token=1", false, "gotify.local", "gotify.local", "/?token=1", "gotify.local"),
        ] as [(String, Bool, String, String, String, String?)])
    func urls(
        _ text: String, _ isSecure: Bool, _ host: String, _ authority: String, _ target: String, _ name: String?
    ) throws {
        let url = try WebhookURL(text)
        #expect(url.isSecure == isSecure && url.host == host && url.authority == authority && url.target == target)
        #expect(url.serverName == name)
    }

    @Test(
        "rejects a URL without repeating it",
        arguments: [
            "ftp://secret/", "secret", "https://", "https://user:secret@host/", "https://host/#secret",
            "https://host:0/secret", "https://host:70000/secret", "https://ho st/secret", "https://hôst/secret",
            "https://host/secret\r\nX: y", "https://ho%0Ast/secret", "https:///secret",
            "https://host/" + String(repeating: "secret", count: 400),
        ])
    func rejectedURLs(_ text: String) {
        let problem = #expect(throws: WebhookURL.Problem.self) { try WebhookURL(text) }
        #expect(problem.map { !"\($0)".contains("secret") } == true)
    }

    @Test("sends the names, the text and the time as JSON")
    func standardBody() {
        #expect(
            String(decoding: WebhookBody.standard.json(for: Self.message), as: UTF8.self)
                == #"{"home":"My Home","automation":"Window","text":"{home} \"open\"","time":"2023-11-14T22:13:20.000Z"}"#
        )
    }

    @Test("fills the configured template, and keeps its numbers and lists")
    func template() throws {
        let section = try section(
            #"{priority: 5, id: "5", retry: true, blocks: [{body: "{automation}: {text}"}, "{other}"], half: 0.5}"#)
        #expect(
            String(decoding: section.body.json(for: Self.message), as: UTF8.self)
                == #"{"blocks":[{"body":"Window: {home} \"open\""},"{other}"],"half":0.5,"id":"5","priority":5,"retry":true}"#
        )
    }

    @Test(
        "rejects a body that isn't an object, is too deep or too long",
        arguments: [
            (#""{text}""#, "must consist of keys"), ("[a]", "must consist of keys"),
            ("{a: [[[[[[[[b]]]]]]]]}", "more than 8 levels"),
            ("{a: \(String(repeating: "x", count: WebhookBody.maximumSize))}", "longer than 4096 bytes"),
        ])
    func rejectedBodies(_ body: String, _ problem: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try section(body) }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "none")")
    }

    private func section(_ body: String) throws -> WebhookSection {
        let text = "notify-webhook: {url: \"https://host/\", body: \(body)}"
        let configuration = try StrictYAML.decode(HubConfiguration.self, from: Array(text.utf8), file: "f")
        return try #require(configuration.notifyWebhook)
    }

    @Test("retries only temporary failures, for a minute with growing pauses")
    func retries() throws {
        let busy = try #require(WebhookFailure(HTTPClientResponse(status: 503)))
        var retries = WebhookRetries()
        var pauses: [Int64] = []
        var age = Duration.seconds(2)
        while let pause = retries.pause(after: busy, age: age) {
            pauses.append(pause.components.seconds)
            age += pause
        }
        #expect(pauses == [1, 2, 4, 8, 16, 16])
        retries = WebhookRetries()
        for (delay, pause) in [("20", 20), ("61", nil), ("-1", 1), ("99999999999999999999", 1)] as [(String, Int64?)] {
            retries = WebhookRetries()
            let failure = WebhookFailure(HTTPClientResponse(status: 429, headers: ["retry-after": delay]))
            #expect(retries.pause(after: try #require(failure), age: .zero) == pause.map { .seconds($0) })
        }
        #expect(WebhookFailure(HTTPClientResponse(status: 204)) == nil)
        for status in [301, 308, 400, 401, 404, 501] {
            let failure = try #require(WebhookFailure(HTTPClientResponse(status: status)))
            #expect(retries.pause(after: failure, age: .zero) == nil, "\(status)")
        }
    }

    @Test("keeps the first messages if too many are waiting, and counts the dropped messages")
    func waiting() {
        var waiting = WaitingMessages()
        for _ in 0..<(WaitingMessages.limit + 3) { waiting.add(Self.message) }
        #expect(waiting.take() == .dropped(count: 3))
        for _ in 0..<WaitingMessages.limit { #expect(waiting.take() == .message(Self.message)) }
        #expect(waiting.take() == nil)
    }
}
