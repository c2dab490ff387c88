import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import AccessoryRole

@Suite("The log", .timeout)
struct LogTests {
    private let admin = ControllerIdentity.random()
    private let guest = ControllerIdentity.random()

    private func bridge(_ log: RecordedLog) async throws -> ServerUnderTest {
        var stored = StoredServer.random(pairedWith: [admin])
        stored.pairings.set(guest.pairing(isAdmin: false))
        return try await House(InMemoryAccessoryServerStore(stored), admin: admin, logger: log.logger).bridge
    }

    @Test("logs each added, changed and removed pairing and its initiator")
    func controllers() async throws {
        let log = RecordedLog()
        let bridge = try await bridge(log)
        let session = try await bridge.session(admin)
        let other = ControllerIdentity.random()
        let (a, g, o) = (admin.controller, guest.controller, other.controller)
        _ = try await session.pairings(.add(other.pairing(isAdmin: false)))
        _ = try await session.pairings(.add(other.pairing()))
        // Repeating the changes has no effect.
        _ = try await session.pairings(.add(other.pairing()))
        _ = try await session.pairings(.remove(g))
        _ = try await session.pairings(.remove(o))
        // Removing the last admin also removes the other pairings.
        _ = try await session.pairings(.add(guest.pairing(isAdmin: false)))
        _ = try await session.pairings(.remove(a))
        #expect(
            log.all.filter { $0.hasPrefix("notice") } == [
                "notice: pairing added admin=false by=\(a) controller=\(o)",
                "notice: pairing changed admin=true by=\(a) controller=\(o)",
                "notice: pairing removed by=\(a) controller=\(g)",
                "notice: pairing removed by=\(a) controller=\(o)",
                "notice: pairing added admin=false by=\(a) controller=\(g)",
                "notice: pairing removed by=\(a) controller=\(a)",
                "notice: pairing removed by=\(a) controller=\(g)",
            ])
    }

    @Test("logs removals by the operator")
    func theOperator() async throws {
        let log = RecordedLog()
        let bridge = try await bridge(log)
        #expect(try await bridge.server.removePairing(guest.controller))
        try await bridge.server.removeAllPairings()
        #expect(
            log.all.filter { $0.hasPrefix("notice") } == [
                "notice: pairing removed by=operator controller=\(guest.controller)",
                "notice: pairing removed by=operator controller=\(admin.controller)",
            ])
    }

    @Test("never logs the setup code during pairing")
    func pairing() async throws {
        let log = RecordedLog()
        let store = InMemoryAccessoryServerStore(.random())
        let bridge = try await House(store, admin: admin, logger: log.logger).bridge
        let (controller, _) = await bridge.connect()
        let wrong = try #require(SetupCode(store.stored.setupCode.text == "518-08-582" ? "518-08-583" : "518-08-582"))
        _ = try await controller.pairSetup(wrong)
        _ = try await controller.pairSetup(store.stored.setupCode)
        #expect(log.all.contains { $0.hasPrefix("warning: setup code rejected failures=1 of 100") })
        let paired = log.all.filter { $0.hasPrefix("notice: pairing added admin=true by=pair setup from memory") }
        #expect(paired.count == 1)
        for code in [store.stored.setupCode, wrong] {
            let digits = code.text.filter { $0 != "-" }
            #expect(!log.all.contains { $0.contains(code.text) || $0.contains(digits) })
        }
    }
}
