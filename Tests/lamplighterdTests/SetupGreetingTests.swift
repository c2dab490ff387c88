import HAPAccessory
import HAPModel
import HAPProtocol
import HAPTesting
import Synchronization
import TestTimeouts
import Testing

@testable import lamplighterd

@Suite("The greeting in a terminal", .timeout)
struct SetupGreetingTests {
    final class Shown: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func take(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private func greeting(of store: InMemoryAccessoryServerStore, isTerminal: Bool = true) async throws -> [String] {
        let bridge = try await BridgeUnderTest(store)
        let shown = Shown()
        await SetupGreeting(
            server: bridge.server, name: "Hall", isTerminal: isTerminal, delay: .zero, print: shown.take
        ).greet()
        return shown.all
    }

    @Test("who starts an unpaired bridge is shown its code")
    func unpaired() async throws {
        let store = InMemoryAccessoryServerStore()
        let shown = try await greeting(of: store)
        #expect(shown.count == 1)
        #expect(shown.first?.contains("Hall is ready to pair") == true)
        #expect(shown.first?.contains(store.stored.setupCode.text) == true)
    }

    @Test("the code of a paired bridge is shown to nobody")
    func paired() async throws {
        let store = InMemoryAccessoryServerStore()
        try await store.save(PairingList([ControllerIdentity.random().pairing()]))
        #expect(try await greeting(of: store) == [])
    }

    @Test("where no terminal is, the code is not shown: it would stand in a log")
    func logged() async throws {
        #expect(try await greeting(of: InMemoryAccessoryServerStore(), isTerminal: false) == [])
    }
}
