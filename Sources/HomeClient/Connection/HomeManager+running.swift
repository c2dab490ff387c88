import BoundedJSON
import LineRPC
import Logging

extension HomeManager {
    /// Keeps the manager connected to the daemon, and reconnects after a lost connection, until the task is canceled.
    ///
    /// While it isn't running, no events arrive and calls fail with `daemonUnavailable`.
    ///
    /// - Throws: `operationInProgress` if it's already running or has run. A manager runs only once.
    public func run() async throws(HomeError) {
        guard !hasRun else {
            throw HomeError(.operationInProgress, detail: "this home manager is already running, or was run before")
        }
        hasRun = true
        await withDiscardingTaskGroup { group in
            group.addTask { await self.runTasks() }
            await keepConnected()
            group.cancelAll()
        }
        listeners.finish()
        observations.finish()
        search.finish()
        questions.finish()
        messageRecipients.finish()
        for setup in setups { await setup.cancel() }
        setups = []
        isOver = true
        changed()
    }

    private func keepConnected() async {
        var pause = timeouts.reconnect.first
        while !Task.isCancelled {
            do {
                try await LineRPCClient.connect(
                    to: socket, servers: location.servers, limits: Self.limits, logger: logger
                ) { peer in
                    await self.serve(peer)
                }
            } catch LineRPCError.unreachable(let path, let reason) {
                let remark = location.distrust.map { "; the socket in this directory isn't used: \($0)" } ?? ""
                failure = HomeError(LineRPCError.unreachable(path: path, reason: reason + remark))
            } catch {
                failure = HomeError(error)
            }
            // Some failures last until the app or the daemon is replaced, so retry rarely.
            pause = session == nil ? min(pause * 2, timeouts.reconnect.longest) : timeouts.reconnect.first
            if failure?.isFinal == true { pause = timeouts.reconnect.longest }
            notifyWaiters()
            try? await Task.sleep(for: pause * Double.random(in: 0.75...1.25))
        }
    }

    /// The limits of lines.
    ///
    /// The daemon bounds pending notifications; these limits leave room for them and for answers.
    static let limits = LineLimits(
        lineLength: 16 << 20, sentLineLength: 1 << 20, outbox: 32 << 20, notifications: 4096)

