import HAPModel
import HAPTesting
import Testing

@testable import HAPProtocol

@Suite("AdaptiveLightingTransition")
struct AdaptiveLightingTransitionTests {
    private typealias Action = AdaptiveLightingTransition.Action

    private let vectors: Vectors
    private let start = ContinuousClock.now

    init() throws { vectors = try Vectors.load()["adaptive_lighting"] }

    private func machine(_ miredRange: ClosedRange<Int> = 50...500) -> AdaptiveLightingTransition {
        AdaptiveLightingTransition(
            brightness: InstanceID(10), colorTemperature: InstanceID(300), miredRange: miredRange)
    }

    private func enabled(_ miredRange: ClosedRange<Int> = 50...500) throws -> AdaptiveLightingTransition {
        var machine = machine(miredRange)
        _ = try machine.controlWritten(try vectors["update_request"].bytes, now: start)
        return machine
    }

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test("answers the golden conversation byte for byte")
    func conversation() throws {
        var machine = machine()
        let read = try vectors["read_request"].bytes
        #expect(machine.supportedConfiguration == (try vectors["supported_configuration"].bytes))
        #expect(machine.activeCount == 0)
        #expect(machine.controlValue(now: start) == [])
        #expect(try machine.controlWritten(read, now: start) == vectors["read_response_while_inactive"].bytes)
        let updated = try machine.controlWritten(try vectors["update_request"].bytes, now: start)
        #expect(updated == (try vectors["update_response"].bytes))
        #expect(machine.activeCount == 1)
        #expect(machine.controlValue(now: at(60_000)) == (try vectors["status_read_at_60000_ms"].bytes))
        #expect(try machine.controlWritten(read, now: at(1)) == vectors["read_response_while_active"].bytes)
        let disable = try vectors["disable_request"].bytes
        for _ in 1...2 {
            #expect(try machine.controlWritten(disable, now: at(2)) == vectors["disable_response"].bytes)
            #expect(machine == self.machine())
            #expect(machine.lampIs(on: true, brightness: 100, now: at(3)) == .idle)
        }
    }

    @Test("rejects malformed requests and requests for other characteristics, and changes nothing")
    func refused() throws {
        var other = Draft()
        other.brightness = [10]
        var otherBrightness = Draft()
        otherBrightness.instance = [0x2C, 1]
        for value in [
            [], [1], [1, 3, 1, 1, 10], [2, 5, 1, 3, 1, 1, 10], other.request, otherBrightness.request,
        ] as [[UInt8]] {
            for before in [machine(), try enabled()] {
                var machine = before
                #expect(throws: HAPStatus.invalidValue) { try machine.controlWritten(value, now: at(5)) }
                #expect(machine == before)
            }
        }
    }

