internal import LightKit

/// One light's commands and echoes (Lights 2).
///
/// At most one command is under way; while it is, newer ones are merged into one that follows, so that the latest value
/// always wins and is always sent. For a while after a command, reports that differ from it are taken for steps on the
/// way (a fade) or echoes of an older command, and held; what is still held when that time ends is the truth.
struct CommandPipeline: ~Copyable {
    /// How long reports are taken for steps on the way, unless the command's own fade takes longer.
    static let confirmationTime = Duration.seconds(1)
    /// How long reports are still taken so once the light has reported all that was asked of it: late echoes come
    /// within this time, and what comes after it is somebody at the light.
    static let echoTime = Duration.milliseconds(300)

    /// After so long without a word from the light a command is sent once more: radios lose some.
    static let retryTime = Duration.seconds(2)

    private(set) var underWay: LightCommand?
    /// A command was given up and its driver has not come back from it: the next one waits for that.
    private(set) var isAbandoned = false
    private(set) var waiting: LightCommand?
    private var target = LightCommand()
    /// What of the target the light has not reported yet.
    private var unconfirmed = LightCommand()
    private var completesAt: ContinuousClock.Instant?
    private var held = LightReport()
    /// A command that was accepted, of which the light has said nothing yet.
    private var unanswered: LightCommand?
    /// When to send it once more.
    private var retriesAt: ContinuousClock.Instant?
    /// Whether the command under way is one that is sent once more.
    private var isRetry = false
    /// The values that came with "off", such as a level: they go out with the next "on".
    private(set) var forNextOn = LightCommand()
    /// Whether the light didn't confirm the newest command, also when it was sent once more.
    private(set) var isUnconfirmed = false

    /// Whether the driver is at a command, or has not come back from one that was given up.
    var isBusy: Bool { underWay != nil || isAbandoned }

    /// A command is wanted.
    ///
    /// - Returns: the command to send now; `nil` if it waits for the one under way.
    mutating func wanted(_ command: LightCommand) -> LightCommand? {
        guard !isBusy else {
            if waiting == nil { waiting = command } else { waiting?.merge(command) }
            return nil
        }
        return begin(command)
    }

    private mutating func begin(_ command: LightCommand, isRetry: Bool = false) -> LightCommand {
        let command = withHeldValues(command)
        underWay = command
        unconfirmed = command
        retriesAt = nil
        self.isRetry = isRetry
        return command
    }

    /// The command without the values for the next "on", and with them if it is that.
    private mutating func withHeldValues(_ command: LightCommand) -> LightCommand {
        switch command.on {
        case true?: return forNextOn.merging(command)
        case false?:
            forNextOn.merge(command.withoutPower)
            return LightCommand(on: false, transition: command.transition)
        case nil:
            forNextOn.remove(command)
            return command
        }
    }

    /// The command under way has been accepted or has failed.
    ///
    /// - Returns: the next command to send, if one waits.
    mutating func ended(success: Bool, now: ContinuousClock.Instant) -> LightCommand? {
        if isAbandoned { isAbandoned = false } else { complete(success: success, now: now) }
        underWay = nil
        defer { waiting = nil }
        return waiting.map { begin($0) }
    }

    /// The command under way has not been answered in time; its driver may still be at it.
    mutating func gaveUp(now: ContinuousClock.Instant) {
        complete(success: false, now: now)
        underWay = nil
        isAbandoned = true
    }

    /// The waiting command is cancelled.
    mutating func dropWaiting() { waiting = nil }

    private mutating func complete(success: Bool, now: ContinuousClock.Instant) {
        if success, let command = underWay {
            if command.on == true { forNextOn = LightCommand() }
            // Reports differing from a newer target are echoes of an older one.
            if !isCompleting(now) { target = LightCommand() }
            target.merge(command)
            let fade = max(command.transition ?? .zero, Self.confirmationTime)
            let isConfirmed = unconfirmed.isEmpty && (command.transition ?? .zero) == .zero
            completesAt = now + (isConfirmed ? Self.echoTime : fade)
            if unconfirmed == command, held.isEmpty, !isRetry {
                unanswered = command
                retriesAt = now + max(command.transition ?? .zero, Self.retryTime)
            }
        } else if !isCompleting(now) {
            // Nothing is expected any more: what was held is the truth.
            completesAt = now
        }
    }

    /// The driver has reported; returns what of it is new.
    mutating func reported(_ report: LightReport, now: ContinuousClock.Instant) -> LightReport {
        // Any report shows that a command has reached it, this one or that of another controller.
        if report.saysWhatItShows {
            retriesAt = nil
            isUnconfirmed = false
        }
        var accepted = matched(report, now: now)
        if accepted.on == true { forNextOn = LightCommand() } else { forNextOn.hide(in: &accepted) }
        return accepted
    }

