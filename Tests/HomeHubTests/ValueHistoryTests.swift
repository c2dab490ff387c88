import HAPModel
import HAPProtocol
import HAPTesting
import HomeModel
import Logging
import TestTimeouts
import Testing

@testable import HomeHub

@Suite("The history of values", .timeout)
struct ValueHistoryTests {
    private let id: Characteristic.ID
    private let store = TestHistory()

    init() {
        var random = SystemRandomNumberGenerator()
        id = Characteristic.ID(using: &random)
    }

    private func history(interval: Duration = .seconds(300)) -> ValueHistory {
        ValueHistory(
            store: store, interval: interval, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func entry(_ seconds: Int64, _ value: CharacteristicValue) -> HistoryEntry {
        HistoryEntry(time: Timestamp(millisecondsSince1970: seconds * 1000), value: value)
    }

    private func stored() async throws -> [HistoryEntry] {
        let all = HistoryRequest(
            characteristic: id, since: Timestamp(millisecondsSince1970: 0), until: Timestamp(millisecondsSince1970: 0))
        return try await store.entries(all)
    }

    @Test("keeps each change of a state, but only one measurement every ten seconds")
    func measurements() async throws {
        let states = history()
        for second in 0..<4 {
            _ = states.record(entry(Int64(second), .bool(second % 2 == 0)), of: id, isMeasurement: false)
        }
        await states.save()
        #expect(try await stored().map(\.value) == [.bool(true), .bool(false), .bool(true), .bool(false)])

        await states.removeAll(except: HistoryObjects())
        let measurements = history()
        for second in 0..<25 {
            _ = measurements.record(entry(Int64(second), .float(Double(second))), of: id, isMeasurement: true)
        }
        await measurements.save()
        #expect(try await stored().map(\.value) == [.float(9), .float(19), .float(24)])
    }

    @Test("stores values in one batch after the interval, and earlier if there are too many")
    func batches() async throws {
        let history = history()
        #expect(history.record(entry(0, .bool(true)), of: id, isMeasurement: false))
        #expect(!history.record(entry(1, .bool(false)), of: id, isMeasurement: false))
        #expect(!history.deadlinePassed(now: .now))
        #expect(history.deadlinePassed(now: .now + .seconds(301)))
        await history.save()
        #expect(store.batches == 1)
        for second in 0..<ValueHistory.maximumPending {
            let isFull = second == ValueHistory.maximumPending - 1
            let value = entry(Int64(second), .bool(second % 2 == 0))
            #expect(history.record(value, of: id, isMeasurement: false) == (second == 0 || isFull))
        }
        #expect(history.deadlinePassed(now: .now))
    }

    @Test("keeps values that couldn't be stored, and drops the oldest ones beyond the limit")
    func failures() async throws {
        let history = history()
        store.breakDown(true)
        for second in 0..<ValueHistory.maximumPending + 5 {
            _ = history.record(entry(Int64(second), .bool(second % 2 == 0)), of: id, isMeasurement: false)
        }
        await history.save()
        #expect(try await stored().isEmpty)
        #expect(history.nextDeadline.map { $0 > .now } == true)
        store.breakDown(false)
        await history.save()
        let times = try await stored().map(\.time.millisecondsSince1970)
        #expect(times.count == ValueHistory.maximumPending && times.first == 5000)
    }

    @Test("drops the oldest values while a write doesn't return")
    func stalled() async throws {
        let history = history()
        let count = ValueHistory.maximumPending
        for second in 0..<5 * count {
            _ = history.record(entry(Int64(second), .bool(second % 2 == 0)), of: id, isMeasurement: false)
        }
        await history.save()
        let times = try await stored().map(\.time.millisecondsSince1970)
        #expect(times.last == Int64(5 * count - 1) * 1000)
        #expect((count...2 * count).contains(times.count))
    }

    @Test("answers an app with reported values, and forgets those of a removed accessory")
    func hub() async throws {
        let device = try Device()
        try await device.whenReachable { app, _ in
            let house = device.house
            let on = device.on
            func request() async throws -> [HistoryEntry] {
                let request = HistoryRequest(
                    characteristic: on, since: Timestamp(millisecondsSince1970: 0), until: .now)
                return try [HistoryEntry](json: try await app.call(.history(request)))
            }
            try await eventually("a subscription") { device.count(.put) > 0 }
            for value in [true, false] {
                device.server.sendEvent(#"{"characteristics":[{"aid":1,"iid":8,"value":\#(value)}]}"#)
                try await eventually("the reported value") { try await request().last?.value == .bool(value) }
            }
            #expect(try await request().map(\.value) == [.bool(true), .bool(false)])
            _ = try await app.call(.write(.removeAccessory(house.home(app).id, device.accessory.id)))
            let all = HistoryRequest(characteristic: on, since: .now, until: .now)
            try await eventually("an empty history") { try await house.history.entries(all).isEmpty }
        }
    }
}
