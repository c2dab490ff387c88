internal import DeviceKit
internal import HAPModel

/// The commands and echoes of one light (Lights 2).
///
/// At most one command is running. Newer commands are merged into one waiting command, so that the latest value always
/// wins and is always sent. For some time after a command, reports that differ from it count as intermediate steps of a
/// fade or as echoes of an older command, and are held. A report that is still held when that time ends is applied.
struct CommandPipeline: ~Copyable {
    /// The time for which reports count as intermediate steps, unless the command's fade takes longer.
    static let confirmationTime = Duration.seconds(1)
    /// The time for which reports still count as intermediate steps once the light has confirmed all values.
    ///
    /// Late echoes arrive within this time. Later reports are changes made at the light.
    static let echoTime = Duration.milliseconds(300)

    /// The time without a report after which a command is sent again, because radios lose some.
    static let retryTime = Duration.seconds(2)

    /// The rules for the light's values.
    var rules: any DeviceRules
    private(set) var underWay: LightCommand?
    /// A Boolean value that indicates whether a command has timed out and its driver has not returned.
    ///
    /// The next command waits for that.
    private(set) var isAbandoned = false
    private(set) var waiting: LightCommand?
    private var target = LightCommand()
    /// The values of the target that the light has not confirmed.
    private var unconfirmed = PropertyValues()
    private var completesAt: ContinuousClock.Instant?
    private var held = PropertyValues()
    /// An accepted command that no report has followed.
    private var unanswered: LightCommand?
    /// The time at which to send that command again.
    private var retriesAt: ContinuousClock.Instant?
    /// A Boolean value that indicates whether the running command is a repetition.
    private var isRetry = false
    /// The values received together with "off", such as a level, which are sent with the next "on".
    private(set) var forNextOn = PropertyValues()
    /// A Boolean value that indicates whether the light confirmed neither the newest command nor its repetition.
    private(set) var isUnconfirmed = false

    init(_ rules: any DeviceRules) { self.rules = rules }

    /// A Boolean value that indicates whether the driver is processing a command, including one that has timed out.
    var isBusy: Bool { underWay != nil || isAbandoned }

    /// Adds a command.
    ///
    /// - Returns: The command to send now, or `nil` if it waits for the running one.
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

    /// Returns the command without the values for the next "on", or with them if it switches the light on.
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

    /// Ends the running command.
    ///
    /// - Returns: The next command to send, if one is waiting.
    mutating func ended(success: Bool, now: ContinuousClock.Instant) -> LightCommand? {
        if isAbandoned { isAbandoned = false } else { complete(success: success, now: now) }
        underWay = nil
        defer { waiting = nil }
        return waiting.map { begin($0) }
    }

    /// Handles a timeout of the running command.
    ///
    /// Its driver may still be processing it.
    mutating func gaveUp(now: ContinuousClock.Instant) {
        complete(success: false, now: now)
        underWay = nil
        isAbandoned = true
    }

    /// Cancels the waiting command.
    mutating func dropWaiting() { waiting = nil }

    private mutating func complete(success: Bool, now: ContinuousClock.Instant) {
        if success, let command = underWay {
            if command.values[Property(.on)] == .bool(true) { forNextOn = PropertyValues() }
            // Reports that differ from a newer target are echoes of an older one.
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
            // No more reports are expected, so the held report applies.
            completesAt = now
        }
    }

    /// Handles a report and returns its new values.
    mutating func reported(_ report: LightReport, now: ContinuousClock.Instant) -> LightReport {
        // Any report shows that a command has reached the light, whether from this bridge or from another controller.
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

    /// Returns the report without intermediate steps to the values of the newest command.
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
            // A value that the light has only rounded doesn't count as a change.
            if !isMatch || group.type == .hue { accepted.values = accepted.values.removing(reported) }
        }
        let fades = expected.transition.map { $0 > .zero } ?? false
        // The levels during a fade-out must not return with the next tap.
        if fades, expected.on == false, expected.brightness == nil { accepted.brightness = nil }
        // Some lights report the final value first, and then the steps.
        if let completesAt, underWay == nil, unconfirmed.isEmpty, !fades {
            self.completesAt = min(completesAt, now + Self.echoTime)
        }
        return accepted
    }

    private func isCompleting(_ now: ContinuousClock.Instant) -> Bool { completesAt.map { now < $0 } ?? false }

    /// The time at which to call ``completed(now:)`` and ``retried(now:)``, or `nil` if no report is held and no
    /// command must be repeated.
    var wakeAt: ContinuousClock.Instant? {
        guard !isBusy else { return nil }
        guard !held.isEmpty, let completesAt else { return retriesAt }
        return min(completesAt, retriesAt ?? completesAt)
    }

    /// Returns the command to send again because no report followed it, if any.
    mutating func retried(now: ContinuousClock.Instant) -> LightCommand? {
        guard !isBusy, let retriesAt, retriesAt <= now, let command = unanswered else { return nil }
        isUnconfirmed = true
        return begin(command, isRetry: true)
    }

    /// Returns the held reports once their time has passed.
    mutating func completed(now: ContinuousClock.Instant) -> LightReport? {
        guard let completesAt, now >= completesAt, underWay == nil else { return nil }
        self.completesAt = nil
        target = LightCommand()
        unconfirmed = PropertyValues()
        defer { held = PropertyValues() }
        if held.on == true { forNextOn = PropertyValues() }
        return held.isEmpty ? nil : LightReport(held)
    }

    /// Resets the pipeline of a light that was removed or is unreachable.
    mutating func reset() {
        waiting = nil
        superseded()
    }

    /// Handles a change made at the light; later reports don't belong to a finished command.
    mutating func superseded() {
        target = LightCommand()
        unconfirmed = PropertyValues()
        retriesAt = nil
        completesAt = nil
        held = PropertyValues()
    }
}
