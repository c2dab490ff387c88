import AsyncKit
import BoundedJSON
import HAPController
package import HomeModel

// Sessions of apps: their notifications, observations and searches.
extension HomeHub {
    /// Opens a session for an app; returns it with the app's current authorization.
    ///
    /// - Throws: The errors of `Permissions.opened`. No session is opened in that case.
    package func open(
        _ opening: SessionOpening, by peer: AppPeer
    ) throws(HomeError) -> (session: SessionID, reply: SessionReply) {
        let id = SessionID(lastSession + 1)
        let reply = try permissions.opened(id, opening, by: peer)
        lastSession += 1
        sessions[id] = AppSession(opening)
        feed.opened(id, status: reply.status)
        if reply.status.contains(.authorized) { vendorSessionAuthorized(id) }
        return (id, reply)
    }

    /// Closes a session and drops its uncommitted calls.
    package func close(_ id: SessionID) {
        guard let closed = sessions.removeValue(forKey: id) else { return }
        permissions.closed(id)
        calls.closed(id)
        searches.stop(id)
        messageSessions.remove(id)
        activityReaders.remove(id)
        perform(feed.closed(id))
        vendorSessionLost(id)
        closed.signal.send()
    }

    /// Waits for the next delivery to a session.
    ///
    /// Each session has one reader. The reader takes a delivery only after it has passed the previous one to the
    /// system, so that the number of waiting deliveries is bounded.
    ///
    /// - Returns: `nil` if the session is closed or the caller is canceled.
    package func nextDelivery(for id: SessionID) async -> Delivery? {
        while let session = sessions[id] {
            if let delivery = feed.next(for: id) {
                // The app may have missed the requests to its vendor.
                if delivery == .notification(.homesUpdated) { repeatVendorRequests(to: id) }
                return delivery
            }
            // A canceled reader gets pending deliveries, but doesn't wait for more.
            guard !Task.isCancelled else { return nil }
            await session.signal.wait()
        }
        return nil
    }

    func has(_ capability: HomeCapability, _ id: SessionID) -> Bool {
        sessions[id]?.capabilities.contains(capability) == true
    }

    // MARK: Notifications

    /// Notifies apps of a transaction that was stored and applied.
    ///
    /// The session whose call requested the transaction receives it in the answer, unless the call was denied in the
    /// meantime.
    func committed(_ transaction: HomeTransaction, by call: Call?) {
        let awaited = call.flatMap { calls.isAwaited($0) ? $0 : nil }
        if let awaited { calls.committed(awaited) }
        perform(feed.committed(transaction, by: awaited?.session))
    }

    /// Sends a notification that concerns only the given sessions.
    func notify(_ notification: HomeNotification, _ those: [SessionID]) { perform(feed.notify(notification, those)) }

    func perform(_ actions: [ChangeFeed.Action]) {
        for action in actions {
            switch action {
            case .deliver(let session): sessions[session]?.signal.send()
            case .subscribe(let ids), .unsubscribe(let ids): demandChanged(of: ids)
            }
        }
    }

    // MARK: Observations

    /// Returns a page of accessories, in which notifications are enabled for the values that the session observes.
    func page(_ request: AccessoryBatchRequest, for session: SessionID) throws(HomeError) -> AccessoryBatch {
        var page = try graph.page(request)
        let observed = feed.observed(by: session)
        guard !observed.isEmpty else { return page }
        for accessory in page.accessories.indices {
            for service in page.accessories[accessory].services.indices {
                for index in page.accessories[accessory].services[service].characteristics.indices {
                    let id = page.accessories[accessory].services[service].characteristics[index].id
                    page.accessories[accessory].services[service].characteristics[index].isNotificationEnabled =
                        observed.contains(id)
                }
            }
        }
        return page
    }

    /// Starts or stops a session's observation of values.
    ///
    /// The hub answers the call after the connected accessories have answered. It subscribes to other accessories when
    /// they are connected again, and the answer doesn't wait for that.
    func setNotification(_ isEnabled: Bool, for ids: [Characteristic.ID], _ call: Call) {
        let (results, actions) = feed.setNotification(isEnabled, for: ids, by: call.session, in: graph)
        perform(actions)
        guard isEnabled else { return answer(call, .success(results.json)) }
        // Subscriptions that other sessions requested may be rejected, too.
        let devices = Set(
            results.filter { $0.error == nil }.compactMap { graph.accessory(of: $0.characteristic)?.deviceID })
        guard devices.contains(where: { connections[$0]?.subscriptions.isRunning == true }) else {
            return answer(call, .success(results.json))
        }
        start { hub in
            for device in devices {
                if let ended = hub.connections[device]?.subscriptions.untilEnded() { await ended.wait() }
            }
            hub.answer(call, .success(hub.withRefusals(results).json))
        }
    }

    // MARK: Searches

    /// Starts a session's search.
    ///
    /// After the answer, the session is notified of the accessories that are already visible.
    ///
    /// If discovery has failed, no search starts, but searches in progress continue.
    func startBrowsing(_ call: Call) {
        if let error = browser.snapshot.discoveryError {
            return answer(call, with: HomeError(.accessoryDiscoveryFailed, detail: error))
        }
        // An accessory may have returned without an announcement.
        browser.refresh()
        answer(call, .success([:]))
        guard feed.isAuthorized(call.session) else { return }
        updateSearches()
        perform(searches.start(call.session))
    }

    /// Notifies searching sessions of changed records or pairings.
    func updateSearches() { perform(searches.see(addable)) }

    private func perform(_ events: [Searches.Event]) {
        for event in events { notify(event.notification, [event.session]) }
    }
}