    @Test("applies the curve at each interval, and sends an event once per threshold")
    func follows() throws {
        var machine = try enabled()
        let minute = 60_000
        #expect(
            machine.lampIs(on: true, brightness: 100, now: start)
                == .apply(mired: 200, notify: true, wakeAt: at(minute)))
        #expect(machine.lampIs(on: true, brightness: 100, now: at(minute - 1)) == .wait(until: at(minute)))
        for number in 1...9 {
            let action = machine.lampIs(on: true, brightness: 100, now: at(number * minute))
            #expect(
                action == .apply(mired: 200 + 5 * number, notify: false, wakeAt: at((number + 1) * minute)))
        }
        #expect(
            machine.lampIs(on: true, brightness: 100, now: at(10 * minute))
                == .apply(mired: 250, notify: true, wakeAt: at(11 * minute)))
        // A color temperature that subscribers already know causes no event, regardless of the time.
        #expect(
            machine.lampIs(on: true, brightness: 100, now: at(25 * minute))
                == .apply(mired: 250, notify: false, wakeAt: at(26 * minute)))
        #expect(
            machine.lampIs(on: true, brightness: 100, now: at(40 * minute))
                == .apply(mired: 267, notify: true, wakeAt: at(41 * minute)))
    }

    @Test("adapts immediately to a new brightness and when the light is switched on, but not while it is off")
    func lamp() throws {
        var machine = try enabled()
        #expect(machine.lampIs(on: false, brightness: 100, now: start) == .wait(until: at(3_600_001)))
        #expect(
            machine.lampIs(on: true, brightness: 50, now: at(300_000))
                == .apply(mired: 263, notify: true, wakeAt: at(360_000)))
        #expect(
            machine.lampIs(on: true, brightness: 1, now: at(300_000))
                == .apply(mired: 293, notify: false, wakeAt: at(360_000)))
        #expect(machine.lampIs(on: true, brightness: 1, now: at(300_001)) == .wait(until: at(360_000)))
        #expect(machine.lampIs(on: false, brightness: 1, now: at(300_002)) == .wait(until: at(3_600_001)))
        #expect(
            machine.lampIs(on: true, brightness: 1, now: at(300_003))
                == .apply(mired: 293, notify: false, wakeAt: at(360_003)))
    }

    @Test("clamps values to the range of the light", arguments: [(210...290, 210), (10...190, 190)])
    func clamped(range: ClosedRange<Int>, mired: Int) throws {
        var machine = try enabled(range)
        #expect(
            machine.lampIs(on: true, brightness: 100, now: start)
                == .apply(mired: mired, notify: true, wakeAt: at(60_000)))
    }

    @Test("ends at the end of the curve, whether the light is on or off", arguments: [true, false])
    func end(isOn: Bool) throws {
        var machine = try enabled()
        let last = machine.lampIs(on: isOn, brightness: 100, now: at(3_600_000))
        let end = at(3_600_001)
        #expect(last == (isOn ? .apply(mired: 300, notify: true, wakeAt: end) : .wait(until: end)))
        #expect(machine.lampIs(on: isOn, brightness: 100, now: end) == .ended)
        #expect(machine == self.machine())
        #expect(machine.lampIs(on: isOn, brightness: 100, now: end) == .idle)
    }

    @Test("counts a renewed curve from its receipt, applies it immediately and sends no early event")
    func renewal() throws {
        var machine = try enabled()
        _ = machine.lampIs(on: true, brightness: 100, now: start)
        _ = try machine.controlWritten(try vectors["update_request"].bytes, now: at(30_000))
        #expect(machine.controlValue(now: at(30_000)) == Array(try vectors["update_response"].bytes.dropFirst(2)))
        #expect(
            machine.lampIs(on: true, brightness: 50, now: at(30_001))
                == .apply(mired: 225, notify: false, wakeAt: at(90_001)))
    }

    @Test("raises an update interval below one second to one second")
    func shortInterval() throws {
        var draft = Draft()
        draft.instance = [0x2C, 1]
        draft.brightness = [10]
        draft.interval = [1]
        draft.entries = [Draft.entry(), Draft.entry(offset: [0, 0, 1])]
        var machine = machine()
        _ = try machine.controlWritten(draft.request, now: start)
        #expect(
            machine.lampIs(on: true, brightness: 100, now: start)
                == .apply(mired: 200, notify: true, wakeAt: at(1000)))
    }

    @Test(
        "ends when a controller writes a color, but not after other writes",
        arguments: [
            (.colorTemperature, true), (.hue, true), (.saturation, true), (.on, false), (.brightness, false),
            (.name, false), (.characteristicValueTransitionControl, false),
        ] as [(CharacteristicType, Bool)])
    func controllerWrote(type: CharacteristicType, ends: Bool) throws {
        var machine = try enabled()
        let before = machine
        #expect(machine.controllerWrote(type) == ends)
        #expect(machine == (ends ? self.machine() : before))
        // No transition is active, so there is nothing to end.
        var idle = self.machine()
        #expect(idle.controllerWrote(type) == false)
    }

    @Test(
        "ends after a device report that isn't an echo of an applied value",
        arguments: [
            (.colorTemperature(mired: 290), 1, false), (.colorTemperature(mired: 298), 1, false),
            (.colorTemperature(mired: 240), 1, false), (.colorTemperature(mired: 215), 1, false),
            (.colorTemperature(mired: 214), 1, true), (.colorTemperature(mired: 299), 1, true),
            (.colorTemperature(mired: .max), 1, true), (.colorTemperature(mired: .min), 1, true),
            (.color, 1, true), (.colorTemperature(mired: 240), 10_000, true),
            (.colorTemperature(mired: 288), 10_000, false), (.colorTemperature(mired: 287), 10_000, true),
        ] as [(AdaptiveLightingTransition.DeviceReport, Int, Bool)])
    func deviceReported(report: AdaptiveLightingTransition.DeviceReport, after: Int, ends: Bool) throws {
        var machine = try enabled()
        // Nothing has been applied yet, so the lamp may still show its previous color.
        #expect(machine.deviceReported(report, now: start) == false)
        _ = machine.lampIs(on: true, brightness: 100, now: at(240_000))
        #expect(
            machine.lampIs(on: true, brightness: 1, now: at(300_000))
                == .apply(mired: 293, notify: false, wakeAt: at(360_000)))
        #expect(machine.deviceReported(report, now: at(300_000 + after)) == ends)
        #expect(machine.activeCount == (ends ? 0 : 1))
    }

    @Test("ends when the last pairing is removed")
    func unpaired() throws {
        var machine = try enabled()
        #expect(machine.unpaired() == true)
        #expect(machine.unpaired() == false)
        #expect(machine == self.machine())
    }

    // MARK: Restart

    private func resumed(_ saved: [UInt8], now: ContinuousClock.Instant, wallClock: Duration)
        throws(TransitionViolation)
        -> AdaptiveLightingTransition
    {
        try AdaptiveLightingTransition(
            resuming: saved, brightness: InstanceID(10), colorTemperature: InstanceID(300), miredRange: 50...500,
            now: now, wallClock: wallClock)
    }

    @Test(
        "continues after a restart, independent of the monotonic clock",
        arguments: [
            (300_000, 225, 300_000), (3_600_000, 300, 3_600_000), (3_600_001, nil, 0),
            // The wall clock was set back.
            (-1, 200, 0), (-900_000_000_000, 200, 0),
        ] as [(Int, Int?, Int)])
    func restart(later: Int, mired: Int?, elapsed: Int) throws {
        let wallClock = Duration.milliseconds(800_000_000_123)
        let saved = try #require(try enabled().saved(now: at(60_000), wallClock: wallClock + .seconds(60)))
        let now = start - .seconds(1_000_000)
        var machine = try resumed(saved, now: now, wallClock: wallClock + .milliseconds(later))
        guard let mired else {
            #expect(machine == self.machine())
            #expect(machine.saved(now: now, wallClock: wallClock) == nil)
            return
        }
        #expect(machine.saved(now: now, wallClock: wallClock + .milliseconds(elapsed)) == saved)
        let wake = min(now + .seconds(60), now + .milliseconds(3_600_001 - elapsed))
        #expect(
            machine.lampIs(on: true, brightness: 100, now: now) == .apply(mired: mired, notify: true, wakeAt: wake))
    }

    @Test("rejects truncated stored bytes, unless only the two optional intervals are missing")
    func damaged() throws {
        let saved = try #require(try enabled().saved(now: start, wallClock: .seconds(1)))
        #expect(Array(saved.prefix(9)) == [1, 0xE8, 3, 0, 0, 0, 0, 0, 0])
        for count in saved.indices where ![6, 10].contains(saved.count - count) {
            #expect(throws: TransitionViolation.self, "\(count)") {
                try resumed(Array(saved.prefix(count)), now: start, wallClock: .seconds(1))
            }
        }
        #expect(throws: TransitionViolation.invalid(.version)) {
            try resumed([2] + saved.dropFirst(), now: start, wallClock: .seconds(1))
        }
        #expect(throws: TransitionViolation.invalid(.instanceID)) {
            try AdaptiveLightingTransition(
                resuming: saved, brightness: InstanceID(11), colorTemperature: InstanceID(300), miredRange: 50...500,
                now: start, wallClock: .seconds(1))
        }
        var latest = saved
        latest.replaceSubrange(1..<9, with: [UInt8](repeating: 255, count: 8))
        #expect(try resumed(latest, now: start, wallClock: .seconds(1)).activeCount == 1)
    }
}
