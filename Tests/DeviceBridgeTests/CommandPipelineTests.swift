import DeviceKit
import Testing

@testable import DeviceBridge

private let start = ContinuousClock.now

private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

extension CommandPipeline {
    /// Adds a command to the pipeline of a kind without a pause.
    fileprivate mutating func wanted(_ command: LightCommand) -> LightCommand? { wanted(command, now: start) }
}

@Suite("CommandPipeline")
struct CommandPipelineTests {
    @Test("sends one command at a time, and merges waiting commands")
    func merges() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        #expect(pipeline.wanted(LightCommand(on: true)) == LightCommand(on: true))
        #expect(pipeline.wanted(LightCommand(brightness: 10)) == nil)
        #expect(pipeline.wanted(LightCommand(on: false)) == nil)
        #expect(pipeline.wanted(LightCommand(brightness: 20, color: .temperature(mired: 300))) == nil)
        let merged = LightCommand(on: false, brightness: 20, color: .temperature(mired: 300))
        #expect(pipeline.waiting == merged)
        #expect(pipeline.ended(success: true, now: at(0)) == LightCommand(on: false))
        #expect(pipeline.underWay == LightCommand(on: false))
        #expect(pipeline.ended(success: true, now: at(1)) == nil)
        #expect(pipeline.underWay == nil)
        // The next command is sent immediately, even if it equals the previous command.
        #expect(pipeline.wanted(merged) == LightCommand(on: false))
    }

    @Test("sends a cover's first command immediately, and the newest command of a dragged slider after a pause")
    func pause() {
        var pipeline = CommandPipeline(LightKind.cover.rules)
        func move(_ percent: Int) -> LightCommand {
            var command = LightCommand()
            command.targetPosition = percent
            return command
        }
        #expect(pipeline.wanted(move(10), now: at(0)) == move(10))
        #expect(pipeline.ended(success: true, now: at(1)) == nil)
        #expect(pipeline.wanted(move(20), now: at(100)) == nil)
        #expect(pipeline.wanted(move(30), now: at(200)) == nil)
        #expect(pipeline.wakeAt == at(500) && pipeline.resumed(now: at(499)) == nil)
        // A state from before the drag doesn't reset the target.
        var report = LightReport(move(10).values)
        report.position = 5
        #expect(pipeline.reported(report, now: at(300)).targetPosition == nil)
        #expect(pipeline.resumed(now: at(500)) == move(30))
        #expect(pipeline.ended(success: true, now: at(501)) == nil)
        pipeline.superseded()
        // A continuous drag still moves the cover every second.
        #expect(pipeline.wanted(move(6), now: at(600)) == move(6))
        #expect(pipeline.ended(success: true, now: at(601)) == nil)
        for time in stride(from: 700, to: 1700, by: 100) {
            #expect(pipeline.wanted(move(time / 100), now: at(time)) == nil)
            #expect(pipeline.resumed(now: at(time)) == nil)
        }
        #expect(pipeline.wakeAt == at(1700) && pipeline.resumed(now: at(1700)) == move(16))
        #expect(pipeline.ended(success: true, now: at(1701)) == nil)
        #expect(pipeline.wanted(move(90), now: at(1800)) == nil)
        pipeline.reset()
        #expect(pipeline.waiting == nil && pipeline.resumed(now: at(9000)) == nil)
        #expect(pipeline.wanted(move(91), now: at(9000)) == move(91))
    }

    @Test(
        "keeps a level that is sent together with off for the next on, until it is replaced"
    )
    func levelForNextOn() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        func send(_ command: LightCommand, success: Bool = true) -> LightCommand? {
            let sent = pipeline.wanted(command)
            _ = pipeline.ended(success: success, now: at(0))
            return sent
        }
        #expect(send(LightCommand(on: false, brightness: 30)) == LightCommand(on: false))
        #expect(
            pipeline.reported(LightReport(on: false, brightness: 100), now: at(9000)) == LightReport(on: false),
            "the former level isn't shown again")
        #expect(send(LightCommand(on: false)) == LightCommand(on: false))
        #expect(send(LightCommand(on: true), success: false) == LightCommand(on: true, brightness: 30))
        #expect(send(LightCommand(on: true)) == LightCommand(on: true, brightness: 30))
        #expect(send(LightCommand(on: true)) == LightCommand(on: true))

        #expect(send(LightCommand(on: false, brightness: 30)) == LightCommand(on: false))
        #expect(send(LightCommand(on: true, brightness: 70)) == LightCommand(on: true, brightness: 70))

        #expect(send(LightCommand(on: false, brightness: 30)) == LightCommand(on: false))
        #expect(send(LightCommand(brightness: 50)) == LightCommand(brightness: 50))
        #expect(send(LightCommand(on: true)) == LightCommand(on: true))

        #expect(send(LightCommand(on: false, brightness: 30)) == LightCommand(on: false))
        let byHand = LightReport(on: true, brightness: 100)
        #expect(pipeline.reported(byHand, now: at(9000)) == byHand)
        #expect(send(LightCommand(on: true)) == LightCommand(on: true))
    }

    @Test("is unconfirmed from the repetition of an unanswered command until the light reports its state")
    func unconfirmed() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(on: true))
        _ = pipeline.ended(success: true, now: at(0))
        #expect(pipeline.isUnconfirmed == false)
        _ = pipeline.retried(now: at(2000))
        _ = pipeline.ended(success: true, now: at(2010))
        _ = pipeline.reported(LightReport(reachable: true), now: at(2500))
        #expect(pipeline.isUnconfirmed == true)
        _ = pipeline.reported(LightReport(on: true), now: at(3000))
        #expect(pipeline.isUnconfirmed == false)
    }

    @Test("passes on a spontaneous change right after a command")
    func spontaneous() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(on: true))
        _ = pipeline.ended(success: true, now: at(0))
        pipeline.superseded()
        let report = LightReport(on: false)
        #expect(pipeline.reported(report, now: at(0)) == report)
        #expect(pipeline.wakeAt == nil)
    }

    @Test("holds the steps of a fade even if the light has already reported its end")
    func confirmedFade() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(on: true, brightness: 80, transition: .seconds(2)))
        _ = pipeline.ended(success: true, now: at(0))
        let target = LightReport(on: true, brightness: 80)
        #expect(pipeline.reported(target, now: at(10)) == target)
        #expect(pipeline.reported(LightReport(brightness: 12), now: at(900)) == LightReport())
        #expect(pipeline.reported(LightReport(brightness: 80), now: at(1900)) == LightReport(brightness: 80))
        #expect(pipeline.completed(now: at(2000)) == nil)
        #expect(pipeline.reported(LightReport(brightness: 12), now: at(2001)) == LightReport(brightness: 12))
    }

    @Test("ignores the levels of a fade-out")
    func fadingOut() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(on: false, transition: .seconds(2)))
        _ = pipeline.ended(success: true, now: at(0))
        #expect(pipeline.reported(LightReport(on: true, brightness: 40), now: at(500)) == LightReport())
        #expect(pipeline.reported(LightReport(on: true, brightness: 1), now: at(1900)) == LightReport())
        #expect(pipeline.reported(LightReport(on: false), now: at(1950)) == LightReport(on: false))
        #expect(pipeline.completed(now: at(2000)) == nil)
        #expect(pipeline.reported(LightReport(brightness: 30), now: at(2001)) == LightReport(brightness: 30))
    }

    @Test("holds differing values during a command, and passes on other attributes")
    func held() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(brightness: 80))
        #expect(
            pipeline.reported(LightReport(on: true, brightness: 40), now: at(0)) == LightReport(on: true))
        #expect(pipeline.wakeAt == nil)
        _ = pipeline.ended(success: true, now: at(100))
        #expect(pipeline.wakeAt == at(1100))
        #expect(pipeline.completed(now: at(1099)) == nil)
        #expect(pipeline.completed(now: at(1100)) == LightReport(brightness: 40))
        #expect(pipeline.wakeAt == nil)
        #expect(pipeline.completed(now: at(1200)) == nil)
    }

    @Test("drops an intermediate step that the light reverts")
    func takenBack() {
        let rows: [(LightCommand, LightReport, LightReport)] = [
            (LightCommand(on: true), LightReport(on: false), LightReport(on: true)),
            (LightCommand(brightness: 80), LightReport(brightness: 3), LightReport(brightness: 80)),
            (
                LightCommand(color: .temperature(mired: 300)), LightReport(color: .temperature(mired: 200)),
                LightReport(color: .temperature(mired: 301))
            ),
        ]
        for (command, step, end) in rows {
            var pipeline = CommandPipeline(LightKind.light.rules)
            _ = pipeline.wanted(command)
            _ = pipeline.ended(success: true, now: at(0))
            #expect(pipeline.reported(step, now: at(100)) == LightReport())
            #expect(pipeline.wakeAt == at(1000))
            _ = pipeline.reported(end, now: at(200))
            #expect(pipeline.wakeAt == nil)
            #expect(pipeline.completed(now: at(2000)) == nil)
        }
    }

    @Test("holds the steps of a fade until its end")
    func fade() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(brightness: 80, transition: .seconds(3)))
        _ = pipeline.ended(success: true, now: at(0))
        for step in [10, 40, 70] {
            #expect(pipeline.reported(LightReport(brightness: step), now: at(2900)) == LightReport())
        }
        #expect(pipeline.wakeAt == at(3000))
        #expect(pipeline.reported(LightReport(brightness: 80), now: at(2950)) == LightReport(brightness: 80))
        #expect(pipeline.wakeAt == nil)
    }

    @Test("holds back echoes for 300 ms after the confirmation")
    func confirmed() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(on: true, brightness: 80))
        _ = pipeline.ended(success: true, now: at(0))
        _ = pipeline.reported(LightReport(on: true), now: at(50))
        _ = pipeline.reported(LightReport(brightness: 80), now: at(100))
        #expect(pipeline.reported(LightReport(on: false), now: at(399)) == LightReport())
        #expect(pipeline.wakeAt == at(400))
        #expect(pipeline.completed(now: at(400)) == LightReport(on: false))
        var early = CommandPipeline(LightKind.light.rules)
        _ = early.wanted(LightCommand(on: true))
        _ = early.reported(LightReport(on: true), now: at(0))
        _ = early.ended(success: true, now: at(10))
        #expect(early.reported(LightReport(on: false), now: at(310)) == LightReport(on: false))
    }

    @Test("holds back echoes of an older command during a newer command")
    func olderEchoes() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(brightness: 10))
        _ = pipeline.wanted(LightCommand(brightness: 20))
        #expect(pipeline.reported(LightReport(brightness: 10), now: at(0)) == LightReport())
        _ = pipeline.ended(success: true, now: at(10))
        #expect(pipeline.reported(LightReport(brightness: 10), now: at(20)) == LightReport())
        _ = pipeline.ended(success: true, now: at(30))
        #expect(pipeline.reported(LightReport(brightness: 10), now: at(40)) == LightReport())
        #expect(pipeline.reported(LightReport(brightness: 20), now: at(50)) == LightReport(brightness: 20))
        #expect(pipeline.completed(now: at(5000)) == nil)
    }

    @Test("passes on held values after a failed command")
    func failed() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(brightness: 80))
        _ = pipeline.reported(LightReport(brightness: 40), now: at(0))
        _ = pipeline.ended(success: false, now: at(100))
        #expect(pipeline.wakeAt == at(100))
        #expect(pipeline.completed(now: at(100)) == LightReport(brightness: 40))
        #expect(pipeline.reported(LightReport(brightness: 41), now: at(101)) == LightReport(brightness: 41))
    }

    @Test("passes on a report that differs from a command that ended long ago")
    func stale() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(on: true))
        _ = pipeline.ended(success: true, now: at(0))
        _ = pipeline.wanted(LightCommand(brightness: 50))
        #expect(pipeline.reported(LightReport(on: false), now: at(60_000)) == LightReport(on: false))
    }

    @Test("ignores rounding of a color, and passes on another color")
    func colors() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(color: .hueSaturation(hue: 359.5, saturation: 50)))
        _ = pipeline.ended(success: true, now: at(0))
        let rounded = LightReport(color: .hueSaturation(hue: 0.4, saturation: 49))
        #expect(pipeline.reported(rounded, now: at(10)) == LightReport())
        #expect(pipeline.completed(now: at(2000)) == nil)
        var other = CommandPipeline(LightKind.light.rules)
        _ = other.wanted(LightCommand(color: .temperature(mired: 300)))
        _ = other.ended(success: true, now: at(0))
        let different = LightReport(color: .hueSaturation(hue: 30, saturation: 20))
        #expect(other.reported(different, now: at(10)) == LightReport())
        #expect(other.completed(now: at(1000)) == different)
    }

    @Test("repeats an unanswered command once, after 2 s")
    func retry() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        let command = LightCommand(on: true, brightness: 40)
        _ = pipeline.wanted(command)
        _ = pipeline.ended(success: true, now: at(0))
        #expect(pipeline.wakeAt == at(2000))
        #expect(pipeline.retried(now: at(1999)) == nil)
        #expect(pipeline.retried(now: at(2000)) == command)
        #expect(pipeline.underWay == command)
        _ = pipeline.ended(success: true, now: at(2010))
        #expect(pipeline.wakeAt == nil)
        #expect(pipeline.retried(now: at(9000)) == nil)
    }

    @Test("waits for a fade before it repeats the command")
    func retryAfterFade() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(on: true, transition: .seconds(5)))
        _ = pipeline.ended(success: true, now: at(0))
        #expect(pipeline.wakeAt == at(5000))
    }

    @Test(
        "doesn't repeat a command that was answered, failed or was superseded",
        arguments: [LightReport(on: true), LightReport(on: false), LightReport(brightness: 3)], [true, false])
    func noRetry(report: LightReport, before: Bool) {
        var pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(on: true, brightness: 40))
        if before { _ = pipeline.reported(report, now: at(0)) }
        _ = pipeline.ended(success: true, now: at(0))
        if !before { _ = pipeline.reported(report, now: at(500)) }
        #expect(pipeline.retried(now: at(3000)) == nil)

        pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(on: true))
        _ = pipeline.ended(success: false, now: at(0))
        #expect(pipeline.retried(now: at(3000)) == nil)

        pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(on: true))
        _ = pipeline.ended(success: true, now: at(0))
        _ = pipeline.wanted(LightCommand(on: false))
        #expect(pipeline.retried(now: at(3000)) == nil)
        _ = pipeline.ended(success: true, now: at(3000))
        #expect(pipeline.retried(now: at(5000)) == LightCommand(on: false))
    }

    @Test("drops pending commands and held values when the light is lost")
    func reset() {
        var pipeline = CommandPipeline(LightKind.light.rules)
        _ = pipeline.wanted(LightCommand(on: true))
        _ = pipeline.wanted(LightCommand(brightness: 20))
        _ = pipeline.reported(LightReport(on: false), now: at(0))
        pipeline.reset()
        #expect(pipeline.ended(success: false, now: at(1)) == nil)
        #expect(pipeline.completed(now: at(5000)) == nil)
        #expect(pipeline.reported(LightReport(on: false), now: at(2)) == LightReport(on: false))
    }

    @Test(
        "ignores rounding when it compares colors",
        arguments: [
            (
                LightColor.hueSaturation(hue: 0, saturation: 50), LightColor.hueSaturation(hue: 360, saturation: 50),
                true
            ),
            (.hueSaturation(hue: 1, saturation: 50), .hueSaturation(hue: 359.6, saturation: 51.5), true),
            (.hueSaturation(hue: 1, saturation: 50), .hueSaturation(hue: 3, saturation: 50), false),
            (.hueSaturation(hue: 1, saturation: 50), .hueSaturation(hue: 1, saturation: 52), false),
            (.hueSaturation(hue: 10, saturation: 1), .hueSaturation(hue: 200, saturation: 0), true),
            (.temperature(mired: 300), .temperature(mired: 301), true),
            (.temperature(mired: 300), .temperature(mired: 302), false),
            (.temperature(mired: 300), .hueSaturation(hue: 30, saturation: 50), false),
        ])
    func resembles(a: LightColor, b: LightColor, same: Bool) {
        #expect(a.resembles(b) == same)
        #expect(b.resembles(a) == same)
    }

    @Test("matches every color with the color rounded to bytes")
    func roundedToBytes() throws {
        for hue in 0..<360 {
            for saturation in 1...100 {
                let rgb = try #require(ColorConversion.rgb(hue: Double(hue), saturation: Double(saturation)))
                func byte(_ value: Double) -> Double { value.rounded() }
                let rounded = ColorConversion.RGB(red: byte(rgb.red), green: byte(rgb.green), blue: byte(rgb.blue))
                let shown = try #require(ColorConversion.hueSaturation(rgb: rounded))
                guard
                    !LightColor.hueSaturation(hue: shown.hue, saturation: shown.saturation)
                        .resembles(.hueSaturation(hue: Double(hue), saturation: Double(saturation)))
                else { continue }
                Issue.record("\(hue)/\(saturation) became \(shown)")
            }
        }
    }
}
