import BridgeControl
import Testing

@testable import lamplighterd

@Suite("WarningLog")
struct WarningLogTests {
    private func warning(_ message: String, of driver: String = "home") -> BridgeWarning {
        BridgeWarning(.lights, message, about: BridgeWarning.Subject(driver: driver))
    }

    @Test("keeps a warning with its beginning and its end, newest first")
    func beginningAndEnd() {
        var log = WarningLog()
        log.record([warning("no broker")], at: "1")
        log.record([warning("no broker"), warning("full", of: "b")], at: "2")
        log.record([warning("full", of: "b")], at: "3")
        log.record([], at: "4")
        #expect(
            log.records == [
                WarningRecord(warning("full", of: "b"), since: "2", until: "4"),
                WarningRecord(warning("no broker"), since: "1", until: "3"),
            ])
    }

    @Test("counts the returns of a problem, and moves it to the top")
    func returns() {
        var log = WarningLog()
        for (time, warnings) in [[warning("a")], [], [warning("b")], [warning("a"), warning("b")]].enumerated() {
            log.record(warnings, at: "\(time)")
        }
        #expect(
            log.records == [
                WarningRecord(warning("a"), since: "3", times: 2), WarningRecord(warning("b"), since: "2"),
            ])
    }

    @Test("updates the number in a warning, and keeps different reasons of a driver")
    func changes() {
        var log = WarningLog()
        for (time, text) in ["1 of 100 attempts", "2 of 100 attempts", "locked"].enumerated() {
            log.record([warning(text)], at: "\(time)")
        }
        #expect(
            log.records == [
                WarningRecord(warning("locked"), since: "2"),
                WarningRecord(warning("2 of 100 attempts"), since: "0", until: "2"),
            ])
    }

    @Test("keeps a limited number, and drops old warnings before current ones")
    func limit() {
        var log = WarningLog()
        func named(_ name: Int) -> BridgeWarning { warning(String(repeating: "x", count: name + 1)) }
        log.record([named(0)], at: "0")
        for time in 1...200 { log.record([named(0), named(time)], at: "\(time)") }
        #expect(log.records.count == WarningLog.limit && log.records.contains { $0.since == "0" && $0.until == nil })
        // More current warnings than the limit don't displace each other at each check.
        let many = (0..<300).map(named)
        var full = WarningLog()
        for time in 0..<3 { full.record(many, at: "\(time)") }
        #expect(full.records.count == WarningLog.limit && full.records.allSatisfy { $0.since == "0" && $0.times == 1 })
    }
}