    /// The report without the steps on the way to the values of the newest command.
    private mutating func matched(_ report: LightReport, now: ContinuousClock.Instant) -> LightReport {
        let isCompleting = isCompleting(now)
        guard isCompleting || underWay != nil else { return report }
        var expected = isCompleting ? target : LightCommand()
        if let underWay { expected.merge(underWay) }
        if let waiting { expected.merge(waiting) }
        var accepted = report
        Self.compare(&accepted.on, expected.on, &held.on, &unconfirmed.on)
        Self.compare(&accepted.brightness, expected.brightness, &held.brightness, &unconfirmed.brightness)
        let fades = expected.transition.map { $0 > .zero } ?? false
        // A light that fades out passes through levels that are not to come back with the next tap.
        if fades, expected.on == false, expected.brightness == nil { accepted.brightness = nil }
        Self.compare(&accepted.speed, expected.speed, &held.speed, &unconfirmed.speed)
        Self.compare(&accepted.direction, expected.direction, &held.direction, &unconfirmed.direction)
        Self.compare(&accepted.oscillates, expected.oscillates, &held.oscillates, &unconfirmed.oscillates)
        if let color = report.color, let wanted = expected.color {
            let matches = color.resembles(wanted)
            held.color = matches ? nil : color
            if matches { unconfirmed.color = nil }
            // The light's own rounding of what was asked is not shown as a change.
            accepted.color = nil
        }
        // Some say at once what they fade to, and then the steps.
        if let completesAt, underWay == nil, unconfirmed.isEmpty, !fades {
            self.completesAt = min(completesAt, now + Self.echoTime)
        }
        return accepted
    }

    /// Takes what was reported for an answer if it was asked for, else holds it.
    private static func compare<Value: Equatable>(
        _ reported: inout Value?, _ wanted: Value?, _ held: inout Value?, _ unconfirmed: inout Value?
    ) {
        guard let value = reported, let wanted else { return }
        held = value == wanted ? nil : value
        if value == wanted { unconfirmed = nil } else { reported = nil }
    }

    private func isCompleting(_ now: ContinuousClock.Instant) -> Bool { completesAt.map { now < $0 } ?? false }

    /// When ``completed(now:)`` and ``retried(now:)`` should be asked; `nil` if nothing is held or to be sent again.
    var wakeAt: ContinuousClock.Instant? {
        guard !isBusy else { return nil }
        guard !held.isEmpty, let completesAt else { return retriesAt }
        return min(completesAt, retriesAt ?? completesAt)
    }

    /// The command to send once more, because the light has said nothing since it was accepted; `nil` if there is none.
    mutating func retried(now: ContinuousClock.Instant) -> LightCommand? {
        guard !isBusy, let retriesAt, retriesAt <= now, let command = unanswered else { return nil }
        isUnconfirmed = true
        return begin(command, isRetry: true)
    }

    /// The time is over: the reports held back are final.
    mutating func completed(now: ContinuousClock.Instant) -> LightReport? {
        guard let completesAt, now >= completesAt, underWay == nil else { return nil }
        self.completesAt = nil
        target = LightCommand()
        unconfirmed = LightCommand()
        defer { held = LightReport() }
        if held.on == true { forNextOn = LightCommand() }
        return held.isEmpty ? nil : held
    }

    /// The light is gone or out of reach: nothing is expected of it any more.
    mutating func reset() {
        waiting = nil
        superseded()
    }

    /// Somebody at the light has changed it: what it says from now on is no answer to a command that has ended.
    mutating func superseded() {
        target = LightCommand()
        unconfirmed = LightCommand()
        retriesAt = nil
        completesAt = nil
        held = LightReport()
    }
}

extension LightCommand {
    /// The command without power and fade.
    fileprivate var withoutPower: LightCommand {
        var command = self
        (command.on, command.transition) = (nil, nil)
        return command
    }

    /// Removes the values that a newer command sets.
    fileprivate mutating func remove(_ newer: LightCommand) {
        if newer.brightness != nil { brightness = nil }
        if newer.color != nil { color = nil }
        if newer.speed != nil { speed = nil }
        if newer.direction != nil { direction = nil }
        if newer.oscillates != nil { oscillates = nil }
    }

    /// Removes reported values that the next "on" replaces.
    fileprivate func hide(in report: inout LightReport) {
        if brightness != nil { report.brightness = nil }
        if color != nil { report.color = nil }
        if speed != nil { report.speed = nil }
        if direction != nil { report.direction = nil }
        if oscillates != nil { report.oscillates = nil }
    }
}

extension LightColor {
    /// Whether two colours are the same but for a device's rounding.
    func resembles(_ other: LightColor) -> Bool {
        switch (self, other) {
        case (.hueSaturation(let h1, let s1), .hueSaturation(let h2, let s2)):
            let distance = (h1 - h2).magnitude.truncatingRemainder(dividingBy: 360)
            // The paler, the coarser: three bytes tell hues apart by up to 23° at 1 %, and with less the hue says nothing.
            let saturation = min(s1, s2)
            let tolerance = max(1.5, 24 / max(saturation, 1))
            return (s1 - s2).magnitude <= 1.5 && (min(distance, 360 - distance) <= tolerance || saturation < 2)
        case (.temperature(let a), .temperature(let b)): return (a - b).magnitude <= 1
        case (.hueSaturation, .temperature), (.temperature, .hueSaturation): return false
        }
    }
}
