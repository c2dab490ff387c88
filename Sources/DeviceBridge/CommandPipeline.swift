internal import DeviceKit
internal import HAPModel

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

    /// How the values of the light behave.
    var rules: any DeviceRules
    private(set) var underWay: LightCommand?
    /// A command was given up and its driver has not come back from it: the next one waits for that.
    private(set) var isAbandoned = false
    private(set) var waiting: LightCommand?
    private var target = LightCommand()
    /// What of the target the light has not reported yet.
    private var unconfirmed = PropertyValues()
    private var completesAt: ContinuousClock.Instant?
    private var held = PropertyValues()
    /// A command that was accepted, of which the light has said nothing yet.
    private var unanswered: LightCommand?
    /// When to send it once more.
    private var retriesAt: ContinuousClock.Instant?
    /// Whether the command under way is one that is sent once more.
    private var isRetry = false
    /// The values that came with "off", such as a level: they go out with the next "on".
    private(set) var forNextOn = PropertyValues()
    /// Whether the light didn't confirm the newest command, also when it was sent once more.
    private(set) var isUnconfirmed = false

    init(_ rules: any DeviceRules) { self.rules = rules }

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
        unconfirmed = command.values
        retriesAt = nil
        self.isRetry = isRetry
        return command
    }

    /// The command without the values for the next "on", and with them if it is that.
    private mutating func withHeldValues(_ command: LightCommand) -> LightCommand {
        guard rules.power != nil else { return command }
        switch command.values[Property(.on)]?.bool {
        case true?:
            var values = forNextOn
            values.merge(command.values)
            return LightCommand(values, transition: command.transition)
        case false?:
            var others = command.values
            others.on = nil
            forNextOn.merge(others)
            return LightCommand(on: false, transition: command.transition)
        case nil:
            forNextOn = forNextOn.removing(command.values)
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
            if command.values[Property(.on)] == .bool(true) { forNextOn = PropertyValues() }
            // Reports differing from a newer target are echoes of an older one.
            if !isCompleting(now) { target = LightCommand() }
            target.merge(command)
            let fade = max(command.transition ?? .zero, Self.confirmationTime)
            let isConfirmed = unconfirmed.isEmpty && (command.transition ?? .zero) == .zero
            completesAt = now + (isConfirmed ? Self.echoTime : fade)
            if unconfirmed == command.values, held.isEmpty, !isRetry {
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
        if !report.values.isEmpty {
            retriesAt = nil
            isUnconfirmed = false
        }
        var accepted = matched(report, now: now)
        if accepted.values[Property(.on)] == .bool(true) {
            forNextOn = PropertyValues()
        } else if !forNextOn.isEmpty {
            accepted.values = accepted.values.removing(forNextOn)
        }
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
        for (property, value) in expected.values where report.values.contains(property) || property.group.type == .hue {
            let group = property.group
            if group.type != .hue, held.isEmpty, report.values[property] == value {
                unconfirmed.remove(property)
                continue
            }
            let reported = report.values.members(of: group)
            guard !reported.isEmpty else { continue }
            let isMatch = rules.resembles(reported, expected.values.members(of: group))
            held = held.removing(reported)
            if isMatch { unconfirmed = unconfirmed.removing(reported) } else { held.merge(reported) }
            // The light's own rounding of what was asked is not shown as a change.
            if !isMatch || group.type == .hue { accepted.values = accepted.values.removing(reported) }
        }
        let fades = expected.transition.map { $0 > .zero } ?? false
        // A light that fades out passes through levels that are not to come back with the next tap.
        if fades, expected.on == false, expected.brightness == nil { accepted.brightness = nil }
        // Some say at once what they fade to, and then the steps.
        if let completesAt, underWay == nil, unconfirmed.isEmpty, !fades {
            self.completesAt = min(completesAt, now + Self.echoTime)
        }
        return accepted
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
        unconfirmed = PropertyValues()
        defer { held = PropertyValues() }
        if held.on == true { forNextOn = PropertyValues() }
        return held.isEmpty ? nil : LightReport(held)
    }

    /// The light is gone or out of reach: nothing is expected of it any more.
    mutating func reset() {
        waiting = nil
        superseded()
    }

    /// Somebody at the light has changed it: what it says from now on is no answer to a command that has ended.
    mutating func superseded() {
        target = LightCommand()
        unconfirmed = PropertyValues()
        retriesAt = nil
        completesAt = nil
        held = PropertyValues()
    }
}
