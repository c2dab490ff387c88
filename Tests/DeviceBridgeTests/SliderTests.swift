import AccessoryRole
import DeviceBridge
import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("A dragged slider", .timeout)
struct SliderTests {
    @Test(
        "leads to at most 15 commands for a hundred levels in two seconds, the final level and no outdated events"
    )
    func flood() async throws {
        let house = try await House()
        let driver = house.bridge.driver
        driver.set("lamp", .waits)
        // A session waits for the response before it writes again, so several sessions are needed.
        var sessions: [TestController] = []
        for _ in 0..<20 {
            let session = try await house.session()
            _ = try await session.write(#"{"aid":2,"iid":10,"ev":true}"#)
            sessions.append(session)
        }
        var answers: [Task<HTTPResponse, any Error>] = []
        var lastWritten = [Int](repeating: 0, count: sessions.count)
        var tooOld: [Int] = []
        var busySince: Int?
        for level in 1...100 {
            let now = level * 20
            if let since = busySince, now - since >= 150 {
                let count = driver.orders.count
                driver.answer("lamp")
                try await house.drain(until: { driver.orders.count > count })
                busySince = now
            }
            let index = level % sessions.count
            let session = sessions[index]
            answers.append(Task { try await session.write(#"{"aid":2,"iid":10,"value":\#(level)}"#) })
            try await house.drain(until: { await house.value(2, 10) == .integer(Int64(level)) })
            if busySince == nil { busySince = now }
            lastWritten[index] = level
            await house.advance(.milliseconds(20))
            for (session, level) in zip(sessions, lastWritten) {
                tooOld += await Self.levels(session).filter { $0 < level }
                await session.forgetArrivals()
            }
        }
        let count = driver.orders.count
        driver.answer("lamp")
        try await house.drain(until: { driver.orders.count > count && driver.waitingCount == 1 })
        driver.answer("lamp")
        for answer in answers { #expect(try await answer.value.status == 204) }
        await house.advance(.seconds(1))
        #expect(driver.orders.count <= 15, "\(driver.orders.count) commands")
        #expect(driver.orders.last == .init("lamp", LightCommand(brightness: 100)))
        #expect(await house.value(2, 10) == .integer(100))
        for (session, level) in zip(sessions, lastWritten) {
            tooOld += await Self.levels(session).filter { $0 < level }
        }
        #expect(tooOld == [])
    }

    /// The levels of the lamp in a session's events.
    private static func levels(_ session: TestController) async -> [Int] {
        await session.events.flatMap { event in
            let parts = event.split(separator: #""iid":10,"value":"#, omittingEmptySubsequences: false)
            return parts.dropFirst().compactMap { Int($0.prefix(while: \.isNumber)) }
        }
    }
}
