import BoundedJSON
import HAPController
import HomeModel

// Performs requests of apps that have permission.
extension HomeHub {
    /// Performs a request whose app has permission.
    func perform(_ request: HomeRequest, _ call: Call) {
        switch request {
        case .homes: answer(call, .success(HomesReply(homes: graph.homes).json))
        case .accessories(let page):
            answer(call) { () throws(HomeError) in try self.page(page, for: call.session).json }
        case .write(.setLocation(let home, let location?)) where location.timeZone != nil:
            start { hub in await hub.setLocation(location, of: home, call) }
        case .write(let write): self.write(write, call)
        case .readValues(let ids): start { hub in await hub.readValues(ids, call) }
        case .history(let request): start { hub in await hub.history(request, call) }
        case .activity(let request): start { hub in await hub.activity(request, call) }
        case .removeHistory(let home, let accessory):
            start { hub in await hub.removeHistory(of: home, accessory: accessory, call) }
        case .writeValues(let writes): start { hub in await hub.writeValues(writes, call) }
        case .setNotification(let ids, let isEnabled): setNotification(isEnabled, for: ids, call)
        case .identify(let id): identify(id, call)
        case .runActionSet(let id): runActionSet(id, call)
        case .runTrigger(let id, let mode): runTrigger(id, mode, call)
        case .triggerStatuses(let home): start { hub in await hub.triggerStatuses(of: home, call) }
        case .triggerRecords(let home, nil): start { hub in await hub.triggerRecords(of: home, call) }
        case .triggerRecords(let home, let trigger?):
            start { hub in await hub.triggerRecords(of: trigger, in: home, call) }
        case .daylight(let home): daylight(of: home, call)
        case .receiveMessages: receiveMessages(call)
        case .startBrowsing: startBrowsing(call)
        case .stopBrowsing:
            searches.stop(call.session)
            answer(call, .success([:]))
        case .addAccessory(let addition): addAccessory(addition, call)
        case .setUpAccessory(let addition): addAccessory(addition, call, isSetup: true)
        case .repairAccessory(let request): repair(request, call)
        case .declineAddition(let id):
            answer(call) { () throws(HomeError) in
                try declined(id, by: call.session)
                return [:]
            }
        case .open, .permissions, .setPermission, .answerQuestions, .answerConsent, .setVendor: break
        }
    }

    // MARK: Writes to the homes

    /// Applies an app's change to the homes.
    ///
    /// A removal first changes the homes and then unpairs the accessories. It's answered after the attempts to unpair.
    /// If the app is notified of a later change before this answer, its copy of the home lacks the removal, and the app
    /// reloads the home.
    ///
    /// An automation that unlocks or opens something needs the user's consent, unless the system app adds it.
    func write(_ write: HomeWrite, _ call: Call, allowing openings: Set<CharacteristicWriteAction> = []) {
        do throws(HomeError) {
            let place = try commitQueue.enter()
            start { hub in await hub.write(write, call, at: place, allowing: openings) }
        } catch {
            answer(call, with: error)
        }
    }

    private enum PlannedWrite {
        case commit(HomeCommit)
        /// The user must allow this automation first.
        case consent(Opening)
    }

    private func write(
        _ write: HomeWrite, _ call: Call, at place: CommitQueue.Place, allowing allowed: Set<CharacteristicWriteAction>
    ) async {
        let isSystemApp = permissions.mayDecide(call.session)
        let creator = isSystemApp ? nil : permissions.app(of: call.session)?.identity
        var before = graph
        do throws(HomeError) {
            try await change(at: place, by: call) { (planned) throws(HomeError) in
                before = planned
                var generator = SystemRandomNumbers()
                var commit = try planned.perform(write, at: clock().time, using: &generator)
                commit.transaction?.setCreator(creator, by: write)
                if !isSystemApp || planned.hasOpeners, let opening = planned.newOpening(since: before, by: commit) {
                    // Another change may have added actions while the user was deciding.
                    guard isSystemApp || opening.actions.isSubset(of: allowed) else {
                        return (PlannedWrite.consent(opening), nil)
                    }
                    commit.transaction?.setOpener(creator, of: opening.triggers)
                }
                return (.commit(commit), commit.transaction)
            } applied: { plan in
                switch plan {
                case .commit(let commit): written(write, commit, from: before, call)
                case .consent(let opening): askConsent(to: write, adding: opening, call)
                }
            }
        } catch {
            answer(call, with: error)
        }
    }

