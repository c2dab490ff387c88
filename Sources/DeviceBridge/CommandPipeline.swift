internal import DeviceKit
internal import HAPModel

/// The pending commands of one light, and the reports that follow them (Lights 2).
///
/// At most one command is running. Newer commands are merged into one waiting command, so the latest value always wins
/// and is always sent. For some time after a command, a report that differs from the command is considered an
/// intermediate step of a fade or an echo of an older command. Such a report is held. It is applied only if it is still
/// the latest report when that time ends.
struct CommandPipeline: ~Copyable {
    /// The minimum time after a command during which reports are considered intermediate steps.
    ///
    /// If the command's fade takes longer, the fade determines the time.
    static let confirmationTime = Duration.seconds(1)
    /// The time during which reports are considered intermediate steps after the light has confirmed all values.
    ///
    /// Late echoes arrive within this time. Later reports are changes made at the light.
    static let echoTime = Duration.milliseconds(300)

    /// The time without a report after which a command is sent again, because wireless devices miss some commands.
    static let retryTime = Duration.seconds(2)

    /// The maximum time to wait for newer commands, for kinds with a ``DeviceRules/pause``.
    static let longestPause = Duration.seconds(1)

    /// The rules for the light's values.
    var rules: any DeviceRules
    private(set) var underWay: LightCommand?
    /// A Boolean value that indicates whether a command has timed out but the driver's call hasn't returned yet.
    ///
    /// The next command waits until the call returns.
    private(set) var isAbandoned = false
    private(set) var waiting: LightCommand?
    /// The time until which newer commands are merged, or `nil` before the first command.
    private var pausedUntil: ContinuousClock.Instant?
    /// The time at which the waiting command is sent even if newer commands keep arriving.
    private var pauseEndsAt: ContinuousClock.Instant?
    private var target = LightCommand()
    /// The values of the command that the light hasn't confirmed yet.
    private var unconfirmed = PropertyValues()
    private var completesAt: ContinuousClock.Instant?
    private var held = PropertyValues()
    /// The last command that the driver accepted before any report about its values arrived.
    private var unanswered: LightCommand?
    /// The time at which to send the unanswered command again, or `nil` if it won't be sent again.
    private var retriesAt: ContinuousClock.Instant?
    /// The time at which the device is considered to be at rest if it hasn't reacted to the last command.
    private var restsAt: ContinuousClock.Instant?
    /// A Boolean value that indicates whether the running command is a repetition.
    private var isRetry = false
    /// The values that were requested together with "off", such as a level.
    ///
    /// They are sent with the next "on".
    private(set) var forNextOn = PropertyValues()
    /// A Boolean value that indicates whether the light confirmed neither the newest command nor its repetition.
    private(set) var isUnconfirmed = false

    init(_ rules: any DeviceRules) { self.rules = rules }

    /// The values of the newest command, if the light confirmed neither the command nor its repetition.
    var unconfirmedValues: PropertyValues { isUnconfirmed ? unanswered?.values ?? PropertyValues() : PropertyValues() }

    /// A Boolean value that indicates whether the driver is still processing a command, which may have timed out.
    var isBusy: Bool { underWay != nil || isAbandoned }

    /// Adds a command.
    ///
    /// - Returns: The command to send now, or `nil` if the command waits for the running command.
    mutating func wanted(_ command: LightCommand, now: ContinuousClock.Instant) -> LightCommand? {
        let isPaused = pausedUntil.map { now < $0 } ?? false
        if rules.pause > .zero { pausedUntil = now + rules.pause }
        guard isBusy || isPaused else { return begin(command) }
        if waiting == nil { waiting = command } else { waiting?.merge(command) }
        if !isBusy, pauseEndsAt == nil { pauseEndsAt = now + Self.longestPause }
        return nil
    }

    /// Returns the waiting command once its pause has ended.
    mutating func resumed(now: ContinuousClock.Instant) -> LightCommand? {
        guard let sendsAt, sendsAt <= now, let command = waiting else { return nil }
        waiting = nil
        return begin(command)
    }

    /// The time at which the waiting command is sent, or `nil` if no command waits for a pause.
    private var sendsAt: ContinuousClock.Instant? {
        guard !isBusy, waiting != nil, let pausedUntil, let pauseEndsAt else { return nil }
        return min(pausedUntil, pauseEndsAt)
    }

    private mutating func begin(_ command: LightCommand, isRetry: Bool = false) -> LightCommand {
        let command = withHeldValues(command)
        underWay = command
        unconfirmed = command.values
        retriesAt = nil
        restsAt = nil
        pauseEndsAt = nil
        self.isRetry = isRetry
        return command
    }

    /// Returns the command to send.
    ///
    /// A command that switches the light on gets the held values. A command that switches the light off loses its other
    /// values, which are held for the next "on".
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

    /// Returns the values that a successful command sets.
    ///
    /// If a device with a target has already reported a state, such as jammed, that state isn't overwritten.
    func result(of command: LightCommand) -> PropertyValues {
        rules.reaction == nil ? command.values : unconfirmed
    }

    /// Ends the running command.
    ///
    /// - Returns: The waiting command, which must be sent next, or `nil` if there is none.
    mutating func ended(success: Bool, now: ContinuousClock.Instant) -> LightCommand? {
        if isAbandoned { isAbandoned = false } else { complete(success: success, now: now) }
        underWay = nil
        defer { waiting = nil }
        return waiting.map { begin($0) }
    }

