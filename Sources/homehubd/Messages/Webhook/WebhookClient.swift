import Dialing
import HTTPKit
import NIOCore
import NIOSSL
import SystemKit

/// Sends messages to a webhook, each over a separate connection.
///
/// It reads the files with secrets and certificates for each message, so that changes apply immediately. It doesn't
/// follow redirects, and reads only the head of a response.
struct WebhookClient: Sendable {
    /// The time limits for opening the connection and for the response.
    static let (connectTimeout, answerTimeout) = (Duration.seconds(5), Duration.seconds(10))

    let section: WebhookSection
    let loop: any EventLoop

    /// Sends a message and waits for the response.
    ///
    /// - Throws: ``WebhookFailure`` if the receiver doesn't accept the message.
    @concurrent
    func send(_ message: OutgoingMessage) async throws(WebhookFailure) {
        let url = try section.readURL()
        var headers = ["User-Agent": "Lamplighter"]
        if let (name, value) = try section.readAuthorization() { headers[name] = value }
        let request = HTTPClientRequest(
            method: .post, path: url.target, headers: headers, body: section.body.json(for: message),
            timeout: Self.answerTimeout)
        let context = try url.isSecure ? makeTLSContext() : nil
        let answer: HTTPClientResponse
        do {
            let channel = try await openTCP(
                to: .host(url.host, port: url.port), on: loop, within: Self.connectTimeout)
            let prepared = try await prepare(channel, url, context)
            answer = try await HTTPConnection.use(prepared, authority: url.authority) { connection in
                try await connection.head(of: request)
            }
        } catch {
            throw WebhookFailure(HTTPFault(error))
        }
        if let failure = WebhookFailure(answer) { throw failure }
    }

    private func prepare(
        _ channel: any Channel, _ url: WebhookURL, _ context: NIOSSLContext?
    ) async throws -> HTTPConnection.Channel {
        do {
            return try await channel.eventLoop.submit {
                let tls = try context.map { try NIOSSLClientHandler(context: $0, serverHostname: url.serverName) }
                return try HTTPConnection.prepare(channel, tls: tls)
            }.get()
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    private func makeTLSContext() throws(WebhookFailure) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let file = section.caFile { configuration.trustRoots = .file(file) }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw WebhookFailure(
                reason: section.caFile.map { "notify-webhook.ca-file \($0) has no readable certificates" }
                    ?? "this computer's certificates can't be read; install ca-certificates",
                isTemporary: false)
        }
    }
}