    /// Completes a change that was stored and applied, and answers its call.
    ///
    /// For example, it unpairs removed accessories.
    private func written(_ write: HomeWrite, _ commit: HomeCommit, from before: HomeGraph, _ call: Call) {
        switch write {
        case .removeAccessory, .removeHome:
            start { hub in await hub.saveHistory() }
            let gone = before.homes.flatMap(\.accessories).filter { !$0.isBridged && graph.accessory($0.id) == nil }
            guard !gone.isEmpty else { break }
            start { hub in
                var reply = commit
                reply.stale = await hub.removePairings(of: gone)
                hub.answer(call, .success(reply.json))
            }
            return
        case .unblockAccessory(_, let id):
            answer(call, .success(commit.json))
            if commit.transaction != nil, let device = graph.accessory(id)?.deviceID {
                reconnect(to: device)
            }
            return
        default: break
        }
        answer(call, .success(commit.json))
    }
}

extension HomeTransaction {
    /// Records the app that has added an automation or changed its definition.
    fileprivate mutating func setCreator(_ app: AppIdentity?, by write: HomeWrite) {
        for index in changes.indices {
            switch (write, changes[index].event) {
            case (.addTrigger, .triggerAdded(var trigger)):
                trigger.creator = app
                changes[index].event = .triggerAdded(trigger)
            case (.updateTrigger(let id, _), .triggerUpdated(var trigger)) where trigger.id == id:
                trigger.creator = app
                changes[index].event = .triggerUpdated(trigger)
            default: break
            }
        }
    }
}

extension HomeTransaction {
    /// Records the app that has let automations unlock or open something.
    ///
    /// The system app is `nil`. It replaces all recorded apps.
    fileprivate mutating func setOpener(_ app: AppIdentity?, of triggers: [Trigger]) {
        for var trigger in triggers {
            let index = changes.firstIndex { $0.event.trigger?.id == trigger.id }
            if let index, let changed = changes[index].event.trigger { trigger = changed }
            let former = trigger.openers
            trigger.openers = app.map { app in former.filter { $0 != app } + [app] } ?? []
            guard trigger.openers != former else { continue }
            if let index, case .triggerAdded = changes[index].event {
                changes[index].event = .triggerAdded(trigger)
            } else if let index {
                changes[index].event = .triggerUpdated(trigger)
            } else {
                changes.append(HomeChange(.triggerUpdated(trigger), reachesInitiator: true))
            }
        }
    }
}

extension HomeEvent {
    /// The added or changed automation.
    fileprivate var trigger: Trigger? {
        switch self {
        case .triggerAdded(let trigger), .triggerUpdated(let trigger): trigger
        default: nil
        }
    }
}

extension HomeGraph {
    /// A Boolean value that indicates whether apps have let automations unlock or open something.
    fileprivate var hasOpeners: Bool { homes.contains { $0.triggers.contains { !$0.openers.isEmpty } } }

    /// Returns the automations that a change added or changed, and that unlock or open something; `nil` if there are
    /// none.
    fileprivate func newOpening(since former: HomeGraph, by commit: HomeCommit) -> Opening? {
        guard let id = commit.transaction?.home, let home = home(id) else { return nil }
        let triggers = home.triggersThatOpen(changedSince: former.home(id))
        guard !triggers.isEmpty else { return nil }
        return Opening(
            triggers: triggers, name: triggers.map(\.name).joined(separator: ", "),
            actions: Set(triggers.flatMap { home.openings(of: $0) }))
    }
}

/// The new or changed automations that unlock or open something.
struct Opening: Sendable, Equatable {
    /// The automations after the change.
    var triggers: [Trigger]
    /// The names of the automations.
    var name: String
    /// The actions that need the user's consent.
    var actions: Set<CharacteristicWriteAction>
}