    private func serve(_ peer: LineRPCPeer) async {
        connectionNumber += 1
        self.peer = peer
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepSession(on: peer) }
            for await notification in peer.notifications { received(notification) }
            self.peer = nil
            isOpen = false
            // Calls must fail before the wait for the session's tasks, which also make calls.
            failCalls()
            group.cancelAll()
        }
        if failure == nil { failure = .unavailable("the connection to \(socket) was lost") }
        replica.becameStale()
        observations.reconciler.connectionLost()
        // If the app ends the manager, no discovered device was lost.
        if !Task.isCancelled { search.begin() }
        changed()
    }

    // MARK: The session

    private func keepSession(on peer: LineRPCPeer) async {
        do {
            try await call(.open(app.opening), on: peer, deadline: .seconds(10)) { json throws(HomeError) in
                try self.opened(with: try Self.understood { () throws(HomeError) in try SessionReply(json: json) })
            }
        } catch {
            failure = error
            logger.info("app refused", metadata: ["reason": "\(error)"])
            return peer.close()
        }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.resume() }
            await keepLoaded(on: peer)
        }
    }

    private func opened(with reply: SessionReply) throws(HomeError) {
        let before = session?.status
        session = reply
        isOpen = true
        failure = nil
        needsLoad = true
        loadFailure = nil
        if let before, before != reply.status { authorizationChanged(to: reply.status) }
        changed()
    }

    /// Requests the notifications that the app needs in each session: found devices, questions and messages.
    private func resume() async {
        if search.isWanted { await beginSearch() }
        if questions.isWanted { await answerQuestions() }
        if messageRecipients.isWanted { await receiveMessages() }
    }

    func authorizationChanged(to status: AuthorizationStatus) {
        session?.status = status
        if !status.contains(.authorized) {
            listeners.clear()
            replica.emptied()
            needsLoad = false
            loadFailure = notAuthorized
            observations.fail(notAuthorized)
            search.finish()
        }
        listeners.notify(.manager(.authorizationStatusUpdated(status)), in: replica.graph)
        changed()
    }

    // MARK: Notifications

    private func received(_ notification: LineRPCPeer.Notification) {
        if let answer = notification.answer { return answered(answer) }
        do {
            // Notifications of a newer daemon that this version doesn't know are ignored.
            guard let known = try HomeNotification(method: notification.method, params: notification.params) else {
                return
            }
            received(known)
        } catch {
            logger.debug("notification ignored", metadata: ["method": "\(notification.method)"])
            if notification.method == "transaction" { reload() }
        }
    }

    private func received(_ notification: HomeNotification) {
        switch notification {
        case .authorizationStatusUpdated(let status): authorizationChanged(to: status)
        case .homesUpdated:
            reload()
            if search.isWanted || questions.isWanted || messageRecipients.isWanted { tasks.add(.resume) }
        case .transaction(let transaction): received(transaction, isOwn: false)
        case .live(let event): received(event)
        case .cached(let event): cached(event)
        case .accessoryFound(let accessory): search.found(accessory)
        case .accessoryLost(let id): search.lost(id)
        case .addAccessoryRequest(let request):
            listeners.notify(.manager(.addAccessoryRequest(request)), in: replica.graph)
        case .additionFailed(let failure):
            listeners.notify(.manager(.additionFailed(failure)), in: replica.graph)
        case .permissionAsked(let permission): questions.received(.permission(permission))
        case .consentAsked(let question): questions.received(.consent(question))
        case .message(let message): messageRecipients.received(message)
        case .activityUpdated(let home):
            listeners.notify(.manager(.activityUpdated(home)), in: replica.graph)
        }
    }

    /// Notifies listeners of an update of the copy.
    func apply(_ update: Replica.Update) {
        if update.isGap { reload() }
        for event in update.events { listeners.notify(event, in: replica.graph) }
        listeners.finish(update.gone)
        if update.mayLackValues { observations.forget { replica.graph.characteristic($0) == nil } }
        if update.hasOtherHomes { observations.homesChanged(replica.graph) }
        if update.hasOtherHomes || !update.events.isEmpty { changed() }
    }

    /// Applies a change of a home.
    func received(_ transaction: HomeTransaction, isOwn: Bool) {
        apply(replica.received(transaction, isOwn: isOwn))
        guard replica.isCurrent else { return }
        let due = observations.reconciler.resolve(in: replica.graph)
        if !due.isEmpty { tasks.add(.reconcile(due)) }
    }

    private func received(_ event: LiveEvent) {
        if case .reachabilityUpdated(let id, true) = event { observationsAreBack(of: id) }
        apply(replica.received(event))
        // No listener is notified, but snapshots contain the change.
        if case .readFailed = event { changed() }
        if case .valueUpdated(let id, let value, let time) = event {
            observed(ObservedValue(value: value, time: time, origin: .reported), of: id)
        }
    }

    /// Handles an event that is meant only for the copy of the homes, because this app doesn't observe the value, or
    /// because the daemon hasn't started to report it yet.
    private func cached(_ event: LiveEvent) {
        if case .valueUpdated(let id, _, _) = event, observations.reconciler.isDesired(id),
            replica.graph.characteristic(id)?.type.isMomentary == false
        {
            return received(event)
        }
        apply(replica.cached(event))
        if case .actionSetExecutionUpdated = event { changed() }
    }

    /// Delivers a value to its readers in the app.
    func observed(_ value: ObservedValue, of id: Characteristic.ID) {
        let isOccurrence = replica.graph.characteristic(id)?.type.isMomentary ?? false
        if isOccurrence && value.origin != .reported { return }
        observations.received(value, of: id, isOccurrence: isOccurrence)
    }

    // MARK: Background tasks

    private func runTasks() async {
        await withDiscardingTaskGroup { group in
            for await task in tasks.tasks { group.addTask { await self.perform(task) } }
        }
    }

    private func perform(_ task: BackgroundTask) async {
        switch task {
        case .cancel(let call, let connection):
            giveUp(call, of: connection, because: HomeError(.operationCancelled))
        case .expire(let call, let connection):
            try? await Task.sleep(for: timeouts.cancelled)
            expire(call, of: connection)
        case .endIteration(let id, let number): await endIteration(number, of: id)
        case .endObservation(let number): await endObservation(number)
        case .endSearch(let number): stopSearch(number)
        case .stopBrowsing: await stopBrowsing()
        case .endQuestions(let number): questions.remove(number)
        case .endMessages(let number): messageRecipients.remove(number)
        case .reconcile(let ids): await reconcile(ids)
        case .resume: await resume()
        }
    }
}
