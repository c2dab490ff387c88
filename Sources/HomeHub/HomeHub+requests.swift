import BoundedJSON
import HAPController
package import HomeModel

// What apps ask, and which part does it.
extension HomeHub {
    /// An app opens a session.
    ///
    /// - Parameters:
    ///   - opening: what the app says of itself.
    ///   - peer: what the system says of it.
    /// - Returns: the session, and what the app may do as of now.
    /// - Throws: as `Permissions.opened`; then there is no session.
    package func open(
        _ opening: SessionOpening, by peer: AppPeer
    ) throws(HomeError) -> (session: SessionID, reply: SessionReply) {
        try sessions.open(opening, by: peer, in: self)
    }

    /// A session is over; nothing of its calls that is not committed yet happens.
    package func close(_ session: SessionID) { sessions.close(session, in: self) }

    /// An app asks for something; the answer comes with ``nextDelivery(for:)``.
    ///
    /// - Parameters:
    ///   - request: anything but another `open`.
    ///   - call: what it waits on; numbers are used once in a session.
    package func receive(_ request: HomeRequest, as call: Call) { sessions.receive(request, as: call, in: self) }

    /// An app gives a call up: what is not committed yet is answered with 23, or with 47 while it waits for permission.
    ///
    /// What an accessory was asked to do counts as committed, whatever will come of it.
    package func cancel(_ call: Call) { sessions.cancel(call, in: self) }

    /// What a session is to be told next; waits until there is something.
    ///
    /// For one reader a session. Take the next only when the last has been handed to the system: what is not taken is
    /// bounded here.
    ///
    /// - Returns: `nil` once the session is over or the caller is cancelled.
    package func nextDelivery(for session: SessionID) async -> Delivery? {
        await sessions.nextDelivery(for: session, in: self)
    }

    /// A policy keeps other apps out than before; those that it keeps out now lose the homes at once.
    package func use(_ restrictions: AppRestrictions) { sessions.use(restrictions, in: self) }

    // MARK: Carrying out

    /// Does what was asked for and is permitted.
    func perform(_ request: HomeRequest, _ call: Call) {
        switch request {
        case .homes: answer(call, .success(HomesReply(homes: graph.homes).json))
        case .accessories(let page):
            answer(call) { () throws(HomeError) in try sessions.page(page, of: graph, for: call.session).json }
        case .write(let write): self.write(write, call)
        case .readValues(let ids): start { hub in await hub.accessoryCalls.read(ids, call, in: hub) }
        case .writeValues(let writes): start { hub in await hub.accessoryCalls.write(writes, call, in: hub) }
        case .setNotification(let ids, let isEnabled): setNotification(isEnabled, for: ids, call)
        case .identify(let id): accessoryCalls.identify(id, call, in: self)
        case .runActionSet(let id): accessoryCalls.run(id, call, in: self)
        case .startBrowsing: additions.startBrowsing(call, in: self)
        case .stopBrowsing:
            sessions.stopSearch(call.session)
            answer(call, .success([:]))
        case .addAccessory(let addition): additions.add(addition, call, in: self)
        case .setUpAccessory(let addition): additions.add(addition, call, isSetup: true, in: self)
        case .repairAccessory(let request): repairs.repair(request, call, in: self)
        case .declineAddition(let id):
            answer(call) { () throws(HomeError) in
                try vendorApps.declined(id, by: call.session, in: self)
                return [:]
            }
        case .open, .permissions, .setPermission, .answerQuestions, .answerConsent, .setVendor: break
        }
    }

    /// Whether a call is still to be answered; what is not awaited is not begun.
    func isAwaited(_ call: Call) -> Bool { sessions.isAwaited(call) }

    /// Answers a call, once.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - result: what came of it.
    ///   - isForAnyone: whether the result shows nothing that needs permission.
    func answer(_ call: Call, _ result: Result<JSONValue, HomeError>, isForAnyone: Bool = false) {
        sessions.answer(call, result, isForAnyone: isForAnyone, in: self)
    }

    func answer(_ call: Call, with error: HomeError) { answer(call, .failure(error)) }

    func answer(_ call: Call, _ body: () throws(HomeError) -> JSONValue) {
        do throws(HomeError) {
            answer(call, .success(try body()))
        } catch {
            answer(call, .failure(error))
        }
    }

    // MARK: Writes to the homes

    /// Changes the homes as an app asks.
    ///
    /// The answer to a removal waits until the accessories have been unpaired, or could not be: the homes are changed
    /// before. An app that is notified of another change of the home in between has a gap in its copy then, and loads it anew.
    private func write(_ write: HomeWrite, _ call: Call) {
        do throws(HomeError) {
            let place = try commitQueue.enter()
            start { hub in await hub.write(write, call, at: place) }
        } catch {
            answer(call, with: error)
        }
    }

    private func write(_ write: HomeWrite, _ call: Call, at place: CommitQueue.Place) async {
        var before = graph
        do throws(HomeError) {
            try await change(at: place, by: call) { (planned) throws(HomeError) in
                before = planned
                var generator = SystemRandomNumbers()
                let commit = try planned.perform(write, using: &generator)
                return (commit, commit.transaction)
            } applied: { commit in
                written(write, commit, from: before, call)
            }
        } catch {
            answer(call, with: error)
        }
    }

    /// A change is stored and applied: what follows from it, and the answer.
    private func written(_ write: HomeWrite, _ commit: HomeCommit, from before: HomeGraph, _ call: Call) {
        switch write {
        case .removeAccessory, .removeHome:
            let gone = before.homes.flatMap(\.accessories).filter { !$0.isBridged && graph.accessory($0.id) == nil }
            guard !gone.isEmpty else { break }
            start { hub in
                var reply = commit
                reply.stale = await hub.pairings.remove(gone, in: hub)
                hub.answer(call, .success(reply.json))
            }
            return
        case .unblockAccessory(_, let id):
            answer(call, .success(commit.json))
            if commit.transaction != nil, let device = graph.accessory(id)?.deviceID {
                links.reconnect(to: device, in: self)
            }
            return
        default: break
        }
        answer(call, .success(commit.json))
    }

    // MARK: Notifications

    /// A session wants to be notified of values from now on, or no more.
    ///
    /// Switching on waits for what the accessories say; while one is not connected the wish is kept for it.
    private func setNotification(_ isEnabled: Bool, for ids: [Characteristic.ID], _ call: Call) {
        let results = sessions.setNotification(isEnabled, for: ids, call.session, in: self)
        guard isEnabled else { return answer(call, .success(results.json)) }
        // Also what another session has just asked for may yet be refused.
        let devices = Set(
            results.filter { $0.error == nil }.compactMap { graph.accessory(of: $0.characteristic)?.deviceID })
        guard devices.contains(where: links.isReconciling) else { return answer(call, .success(results.json)) }
        start { hub in
            for device in devices { await hub.links.untilReconciled(device, in: hub) }
            hub.answer(call, .success(hub.links.withRefusals(results, in: hub).json))
        }
    }
}
