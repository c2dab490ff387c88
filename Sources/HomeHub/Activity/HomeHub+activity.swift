import AsyncKit
import BoundedJSON
import HAPController
import HomeModel
import Logging

import enum HAPModel.CharacteristicValue

/// The origin of changes in the activity.
struct ActivityOrigin: Sendable {
    let act: ActivityLog.Act
    var cause: ActivityCause
}

// The activity of the homes: each change with its cause.
extension HomeHub {
    // MARK: Causes

    /// Returns the origin of a call's changes.
    func activityOrigin(of call: Call) -> ActivityOrigin {
        ActivityOrigin(
            act: .call(call),
            cause: ActivityCause(
                app: permissions.app(of: call.session)?.identity.app, person: calls.person(of: call)))
    }

    /// Returns the origin of a writer's changes.
    func activityOrigin(of writer: ValueWriter) -> ActivityOrigin {
        switch writer {
        case .app(let call, let scene):
            var origin = activityOrigin(of: call)
            guard let scene else { return origin }
            origin.cause.actionSet = scene
            origin.cause.name = graph.home(of: scene)?.actionSet(scene)?.name
            return origin
        case .plan(let plan): return activityOrigin(of: plan.run)
        }
    }

    private func activityOrigin(of run: RunID) -> ActivityOrigin {
        // An app can run an automation by hand.
        let caller = runCalls[run]?.first.map { activityOrigin(of: $0).cause }
        let name = graph.home(of: run.trigger)?.trigger(run.trigger)?.name
        return ActivityOrigin(
            act: .run(run),
            cause: ActivityCause(app: caller?.app, person: caller?.person, trigger: run.trigger, name: name))
    }

    // MARK: Recording

    /// Begins an entry for a scene or an automation, which remains even if nothing changes.
    func beginActivity(of writer: ValueWriter) {
        let origin = activityOrigin(of: writer)
        guard let home = home(of: origin.cause) else { return }
        let time = Timestamp.now
        recordActivity(in: home) { log in log.begin(origin.act, because: origin.cause, in: home, at: time) }
    }

    /// Records a change without an accessory that a run has made.
    func recordActivity(_ change: ActivityChange, of writer: ValueWriter) {
        let origin = activityOrigin(of: writer)
        guard let home = home(of: origin.cause) else { return }
        add(change, from: origin, in: home, at: .now)
    }

    /// Returns the accessory that an event changes if the change may be part of the activity or the past values.
    func accessory(changedBy event: LiveEvent) -> Accessory? {
        switch event {
        case .valueUpdated(let id, _, _): graph.accessory(of: id)
        case .reachabilityUpdated(let id, _): graph.accessory(id)
        default: nil
        }
    }

    /// Records an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - accessory: The accessory before the event.
    ///   - origin: The origin; `nil` if the accessory caused the event.
    func recordActivity(_ event: LiveEvent, of accessory: Accessory, from origin: ActivityOrigin?) {
        let own = ActivityOrigin(act: .report(accessory.id), cause: ActivityCause())
        switch event {
        case .valueUpdated(let id, let value, let time):
            guard let service = accessory.services.first(where: { $0.characteristics.contains { $0.id == id } }),
                let characteristic = service.characteristics.first(where: { $0.id == id }),
                service.isActivity(characteristic, value)
            else { return }
            let old = characteristic.type.isMomentary ? nil : characteristic.value
            // The first value of a new accessory isn't a change.
            guard characteristic.type.isMomentary || old != nil && old != value else { return }
            add(
                .value(accessory: accessory.id, characteristic: id, old: old, new: value), from: origin ?? own,
                in: accessory.home, at: time, isGradual: characteristic.isGradual)
        case .reachabilityUpdated(let id, let isReachable):
            // When the hub starts and ends, accessories become reachable and unreachable without a problem.
            guard !isEnding, !accessory.isBridged || accessory.bridge.flatMap(graph.accessory)?.isReachable != false
            else { return }
            let isNews =
                isReachable ? shownAsUnreachable.remove(id) != nil : shownAsUnreachable.insert(id).inserted
            guard isNews else { return }
            add(
                .reachability(accessory: id, isReachable: isReachable), from: own, in: accessory.home,
                at: .now)
        default: break
        }
    }

    /// Records a change of a home.
    func recordActivity(_ transaction: HomeTransaction, from before: HomeGraph, by call: Call?) {
        guard let after = graph.home(transaction.home) else { return }
        let origin =
            call.map { activityOrigin(of: $0) }
            ?? ActivityOrigin(act: .change(transaction.home, revision: transaction.revision), cause: ActivityCause())
        let former = before.home(transaction.home)
        let time = Timestamp.now
        for change in transaction.changes {
            // The hub disables automations that run only once.
            if case .triggerUpdated = change.event, call == nil { continue }
            guard let change = change.event.activityChange(from: former, to: after) else { continue }
            add(change, from: origin, in: transaction.home, at: time)
        }
    }

    /// Records that an automation didn't run, unless its condition was false.
    func recordActivity(_ record: TriggerRecord) {
        switch record.result {
        case .missed, .skippedByClock, .clockNotSet, .chainTooDeep, .paused: break
        default: return
        }
        let origin = activityOrigin(of: RunID(trigger: record.trigger, number: record.run ?? 0))
        guard let home = home(of: origin.cause) else { return }
        add(
            .notRun(result: record.result),
            from: ActivityOrigin(act: .evaluation(record.id), cause: origin.cause), in: home, at: .now)
    }

