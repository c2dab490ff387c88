import FoundationEssentials
import HAPController
import Logging
import TestTimeouts
import Testing

private let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// A store that can't be read or written.
private struct BrokenStore: PairingStore {
    struct Broken: Error {}
    var bytes: Result<[UInt8]?, Broken>
    func load() async throws -> [UInt8]? { try bytes.get() }
    func save(_ bytes: [UInt8]) async throws { throw Broken() }
}

@Suite("ControllerStore", .timeout)
struct ControllerStoreTests {
    @Test("writes a file that only its owner can read, and replaces the file atomically")
    func file() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "pairings").path()
        let store = FilePairingStore(path: path)
        #expect(try store.load() == nil)
        try store.save([1, 2, 3])
        try store.save(Array(repeating: 7, count: 10_000))
        #expect(try store.load() == Array(repeating: 7, count: 10_000))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["pairings"])
        #expect(throws: FilePairingStore.Failure.self) { try FilePairingStore(path: path + "/x").save([1]) }
        #expect(throws: FilePairingStore.Failure.self) { try FilePairingStore(path: path + "/x").load() }
        #expect(throws: FilePairingStore.Failure.self) { try FilePairingStore(path: folder.path()).load() }
    }

    @Test(
        "reports a damaged or unusable store, and never replaces its content",
        arguments: [
            .success(Array("{}".utf8)), .success([]), .success(Array(#"{"version":2}"#.utf8)), .success(nil),
            .failure(BrokenStore.Broken()),
        ] as [Result<[UInt8]?, BrokenStore.Broken>])
    private func damage(bytes: Result<[UInt8]?, BrokenStore.Broken>) async {
        let controller = Controller(store: BrokenStore(bytes: bytes), logger: silent)
        await #expect {
            _ = try await controller.pairedAccessories
        } throws: {
            ($0 as? ControllerError)?.code == .storeUnusable
        }
    }

    @Test("creates an identity once, and stores it before use")
    func identity() async throws {
        let store = InMemoryPairingStore()
        #expect(try await Controller(store: store, logger: silent).pairedAccessories == [])
        let made = store.load()
        #expect(made != nil)
        #expect(try await Controller(store: store, logger: silent).pairedAccessories == [])
        #expect(store.load() == made)
    }

    @Test(
        "accepts only numeric addresses as endpoints",
        arguments: [
            ("127.0.0.1", 80, "127.0.0.1:80"), ("::1", 1, "[0:0:0:0:0:0:0:1]:1"),
            ("fe80::1%7", 65535, "[fe80:0:0:0:0:0:0:1%7]:65535"), ("fe80::1%lo", 1, "[fe80:0:0:0:0:0:0:1%1]:1"),
            ("localhost", 80, nil), ("", 80, nil), ("%", 80, nil), ("127.0.0.1", 0, nil), ("127.0.0.1", 65536, nil),
            ("1.2.3", 80, nil),
        ] as [(String, Int, String?)])
    func endpoint(host: String, port: Int, text: String?) {
        #expect(AccessoryEndpoint(host: host, port: port)?.description == text)
    }
}
