public import DeviceKit
internal import Synchronization

/// A host that records all calls, in order, and lets a test wait for a condition.
public final class RecordingLightHost: LightHost {
    /// A call from the driver.
    @nonexhaustive
    public enum Call: Equatable, Sendable {
        /// A light was added, or its description changed.
        case added(LightDescription)
        /// A light was removed.
        case removed(LightID)
        /// A report of a light's state.
        case report(LightID, LightReport)
        /// Momentary events of a light.
        case occurred(LightID, PropertyValues)
        /// A report of the driver's state.
        case state(DriverState)
        /// A warning about a subject; `nil` withdraws it.
        case warn(String?, String)
    }

    private struct Record {
        var calls: [Call] = []
        var states: [LightID: LightReport] = [:]
        var known: [LightID: LightReport]
        var waiters: [(id: Int, isMet: ([Call]) -> Bool, continuation: CheckedContinuation<Bool, Never>)] = []
        var nextWaiter = 0
        var dropped: [DropReason: Int] = [:]
    }

    private let record: Mutex<Record>

    /// Creates a host with known lights, as if their states had been stored before a restart.
    public init(known: [LightID: LightReport] = [:]) {
        record = Mutex(Record(known: known))
    }

    /// All calls so far.
    public var calls: [Call] { record.withLock { $0.calls } }

    /// Returns a light's state, merged from all its reports, or `nil` if it hasn't sent a report.
    public func state(of light: LightID) -> LightReport? { record.withLock { $0.states[light] } }

    /// The number of dropped messages and values, by reason.
    public var dropped: [DropReason: Int] { record.withLock { $0.dropped } }

    /// The newest warning about each subject.
    public var warnings: [String: String] {
        var warnings: [String: String] = [:]
        for case .warn(let text, let subject) in calls { warnings[subject] = text }
        return warnings
    }

    /// Waits until the recorded calls meet a condition, and returns whether they did so within the time limit.
    public func wait(limit: Duration = .seconds(60), until isMet: @escaping @Sendable ([Call]) -> Bool) async -> Bool {
        let id = record.withLock { record in
            record.nextWaiter += 1
            return record.nextWaiter
        }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await withCheckedContinuation { continuation in
                    let isMetNow = self.record.withLock { record in
                        if isMet(record.calls) { return true }
                        record.waiters.append((id, isMet, continuation))
                        return false
                    }
                    if isMetNow { continuation.resume(returning: true) }
                }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                let late = self.record.withLock { record in
                    let late = record.waiters.first { $0.id == id }
                    record.waiters.removeAll { $0.id == id }
                    return late
                }
                late?.continuation.resume(returning: false)
                return false
            }
            let met = await group.next() ?? false
            group.cancelAll()
            return met
        }
    }

    /// Waits until a light's state, merged from its reports, meets a condition, and returns whether it did so within
    /// the time limit.
    public func wait(
        for light: LightID, limit: Duration = .seconds(60), until isMet: @escaping @Sendable (LightReport) -> Bool
    ) async -> Bool {
        await wait(limit: limit) { calls in
            var state: LightReport?
            for case .report(light, let report) in calls {
                var sum = state ?? LightReport()
                sum.merge(report)
                state = sum
            }
            return state.map(isMet) ?? false
        }
    }

    private func note(_ call: Call) {
        let met = record.withLock { record in
            record.calls.append(call)
            if case .report(let light, let report) = call {
                record.states[light, default: LightReport()].merge(report)
            }
            let met = record.waiters.filter { $0.isMet(record.calls) }
            record.waiters.removeAll { waiter in met.contains { $0.id == waiter.id } }
            return met.map(\.continuation)
        }
        for continuation in met { continuation.resume(returning: true) }
    }

    // MARK: LightHost

    /// Records an added or changed light.
    public func added(_ light: LightDescription) async { note(.added(light)) }
    /// Records the removal of a light.
    public func removed(_ light: LightID) async { note(.removed(light)) }
    /// Records a report of a light's state.
    public func report(_ report: LightReport, from light: LightID) async { note(.report(light, report)) }
    /// Records several reports, each as a separate call.
    public func report(_ reports: [(light: LightID, report: LightReport)]) async {
        for (light, report) in reports { note(.report(light, report)) }
    }
    /// Records momentary events of a light.
    public func occurred(_ events: PropertyValues, on light: LightID) async { note(.occurred(light, events)) }
    /// Returns the state of a light that was passed to ``init(known:)``, or `nil`.
    public func lastKnown(_ light: LightID) async -> LightReport? { record.withLock { $0.known[light] } }
    /// Returns the ids of the lights that were passed to ``init(known:)``.
    public func knownLights() async -> [LightID] { record.withLock { Array($0.known.keys) } }
    /// Records the driver's state.
    public func report(_ state: DriverState) async { note(.state(state)) }
    /// Records a warning about a subject; `nil` withdraws it.
    public func warn(_ warning: String?, about subject: String) async { note(.warn(warning, subject)) }
    /// Adds to the number of messages and values dropped for a reason.
    public func dropped(_ count: Int, _ reason: DropReason) async {
        record.withLock { $0.dropped[reason, default: 0] += count }
    }
}
