internal import AccessoryRole
internal import DeviceKit
internal import HAPModel
internal import HAPProtocol
internal import Logging

/// The run of an open valve with a set duration.
struct ValveRun {
    /// The set duration in seconds.
    let duration: Double
    let endsAt: ContinuousClock.Instant

    func isOver(_ now: ContinuousClock.Instant) -> Bool { endsAt <= now }

    /// Returns the remaining whole seconds.
    func remaining(_ now: ContinuousClock.Instant) -> Int64 {
        Int64(max((endsAt - now) / .seconds(1), 0).rounded(.up))
    }
}

// The runs of valves: the bridge closes a valve when its set duration is over, even if the bridge was restarted in the
// meantime.
extension DeviceBridge {
    /// The interval at which the bridge retries to close a valve.
    private static let retryTime = Duration.seconds(5)

    /// The time after the end of a run during which a report that the valve is open can be outdated.
    ///
    /// This doesn't apply after the valve has reported that it's closed.
    private static let confirmationTime = Duration.seconds(60)

    /// Starts or ends the runs of a valve after a change of its state.
    func updateRuns(of light: BridgedLight, after origin: LightEvent.Origin) {
        for function in light.adapter.description.functions where function.has(.setDuration) {
            updateRun(of: light, function.id, after: origin)
        }
    }

    private func updateRun(of light: BridgedLight, _ id: String?, after origin: LightEvent.Origin) {
        let (end, remaining) = (Property(.runEnd, of: id), Property(.remainingDuration, of: id))
        let duration = light.state.values[Property(.setDuration, of: id)]?.number ?? 0
        let isOpen = light.state.values[Property(.on, of: id)]?.bool == true
        guard isOpen, duration > 0 else {
            // Keep a run that is over until the valve confirms that it is closed, because outdated reports may follow.
            let isOver = light.runs[id]?.isOver(scheduler.now) == true
            if isOpen || !isOver { light.runs[id] = nil }
            light.state.values.remove(end)
            light.state.values[remaining] = .integer(0)
            return
        }
        let clock = wallClock() / .seconds(1)
        if let run = light.runs[id], run.duration == duration, origin == .device || !run.isOver(scheduler.now) {
            if light.state.values[end] == nil { light.state.values[end] = .float(clock) }
            return
        }
        var left = duration
        if light.runs[id] == nil, let stored = light.state.values[end]?.number {
            left = min(max(stored - clock, 0), left)
        }
        let run = ValveRun(duration: duration, endsAt: scheduler.now + .seconds(left))
        light.runs[id] = run
        light.state.values[end] = .float(clock + left)
        light.state.values[remaining] = .integer(run.remaining(scheduler.now))
        schedule(light, at: min(run.endsAt, scheduler.now + .seconds(1)))
    }

    /// Forgets the runs of valves that report that they're closed.
    ///
    /// If such a valve opens again, a new run starts.
    func confirmRuns(of light: BridgedLight, by report: LightReport) {
        for (id, run) in light.runs
        where run.isOver(scheduler.now) && report.values[Property(.on, of: id)] == .bool(false) {
            light.runs[id] = nil
        }
    }

    /// Returns the remaining duration of an irrigation system, or `nil` if the light isn't one.
    private func systemDuration(of light: BridgedLight) -> (property: Property, left: Int64)? {
        guard let system = light.adapter.description.functions.first(where: { $0.type == .irrigationSystem }),
            let left = light.adapter.rules.derived(.remainingDuration, of: system, in: light.state).flatMap(Int.init)
        else { return nil }
        return (Property(.remainingDuration, of: system.id), Int64(left))
    }

    /// Changes a remaining duration that controllers read, with an event only for 0.
    private func update(_ light: BridgedLight, _ property: Property, _ left: Int64) {
        light.server.assumeIsolated { [aid = light.aid, value = light.adapter.iid(of: property)] server in
            if let value { server.update(aid, [(value, .integer(left))], isQuiet: left > 0) }
        }
    }

    private func schedule(_ light: BridgedLight, at time: ContinuousClock.Instant) {
        light.runDueAt = min(light.runDueAt ?? time, time)
        wake(at: time)
    }

    /// Counts down the remaining durations, with an event only for 0, and closes the valves whose runs are over.
    func advanceRuns(of light: BridgedLight) {
        light.runDueAt = nil
        let now = scheduler.now
        for (id, run) in light.runs {
            let property = Property(.remainingDuration, of: id)
            let left = run.remaining(now)
            if light.state.values.set(.integer(left), for: property) {
                update(light, property, left)
                if let (property, left) = systemDuration(of: light) { update(light, property, left) }
            }
            guard left == 0 else {
                schedule(light, at: min(run.endsAt, now + .seconds(1)))
                continue
            }
            let isOpen = light.state.values[Property(.on, of: id)]?.bool == true
            guard isOpen || now < run.endsAt + Self.confirmationTime else {
                light.runs[id] = nil
                continue
            }
            schedule(light, at: now + Self.retryTime)
            guard isOpen else { continue }
            guard light.state.isReachable, !light.pipeline.isBusy else { continue }
            var command = LightCommand()
            command.values[Property(.on, of: id)] = .bool(false)
            let key = light.key
            logger.info("valve run ended", metadata: about(key))
            _ = send(command, to: light, origin: .device)
        }
    }
}