    /// Records the writes that an accessory didn't accept.
    func recordFailures(
        _ requests: ValueRequests<AccessoryWrite>, of items: [ValueRequests<AccessoryWrite>.Item],
        from origin: ActivityOrigin
    ) {
        let time = Timestamp.now
        for item in items {
            let id = requests.results[item.index].characteristic
            guard let error = requests.results[item.index].error, let accessory = graph.accessory(of: id),
                let service = accessory.services.first(where: { $0.characteristics.contains { $0.id == id } }),
                let characteristic = service.characteristics.first(where: { $0.id == id }),
                service.isActivity(characteristic, item.part.value)
            else { continue }
            add(
                .failure(accessory: accessory.id, characteristic: id, value: item.part.value, code: error.code),
                from: origin,
                in: accessory.home, at: time)
        }
    }

    /// Records that a write has succeeded after failures.
    func recordSuccess(of characteristic: Characteristic.ID, from origin: ActivityOrigin?) {
        guard let origin, case .run = origin.act else { return }
        _ = history.recordActivity { $0.succeeded(characteristic, of: origin.act) }
    }

    private func add(
        _ change: ActivityChange, from origin: ActivityOrigin, in home: Home.ID, at time: Timestamp,
        isGradual: Bool = false
    ) {
        recordActivity(in: home) { log in
            log.add(change, of: origin.act, because: origin.cause, in: home, at: time, isGradual: isGradual)
        }
    }

    private func recordActivity(in home: Home.ID, _ record: (inout ActivityLog) -> Void) {
        let former = history.activityRevision
        if history.recordActivity(record) { deadlineChanged.send() }
        guard history.activityRevision != former, !activityReaders.isEmpty else { return }
        let readers = activityReaders.sorted()
        activityReaders = []
        notify(.activityUpdated(home), readers)
    }

    private func home(of cause: ActivityCause) -> Home.ID? {
        if let scene = cause.actionSet { return graph.home(of: scene)?.id }
        return cause.trigger.flatMap { graph.home(of: $0)?.id }
    }

    // MARK: Requests

    /// Answers with entries of the activity.
    func activity(_ request: ActivityRequest, _ call: Call) async {
        guard isAwaited(call) else { return }
        guard let home = graph.home(request.home) else { return answer(call, with: .homeNotFound) }
        let lower = request.since.map { ActivityEntry.ID.first(at: $0) } ?? ActivityEntry.ID(number: 0)
        var upper = request.before ?? ActivityEntry.ID(number: .max)
        if let until = request.until { upper = min(upper, .first(at: until.nextMillisecond)) }
        guard request.count > 0, lower <= upper else {
            return answer(
                call, with: HomeError(.invalidParameter, detail: "the period or the number of entries is empty"))
        }
        let query = ActivityQuery(
            home: home.id, accessories: home.accessories(of: request), ids: lower..<upper,
            count: min(request.count, ActivityRequest.maximumCount))
        activityReaders.insert(call.session)
        do {
            answer(call, .success(try await presentActivity(query).json))
        } catch {
            logger.error("history read failed", metadata: ["error": "\(error)"])
            answer(call, with: store.failure("the activity can't be read", after: error))
        }
    }

    /// Returns entries without changes of missing accessories: fewer than requested only at the end of the activity.
    private func presentActivity(_ query: ActivityQuery) async throws -> [ActivityEntry] {
        var entries: [ActivityEntry] = []
        var query = query
        while true {
            let next = try await history.activity(query)
            let present = Set(graph.home(query.home)?.accessories.map(\.id) ?? [])
            let isEnd = next.count < query.count
            let found = next.compactMap { $0.without(allExcept: present) }
            entries += found
            query.count -= found.count
            guard !isEnd, query.count > 0, let last = next.last else { return entries }
            query.ids = query.ids.lowerBound..<last.id
        }
    }

    /// Deletes the activity and the past values of an accessory or a home.
    func removeHistory(of id: Home.ID, accessory: Accessory.ID?, _ call: Call) async {
        guard isAwaited(call) else { return }
        guard let home = graph.home(id) else { return answer(call, with: .homeNotFound) }
        let removed = accessory.flatMap(home.accessory)
        guard accessory == nil || removed != nil else {
            return answer(call, with: HomeError(.notFound, detail: "this accessory doesn't exist"))
        }
        let origin = activityOrigin(of: call)
        do {
            try await history.remove(removed, of: home)
            add(.historyRemoved(name: removed?.name), from: origin, in: id, at: .now)
            answer(call, .success([:]))
        } catch {
            logger.error("history write failed", metadata: ["error": "\(error)"])
            answer(call, with: store.failure("the history wasn't deleted", after: error))
        }
    }
}

extension Home {
    /// Returns the accessories of a request; `nil` for all of them.
    fileprivate func accessories(of request: ActivityRequest) -> Set<Accessory.ID>? {
        guard request.rooms != nil || request.accessories != nil else { return nil }
        let rooms = request.rooms.map { Set($0) }
        let ids = request.accessories.map { Set($0) }
        return Set(
            accessories.filter { accessory in
                rooms?.contains(accessory.room) != false && ids?.contains(accessory.id) != false
            }.map(\.id))
    }
}

extension ActivityEntry {
    /// Returns the entry without the changes of missing accessories; `nil` if nothing remains.
    fileprivate func without(allExcept present: Set<Accessory.ID>) -> ActivityEntry? {
        guard !changes.isEmpty else { return self }
        var entry = self
        entry.changes.removeAll { $0.accessory.map { !present.contains($0) } ?? false }
        return entry.changes.isEmpty ? nil : entry
    }
}

extension Timestamp {
    fileprivate var nextMillisecond: Timestamp {
        Timestamp(millisecondsSince1970: millisecondsSince1970 == .max ? .max : millisecondsSince1970 + 1)
    }
}

extension HomeError {
    fileprivate static let homeNotFound = HomeError(.notFound, detail: "this home doesn't exist")
}
