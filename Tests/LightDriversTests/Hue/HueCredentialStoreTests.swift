import DeviceKit
import FoundationEssentials
import Glibc
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The store of Hue credentials", .timeout)
struct HueCredentialStoreTests {
    static let bridge = "001788fffe123456"
    static let credentials = HueCredentials(certificate: [UInt8](repeating: 9, count: 32), key: "a-key")

    /// Runs a body with a store in a temporary directory.
    static func withStore(_ body: (HueCredentialStore, String) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.path + "/hue-\(UInt64.random(in: 0 ... .max))"
        #expect(mkdir(root, 0o700) == 0)
        defer { try? FileManager.default.removeItem(atPath: root) }
        let store = HueCredentialStore(directory: "\(root)/hue/home")
        try body(store, try #require(store.path(of: bridge)))
    }

    @Test("stores credentials in a file that only the owner can read, and replaces them")
    func kept() throws {
        try Self.withStore { store, path in
            #expect(try store.load(Self.bridge) == nil)
            try store.store(Self.credentials, of: Self.bridge)
            #expect(try store.load(Self.bridge) == Self.credentials)
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
            let other = HueCredentials(certificate: Self.credentials.certificate, key: "another")
            try store.store(other, of: Self.bridge)
            #expect(try store.load(Self.bridge) == other)
            unlink(path)
            #expect(try store.load(Self.bridge) == nil, "a bridge counts as unknown after its file is removed")
        }
    }

    @Test(
        "rejects a damaged file with a remedy, and doesn't print its content",
        arguments: ["", "{}", "secret", #"{"certificate": "AA==", "application-key": "secret"}"#])
    func damaged(text: String) throws {
        try Self.withStore { store, path in
            try store.store(Self.credentials, of: Self.bridge)
            try Data(text.utf8).write(to: URL(filePath: path))
            #expect {
                try store.load(Self.bridge)
            } throws: { error in
                "\(error)".contains("remove it") && "\(error)".contains(path) && !"\(error)".contains("secret")
            }
        }
    }

    @Test("stores nothing without a state directory")
    func nowhere() throws {
        let store = HueCredentialStore(directory: nil)
        try store.store(Self.credentials, of: Self.bridge)
        #expect(try store.load(Self.bridge) == nil)
    }

    // MARK: Configuration

    static func configuration(_ text: String, state: String? = nil) throws -> HueDriverConfiguration {
        let decoder = JSONDecoder()
        if let state { decoder.userInfo[.stateDirectory] = state }
        return try decoder.decode(HueDriverConfiguration.self, from: Data(text.utf8))
    }

    @Test("reads all keys, and uses a separate directory for the credentials of each driver")
    func keys() throws {
        let plain = try Self.configuration("{}", state: "/var/lib/lamplighter")
        #expect(plain.selection == DeviceSelection())
        #expect(plain.options == HueOptions(credentials: HueCredentialStore(directory: "/var/lib/lamplighter/hue/hue")))
        let full = try Self.configuration(
            #"{"id": "home", "discover": false, "groups": true, "hosts": ["10.0.0.5", "hue.local:8443"]}"#, state: "/s")
        #expect(
            full.selection
                == DeviceSelection(
                    discover: false, hosts: [DeviceHost(host: "10.0.0.5"), DeviceHost(host: "hue.local", port: 8443)]))
        #expect(full.options == HueOptions(groups: true, credentials: HueCredentialStore(directory: "/s/hue/home")))
    }

    @Test(
        "rejects invalid values with a remedy",
        arguments: [
            (#"{"discover": false}"#, "hosts: [10.0.0.5]"), (#"{"hosts": ["http://x"]}"#, "use an address such"),
            (#"{"hosts": ["x", "x"]}"#, "remove one"),
            (#"{"hosts": [\#((1...17).map { "\"h\($0)\"" }.joined(separator: ","))]}"#, "at most 16"),
        ])
    func wrongKeys(text: String, remedy: String) throws {
        let error = try #require(throws: ConfigurationProblem.self) { try Self.configuration(text) }
        #expect(error.remedy.contains(remedy))
    }
}
