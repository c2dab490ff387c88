import ConfigurationKit
import DaemonKit
import FoundationEssentials
import Glibc
import HomeHub
import SystemKit
import Testing
import YAMLKit

@testable import homehubd

private func decode(_ text: String) throws -> HubConfiguration {
    try StrictYAML.decode(HubConfiguration.self, from: Array(text.utf8), file: "f", mayBeEmpty: true)
}

@Suite("The hub's configuration")
struct HubConfigurationTests {
    @Test("matches the example in the manual, which shows the defaults")
    func declared() throws {
        let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let text = try String(contentsOf: URL(filePath: "/\(folder)/Config/homehub.yaml"), encoding: .utf8)
        let expected = HubConfiguration.example()
        #expect(text.hasSuffix("\n\n" + expected), "Config/homehub.yaml should end with:\n\(expected)")
        #expect(try decode(expected) == HubConfiguration() && decode("# nothing\n") == HubConfiguration())
    }

    @Test("decodes every key")
    func keys() throws {
        let configuration = try decode(
            """
            interfaces: [eth0, wlan0]
            restrict: {apps: [org.example.lights], users: [root, 4294967295]}
            vendor-patience: 5s
            notify-command: [/usr/bin/send, "{text}"]
            notify-webhook: {url-file: /etc/u, token-file: /etc/t, token-header: X-Gotify-Key, ca-file: /etc/ca}
            system-app: /opt/homehub
            """)
        #expect(configuration.notifyWebhook?.address == .file("/etc/u"))
        #expect(configuration.notifyWebhook?.tokenFile == "/etc/t")
        #expect(configuration.notifyWebhook?.tokenHeader == "X-Gotify-Key")
        #expect(configuration.notifyWebhook?.caFile == "/etc/ca")
        #expect(configuration.notifyCommand == ["/usr/bin/send", "{text}"])
        #expect(configuration.interfaces == .named(["eth0", "wlan0"]))
        #expect(configuration.restrict.restrictions == AppRestrictions(apps: ["org.example.lights"], users: [0, .max]))
        #expect(configuration.vendorTimeout == .seconds(5))
        #expect(configuration.systemApp == "/opt/homehub")
    }

    @Test(
        "reports a mistake and how to correct it",
        arguments: [
            ("restrictions: {}", "f:1:1: restrictions: unknown key"),
            ("vendor-patience: 0s", "vendor-patience: must be between 1s and 600s"),
            ("vendor-patience: 1h", "vendor-patience"),
            ("restrict: {users: [no such user]}", "restrict.users[0]: unknown user no such user"),
            ("restrict: {apps: [\"a b\"]}", "restrict.apps[0]: invalid app ID"),
            ("notify-webhook: {urls: x}", "f:1:18: notify-webhook.urls: unknown key; use url"),
            ("notify-webhook: {body: {a: b}}", "url is required; add url: https://HOST/PATH"),
            ("notify-webhook:\n  url: ftp://h/secret", "f:2:8: notify-webhook.url: not a URL with http or https"),
            ("notify-webhook: {url: \"http://h\", url-file: /u}", "url and url-file can't be used together"),
            ("notify-webhook: {url: \"http://h\", token: secret}", "unknown key; add token-file: /etc/homehub/"),
            ("notify-webhook: {url: \"http://h\", ca-file: ca.pem}", "ca-file: not an absolute path"),
            ("notify-webhook: {url: \"http://h\", token-header: X-Key}", "token-header requires token-file"),
            ("notify-webhook: {url: \"http://h\", token-file: /t, token-header: Host}", "not a valid header"),
            ("system-app: homehub", "system-app: not an absolute path; use an absolute path, such as /usr/bin/homehub"),
            ("interfaces: eth0", "interfaces: not a valid list of interfaces; use auto or [eth0]"),
        ])
    func mistakes(text: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try decode(text) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "no error")")
        #expect(error?.description.contains("secret") == false)
        #expect(error.map { ExitCode($0) } == .configuration)
    }

    @Test("allows a missing file only at the default path")
    func missing() throws {
        #expect(throws: ConfigurationFileError.missing(file: "/nowhere/h.yaml")) {
            try HubConfiguration.load(from: "/nowhere/h.yaml")
        }
        #expect(HubConfiguration.check("/nowhere/h.yaml").code == .noInput)
        if access(HubConfiguration.defaultPath, F_OK) != 0 {
            #expect(try HubConfiguration.load(from: nil) == HubConfiguration())
        }
    }

    @Test("allows an empty file, and confirms that it's valid")
    func empty() async throws {
        try await withFolder { folder in
            let path = folder + "/homehub.yaml"
            try Data("# all defaults\n".utf8).write(to: URL(filePath: path))
            #expect(try HubConfiguration.load(from: path) == HubConfiguration())
            #expect(HubConfiguration.check(path).code == .success)
        }
    }

    @Test("applies only restrictions while the hub runs")
    func waiting() throws {
        let running = HubConfiguration()
        #expect(try decode("restrict: {apps: [a]}").keysThatWait(comparedWith: running).isEmpty)
        let next = try decode("interfaces: [eth0]\nvendor-patience: 5s\nsystem-app: /x")
        #expect(next.keysThatWait(comparedWith: running) == ["interfaces", "vendor-patience", "system-app"])
    }

    @Test("looks up system users and groups")
    func users() throws {
        #expect(SystemUsers.uid(of: "root") == 0)
        #expect(SystemUsers.uid(of: "no such user") == nil)
        // The member list of root's primary group doesn't contain root.
        #expect(SystemUsers.isMember(0, of: "root"))
        #expect(!SystemUsers.isMember(0, of: "no such group"))
        #expect(!SystemUsers.isMember(.max - 1, of: "root"))
    }

    @Test("describes the status in one line")
    func status() {
        let busy = HubStatus(homes: 2, accessories: 14, reachable: 13, sessions: 3)
        #expect(busy.sentence() == "2 homes, 14 accessories (13 reachable), 3 apps.")
        let idle = HubStatus(homes: 1, accessories: 0, reachable: 0, sessions: 1)
        #expect(
            idle.sentence(discoveryError: "no Avahi")
                == "1 home, 0 accessories, 1 app; accessories can't be found: no Avahi.")
        #expect(idle.sentence(storage: "the disk is full") == "1 home, 0 accessories, 1 app; the disk is full.")
    }
}
