import AccessoryRole
import HAPModel
import HAPProtocol
import HAPTesting
import Synchronization
import TestTimeouts
import Testing

@testable import lamplighterd

@Suite("SetupCodePrinter", .timeout)
struct SetupCodePrinterTests {
    final class Shown: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func take(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private func printed(
        by store: InMemoryAccessoryServerStore, isTerminal: Bool = true, discoveryError: String? = nil
    ) async throws -> [String] {
        let bridge = try await BridgeUnderTest(store)
        let shown = Shown()
        await SetupCodePrinter(
            server: bridge.server, name: "Hall", discoveryError: { discoveryError }, isTerminal: isTerminal,
            delay: .zero, print: shown.take
        ).printCode()
        return shown.all
    }

    @Test("prints the code of an unpaired bridge")
    func unpaired() async throws {
        let store = InMemoryAccessoryServerStore()
        let shown = try await printed(by: store)
        #expect(shown.count == 1)
        #expect(shown.first?.contains("Hall is ready to pair") == true)
        #expect(shown.first?.contains(store.stored.setupCode.text) == true)
    }

    @Test(
        "prints the problem of mDNS and its remedy instead of the invitation to pair"
    )
    func withoutDiscovery() async throws {
        let store = InMemoryAccessoryServerStore()
        let shown = try await printed(by: store, discoveryError: "the Avahi daemon isn't running").joined()
        #expect(!shown.contains("ready to pair"))
        #expect(shown.contains(store.stored.setupCode.text))
        #expect(shown.contains("the Avahi daemon isn't running"))
        #expect(shown.contains("sudo systemctl enable --now avahi-daemon"))
    }

    @Test("doesn't print the code of a paired bridge")
    func paired() async throws {
        let store = InMemoryAccessoryServerStore()
        try await store.save(PairingList([ControllerIdentity.random().pairing()]))
        #expect(try await printed(by: store) == [])
    }

    @Test("doesn't print the code without a terminal")
    func logged() async throws {
        #expect(try await printed(by: InMemoryAccessoryServerStore(), isTerminal: false) == [])
    }
}
