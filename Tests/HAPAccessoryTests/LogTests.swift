import HAPModel
import HAPProtocol
import HAPTesting
import LightKit
import Logging
import Synchronization
import TestTimeouts
import Testing

@testable import HAPAccessory

@Suite("What the bridge tells in the log", .timeout)
struct LogTests {
    /// Keeps what is logged, as `level: message key=value ...`.
    private final class Log: Sendable {
        private struct Handler: LogHandler {
            let log: Log
            var logLevel = Logger.Level.trace
            var metadata: Logger.Metadata = [:]

            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) {
                let values = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
                let line = values.reduce("\(event.level): \(event.message)") { "\($0) \($1.key)=\($1.value)" }
                log.state.withLock { $0.append(line) }
            }
        }

        private let state = Mutex<[String]>([])
        var all: [String] { state.withLock { $0 } }
        var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }
    }

    private let admin = ControllerIdentity.random()
    private let guest = ControllerIdentity.random()

    private func bridge(_ log: Log) async throws -> BridgeUnderTest {
        var stored = StoredServer.random(pairedWith: [admin])
        stored.pairings.set(guest.pairing(isAdmin: false))
        let bridge = try await BridgeUnderTest(
            InMemoryAccessoryServerStore(stored), stored: stored, lights: [.lamp], logger: log.logger)
        return bridge
    }

    @Test("each pairing that comes, changes or goes, and who wanted it")
    func controllers() async throws {
        let log = Log()
        let bridge = try await bridge(log)
        let session = try await bridge.session(admin)
        let other = ControllerIdentity.random()
        let (a, g, o) = (admin.controller, guest.controller, other.controller)
        _ = try await session.pairings(.add(other.pairing(isAdmin: false)))
        _ = try await session.pairings(.add(other.pairing()))
        // The same again is no change.
        _ = try await session.pairings(.add(other.pairing()))
        _ = try await session.pairings(.remove(g))
        _ = try await session.pairings(.remove(o))
        // With the last admin the others go, too.
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

    @Test("what the operator removes is told as such")
    func theOperator() async throws {
        let log = Log()
        let bridge = try await bridge(log)
        #expect(try await bridge.server.removePairing(guest.controller))
        try await bridge.server.removeAllPairings()
        #expect(
            log.all.filter { $0.hasPrefix("notice") } == [
                "notice: pairing removed by=operator controller=\(guest.controller)",
                "notice: pairing removed by=operator controller=\(admin.controller)",
            ])
    }

    @Test("pairing is told without the code, at any level, whatever code was tried before")
    func pairing() async throws {
        let log = Log()
        let store = InMemoryAccessoryServerStore(.random())
        let bridge = try await BridgeUnderTest(store, stored: store.stored, logger: log.logger)
        let (controller, _) = await bridge.connect()
        let wrong = try #require(SetupCode(store.stored.setupCode.text == "518-08-582" ? "518-08-583" : "518-08-582"))
        _ = try await controller.pairSetup(wrong)
        _ = try await controller.pairSetup(store.stored.setupCode)
        #expect(log.all.contains { $0.hasPrefix("warning: pair setup with a wrong setup code failures=1 of 100") })
        let paired = log.all.filter { $0.hasPrefix("notice: pairing added admin=true by=pair setup from memory") }
        #expect(paired.count == 1)
        for code in [store.stored.setupCode, wrong] {
            let digits = code.text.filter { $0 != "-" }
            #expect(!log.all.contains { $0.contains(code.text) || $0.contains(digits) })
        }
    }

    @Test("what a light is concerned with names it by key, aid and driver")
    func lights() async throws {
        let log = Log()
        let bridge = try await bridge(log)
        bridge.driver.set("lamp", .waits)
        let session = try await bridge.session(admin)
        async let answer = session.write(#"{"aid":2,"iid":9,"value":true}"#)
        try await bridge.scheduler.settle(until: { bridge.driver.waitingCount == 1 })
        await bridge.scheduler.advance(by: .seconds(2))
        _ = try await answer
        await bridge.host.removed("lamp")
        await bridge.host.warn("the broker is old; update it", about: "broker")
        #expect(log.all.last == "warning: the broker is old; update it driver=test")
        let names = "aid=2 driver=test light=test/lamp"
        #expect(
            log.all.filter { $0.contains("light=") } == [
                "info: a light is there \(names)", "info: a light has not answered in time \(names)",
                "info: a light has been removed by its source \(names)",
            ])
    }
}