    /// Handles a timeout of the running command.
    ///
    /// The driver may still be processing the command.
    mutating func gaveUp(now: ContinuousClock.Instant) {
        complete(success: false, now: now)
        underWay = nil
        isAbandoned = true
    }

    /// Cancels the waiting command.
    mutating func dropWaiting() {
        waiting = nil
        pauseEndsAt = nil
    }

    private mutating func complete(success: Bool, now: ContinuousClock.Instant) {
        if success, let command = underWay {
            if command.values[Property(.on)] == .bool(true) { forNextOn = PropertyValues() }
            // If an earlier command is still completing, extend its target, so that late reports of its values are
            // still considered echoes.
            if !isCompleting(now) { target = LightCommand() }
            target.merge(command)
            let fade = max(command.transition ?? .zero, Self.confirmationTime)
            let isConfirmed = unconfirmed.isEmpty && (command.transition ?? .zero) == .zero
            completesAt = now + (isConfirmed ? Self.echoTime : fade)
            if unconfirmed == command.values, let reaction = rules.reaction {
                restsAt = now + reaction.time
            } else if unconfirmed == command.values, held.isEmpty, !isRetry, rules.mayRepeat(command.values) {
                unanswered = command
                retriesAt = now + max(command.transition ?? .zero, Self.retryTime)
            }
        } else if !isCompleting(now) {
            // No more intermediate steps are expected after a failure, so held values apply now.
            completesAt = now
        }
    }

    /// Handles a report and returns its new values.
    mutating func reported(_ report: LightReport, now: ContinuousClock.Instant) -> LightReport {
        // A report with values shows that the light is responding, so the command isn't repeated.
        if !report.values.isEmpty {
            retriesAt = nil
            isUnconfirmed = false
        }
        if let target = rules.reaction?.target, report.values.contains(target) { restsAt = nil }
        var accepted = matched(report, now: now)
        if accepted.values[Property(.on)] == .bool(true) {
            forNextOn = PropertyValues()
        } else if !forNextOn.isEmpty {
            accepted.values = accepted.values.removing(forNextOn)
        }
        return accepted
    }

    /// Returns the report without values that are intermediate steps toward the newest commands.
    ///
    /// Those values are held.
    private mutating func matched(_ report: LightReport, now: ContinuousClock.Instant) -> LightReport {
        let isCompleting = isCompleting(now)
        guard isCompleting || underWay != nil || pauseEndsAt != nil else { return report }
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
            // A commanded color that the light has only rounded isn't a change, so it is dropped from the report, too.
            if !isMatch || group.type == .hue { accepted.values = accepted.values.removing(reported) }
        }
        let fades = expected.transition.map { $0 > .zero } ?? false
        // A level that is reported during a fade-out must not become the level of the next "on".
        if fades, expected.on == false, expected.brightness == nil { accepted.brightness = nil }
        // Once all values are confirmed, reports are held only for `echoTime`: some lights report the final value first
        // and the steps later.
        if let completesAt, underWay == nil, unconfirmed.isEmpty, !fades {
            self.completesAt = min(completesAt, now + Self.echoTime)
        }
        return accepted
    }

    private func isCompleting(_ now: ContinuousClock.Instant) -> Bool { completesAt.map { now < $0 } ?? false }

    /// The time at which to call ``completed(now:)``, ``resumed(now:)`` and ``retried(now:)``, or `nil` if no report
    /// is held and no command must be sent.
    var wakeAt: ContinuousClock.Instant? {
        guard !isBusy else { return nil }
        return [held.isEmpty ? nil : completesAt, retriesAt, restsAt, sendsAt].compactMap(\.self).min()
    }

    /// Removes the target from a report if the device hasn't reacted to a command yet and only repeats the earlier
    /// state.
    ///
    /// Returns whether the target was removed.
    func removeTarget(from report: inout LightReport, over wanted: DeviceState) -> Bool {
        guard underWay != nil || waiting != nil || restsAt != nil, let target = rules.reaction?.target,
            report.values.contains(target), report.values[target] != wanted.values[target]
        else { return false }
        var states = report.values.members(of: target)
        states.remove(target)
        guard !states.isEmpty, states.allSatisfy({ wanted.values[$0.property] == $0.value }) else { return false }
        report.values.remove(target)
        return true
    }

    /// Returns whether the device hasn't reacted to the last command within the time limit.
    mutating func givesUp(now: ContinuousClock.Instant) -> Bool {
        guard !isBusy, let restsAt, restsAt <= now else { return false }
        self.restsAt = nil
        return true
    }

    /// Returns the unanswered command if it's time to send it again, otherwise `nil`.
    mutating func retried(now: ContinuousClock.Instant) -> LightCommand? {
        guard !isBusy, waiting == nil, let retriesAt, retriesAt <= now, let command = unanswered else { return nil }
        isUnconfirmed = true
        return begin(command, isRetry: true)
    }

    /// Returns the held values that are due, or `nil` if there are none.
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
        dropWaiting()
        superseded()
    }

    /// Handles a change made at the light.
    ///
    /// Later reports are considered changes, not results of a finished command.
    mutating func superseded() {
        target = LightCommand()
        unconfirmed = PropertyValues()
        retriesAt = nil
        restsAt = nil
        completesAt = nil
        held = PropertyValues()
    }
}
