import AsyncKit
import BoundedJSON
import HAPProtocol
import HomeModel
import Logging

/// The sessions of apps: who is connected, what each may do, its calls, what it is told, and what it searches for.
///
/// Four machines decide: ``Permissions``, ``CallTable``, ``ChangeFeed`` and ``Searches``. This part is the only one that
/// gives them input, and carries out what they say.
final class AppSessions {
    private struct Session {
        let app: String
        let capabilities: Set<HomeCapability>
        /// Whose accessories the app is responsible for.
        let vendor: String?
        /// Wakes the session's reader.
        let signal = AsyncSignal()

        init(_ opening: SessionOpening) {
            app = opening.app
            capabilities = opening.capabilities
            // What no accessory can advertise is no maker.
            let vendor = opening.capabilities.contains(.vendor) ? opening.vendor : nil
            self.vendor = vendor.flatMap { OwnershipRequirement.isVendor($0) ? $0 : nil }
        }
    }

    private let store: any HomeStore
    private let permissionTimeout: Duration
    private let logger: Logger
    private var sessions: [SessionID: Session] = [:]
    private var lastSession: UInt64 = 0
    private var permissions: Permissions
    private var consents: Consents
    private var calls = CallTable()
    private var feed: ChangeFeed
    private var searches = Searches()
    /// The decisions about apps that wait for the store.
    private let decisionQueue = CommitQueue(limit: HomeHub.changesThatWait)
    /// The last decision about each app for which one waits.
    private var decisions: [AppIdentity: UInt64] = [:]
    /// The last decision about each maker's app for which one waits.
    private var claimDecisions: [VendorClaimID: UInt64] = [:]
    private var lastDecision: UInt64 = 0

    init(
        _ configuration: HomeHub.Configuration, stored: StoredHomes, store: any HomeStore, logger: Logger
    ) {
        self.store = store
        self.logger = logger
        permissionTimeout = configuration.permissionTimeout
        permissions = Permissions(
            systemApp: configuration.systemApp, restrictions: configuration.restrictions,
            remembered: stored.permissions)
        consents = Consents(remembered: stored.claims)
        feed = ChangeFeed(limit: configuration.feedLimit)
    }

    // MARK: Sessions

    var count: Int { sessions.count }

    /// As `HomeHub.open`.
    func open(
        _ opening: SessionOpening, by peer: AppPeer, in hub: isolated HomeHub
    ) throws(HomeError) -> (session: SessionID, reply: SessionReply) {
        let id = SessionID(lastSession + 1)
        let reply = try permissions.opened(id, opening, by: peer)
        lastSession += 1
        sessions[id] = Session(opening)
        feed.opened(id, status: reply.status)
        if reply.status.contains(.authorized) { hub.vendorApps.sessionPermitted(id, in: hub) }
        return (id, reply)
    }

    /// As `HomeHub.close`.
    func close(_ id: SessionID, in hub: isolated HomeHub) {
        guard let closed = sessions.removeValue(forKey: id) else { return }
        permissions.closed(id)
        calls.closed(id)
        searches.stop(id)
        perform(feed.closed(id), in: hub)
        hub.vendorApps.sessionLost(id, in: hub)
        closed.signal.send()
    }

    /// As `HomeHub.nextDelivery`.
    func nextDelivery(for id: SessionID, in hub: isolated HomeHub) async -> Delivery? {
        while let session = sessions[id] {
            if let delivery = feed.next(for: id) {
                if delivery == .notification(.homesUpdated) { hub.vendorApps.repeatRequests(to: id, in: hub) }
                return delivery
            }
            // A reader that is cancelled gets what is there, and waits no more.
            guard !Task.isCancelled else { return nil }
            await session.signal.wait()
        }
        return nil
    }

    /// What the app of a session is called; `nil` if there is no such session.
    func app(of id: SessionID) -> String? { sessions[id]?.app }

    /// The maker whose app a session is; `nil` for other apps.
    func vendor(of id: SessionID) -> String? { sessions[id]?.vendor }

    /// The sessions of a maker's app that may be asked, the newest first: it is likely the one that is looked at.
    func sessions(ofVendor vendor: String) -> [SessionID] {
        sessions.keys.filter { mayAnswer($0, for: vendor) }.sorted(by: >)
    }

    /// Whether the user lets a session's app answer for a maker.
    func mayAnswer(_ session: SessionID, for vendor: String) -> Bool {
        feed.isAuthorized(session) && claim(of: session, to: vendor).flatMap(consents.isAllowed) == true
    }

    /// Has the user asked about the apps that want to answer for a maker and about which nothing is decided.
    func askForVendor(_ vendor: String, in hub: isolated HomeHub) {
        for session in sessions.keys.sorted() where feed.isAuthorized(session) {
            guard let claim = claim(of: session, to: vendor), let app = permissions.app(of: session),
                let question = consents.vendorWanted(claim, app.usageDescription)
            else { continue }
            perform(feed.notify(.consentAsked(question), permissions.answering), in: hub)
        }
    }

    /// What a session's app wants to answer for; `nil` if it does not say that it is this maker's.
    private func claim(of session: SessionID, to vendor: String) -> VendorClaimID? {
        guard sessions[session]?.vendor == vendor, let app = permissions.app(of: session) else { return nil }
        return VendorClaimID(app: app.identity, vendor: vendor)
    }

    func has(_ capability: HomeCapability, _ id: SessionID) -> Bool {
        sessions[id]?.capabilities.contains(capability) == true
    }

    /// What an app may do.
    func status(of id: SessionID) -> AuthorizationStatus { permissions.status(of: id) }

    // MARK: Calls

    /// As `HomeHub.receive`.
    func receive(_ request: HomeRequest, as call: Call, in hub: isolated HomeHub) {
        guard sessions[call.session] != nil else { return }
        switch calls.received(call) {
        case .accepted: break
        case .hubEnded: return perform([.fail(call, .hubEnds)], in: hub)
        case .numberInUse:
            logger.warning("call number reused", metadata: ["session": "\(call.session.number)"])
            return
        }
        switch request {
        case .open: hub.answer(call, with: HomeError(.invalidParameter, detail: "the session is open already"))
        case .permissions:
            hub.answer(call) { () throws(HomeError) in try listing(for: call.session).json }
        case .setPermission(let app, let decision): decide(decision, about: app, call, in: hub)
        case .answerQuestions:
            do throws(HomeError) {
                let questions = try permissions.answersQuestions(call.session)
                hub.answer(call, .success([:]))
                perform(questions, in: hub)
                consents.keep(where: calls.isAwaitingPermission)
                for question in consents.pending {
                    perform(feed.notify(.consentAsked(question), [call.session]), in: hub)
                }
            } catch {
                hub.answer(call, with: error)
            }
        case .answerConsent(let id, let isAllowed): answerConsent(id, isAllowed: isAllowed, call, in: hub)
        case .setVendor(let app, let vendor, let decision):
            decide(decision, about: VendorClaimID(app: app, vendor: vendor), call, in: hub)
        case .setUpAccessory(let addition) where permissions.status(of: call.session).isEmpty:
            askConsent(to: addition, call, in: hub)
        default:
            askPermission(for: request, call, in: hub)
        }
    }

    /// Carries out what needs permission once its app has it.
    private func askPermission(for request: HomeRequest, _ call: Call, in hub: isolated HomeHub) {
        let (admission, questions) = permissions.requested(by: call.session)
        perform(questions, in: hub)
        switch admission {
        case .permitted:
            calls.started(call)
            hub.perform(request, call)
        case .undecided:
            let now = ContinuousClock.now
            let deadline = now.advanced(by: permissionTimeout)
            perform(calls.awaitsPermission(call, for: request, until: deadline, now: now), in: hub)
            hub.deadlineAdded()
        case .refused(let error): hub.answer(call, with: error)
        }
    }

    /// Asks the user whether an app about which nothing is decided may add this accessory.
    private func askConsent(to addition: AdditionRequest, _ call: Call, in hub: isolated HomeHub) {
        guard let app = permissions.app(of: call.session) else { return }
        consents.keep(where: calls.isAwaitingPermission)
        do throws(HomeError) {
            let question = try consents.additionWanted(
                of: hub.additions.name(of: addition, in: hub), by: app.identity, app.usageDescription, for: call)
            let now = ContinuousClock.now
            let deadline = now.advanced(by: permissionTimeout)
            perform(calls.awaitsPermission(call, for: .setUpAccessory(addition), until: deadline, now: now), in: hub)
            hub.deadlineAdded()
            perform(feed.notify(.consentAsked(question), permissions.answering), in: hub)
        } catch {
            hub.answer(call, with: error)
        }
    }

    /// As `HomeHub.cancel`.
    func cancel(_ call: Call, in hub: isolated HomeHub) { perform(calls.cancelled(call), in: hub) }

    /// As `CallTable.isAwaited`.
    func isAwaited(_ call: Call) -> Bool { calls.isAwaited(call) }

    /// As `CallTable.isEffective`.
    func isEffective(_ call: Call) -> Bool { calls.isEffective(call) }

    /// As `CallTable.takesEffect`.
    func takesEffect(_ call: Call) -> Bool { calls.takesEffect(call) }

    /// As `HomeHub.answer`.
    func answer(
        _ call: Call, _ result: Result<JSONValue, HomeError>, isForAnyone: Bool, in hub: isolated HomeHub
    ) {
        guard calls.answered(call) else { return }
        perform(feed.answered(call, with: result, isForAnyone: isForAnyone), in: hub)
    }

    /// The hub ends: nothing is carried out any more.
    func hubEnded(in hub: isolated HomeHub) { perform(calls.hubEnded(), in: hub) }

    var nextDeadline: ContinuousClock.Instant? { calls.nextDeadline }

    func deadlinesPassed(now: ContinuousClock.Instant, in hub: isolated HomeHub) {
        perform(calls.deadlinesPassed(now: now), in: hub)
    }

    private func perform(_ actions: [CallTable.Action], in hub: isolated HomeHub) {
        for action in actions {
            switch action {
            case .perform(let call, let request): hub.perform(request, call)
            case .fail(let call, let error): perform(feed.answered(call, with: .failure(error)), in: hub)
            }
        }
    }

    // MARK: Permission

    /// As `HomeHub.use`.
    func use(_ restrictions: AppRestrictions, in hub: isolated HomeHub) {
        perform(permissions.restrictionsChanged(to: restrictions), in: hub)
    }

    /// The user decides about an app.
    ///
    /// A yes counts once it is stored, so that nothing follows from one that a restart would forget. A no counts at once,
    /// however long the disk takes.
    private func decide(
        _ decision: PermissionDecision, about app: AppIdentity, _ call: Call, in hub: isolated HomeHub
    ) {
        do throws(HomeError) {
            var decided = permissions
            let actions = try decided.decided(decision, about: app, by: call.session)
            let isNew = actions.contains {
                switch $0 {
                case .remember, .forget: true
                case .ask, .refuse, .tell, .permit: false
                }
            }
            let isAwaited = decision == .allow && isNew
            if !isAwaited {
                permissions = decided
                if decision == .forget { consents.forgotten(app) }
                perform(actions, in: hub)
            }
            // What is being stored about the app is not what was decided last.
            guard isNew || decisions[app] != nil else { return hub.answer(call, .success([:])) }
            let answer = decided.answer(about: app)
            let place = try decisionQueue.enter()
            lastDecision += 1
            decisions[app] = lastDecision
            _ = calls.takesEffect(call)
            hub.start { [lastDecision] hub in
                await hub.sessions.store(answer, about: app, as: lastDecision, call, at: place, in: hub)
            }
        } catch {
            hub.answer(call, with: error)
        }
    }

    /// Every app, and what each claims.
    private func listing(for session: SessionID) throws(HomeError) -> [AppPermission] {
        var listing = try permissions.permissions(for: session)
        for index in listing.indices { listing[index].vendors = consents.claims(of: listing[index].app) }
        return listing
    }

    /// The user has answered a question.
    private func answerConsent(
        _ id: ConsentQuestion.ID, isAllowed: Bool, _ call: Call, in hub: isolated HomeHub
    ) {
        do throws(HomeError) {
            try permissions.checkMayDecide(call.session)
            consents.keep(where: calls.isAwaitingPermission)
            if let claim = consents.claim(askedBy: id) {
                return decide(isAllowed ? .allow : .deny, about: claim, call, in: hub)
            }
            let addition = try consents.answered(id)
            hub.answer(call, .success([:]))
            if !isAllowed {
                perform(calls.refused(addition), in: hub)
            } else if case .setUpAccessory(let request)? = calls.permitted(addition) {
                hub.additions.setUpUnseen(request, addition, in: hub)
            }
        } catch {
            hub.answer(call, with: error)
        }
    }

    /// The user decides about a maker's app, as about an app.
    private func decide(
        _ decision: PermissionDecision, about claim: VendorClaimID, _ call: Call, in hub: isolated HomeHub
    ) {
        do throws(HomeError) {
            try permissions.checkMayDecide(call.session)
            guard
                consents.isKnown(claim)
                    || sessions.keys.contains(where: { self.claim(of: $0, to: claim.vendor) == claim })
            else { throw HomeError(.notFound, detail: "no such app has said that it is this maker's") }
            let place = try decisionQueue.enter()
            lastDecision += 1
            claimDecisions[claim] = lastDecision
            if decision != .allow { decided(decision, about: claim, in: hub) }
            _ = calls.takesEffect(call)
            hub.start { [lastDecision] hub in
                await hub.sessions.store(decision, about: claim, as: lastDecision, call, at: place, in: hub)
            }
        } catch {
            hub.answer(call, with: error)
        }
    }

    /// Stores what was decided about a maker's app.
    private func store(
        _ decision: PermissionDecision, about claim: VendorClaimID, as number: UInt64, _ call: Call,
        at place: CommitQueue.Place, in hub: isolated HomeHub
    ) async {
        defer { if claimDecisions[claim] == number { claimDecisions[claim] = nil } }
        do throws(HomeError) {
            try await decisionQueue.wait(at: place, until: nil)
            defer { decisionQueue.leave(place) }
            try await stored(decision, about: claim)
        } catch {
            return hub.answer(call, with: error)
        }
        if decision == .allow, claimDecisions[claim] == number { decided(.allow, about: claim, in: hub) }
        hub.answer(call, .success([:]))
    }

    private func stored(_ decision: PermissionDecision, about claim: VendorClaimID) async throws(HomeError) {
        do {
            if decision == .forget {
                try await store.forget(claim)
            } else {
                try await store.remember(RememberedClaim(claim, isAllowed: decision == .allow))
            }
        } catch {
            logger.error("home database write failed", metadata: ["error": "\(error)"])
            throw store.failure(outcome(decision == .allow), after: error)
        }
    }

    /// The result of a decision that can't be stored, in words: only a refusal holds.
    private func outcome(_ isAllowed: Bool) -> String {
        isAllowed ? "nothing was changed" : "the decision holds only until homehubd restarts"
    }

    /// What was decided about a maker's app counts from now on.
    private func decided(_ decision: PermissionDecision, about claim: VendorClaimID, in hub: isolated HomeHub) {
        consents.decided(decision, about: claim)
        for session in sessions.keys.sorted() where self.claim(of: session, to: claim.vendor) == claim {
            if decision == .allow, feed.isAuthorized(session) {
                hub.vendorApps.sessionPermitted(session, in: hub)
            } else {
                hub.vendorApps.sessionLost(session, in: hub)
            }
        }
    }

    /// Stores what was decided about an app; a yes counts from then on, unless the user has decided otherwise meanwhile.
    private func store(
        _ answer: RememberedPermission?, about app: AppIdentity, as number: UInt64, _ call: Call,
        at place: CommitQueue.Place, in hub: isolated HomeHub
    ) async {
        defer { if decisions[app] == number { decisions[app] = nil } }
        do throws(HomeError) {
            try await decisionQueue.wait(at: place, until: nil)
            defer { decisionQueue.leave(place) }
            try await stored(answer, about: app)
        } catch {
            return hub.answer(call, with: error)
        }
        if let answer, answer.isAllowed, decisions[app] == number {
            perform(permissions.decided(.allow, about: app, for: answer.usageDescription), in: hub)
        }
        hub.answer(call, .success([:]))
    }

    private func stored(_ answer: RememberedPermission?, about app: AppIdentity) async throws(HomeError) {
        do {
            if let answer { try await store.remember(answer) } else { try await store.forget(app) }
        } catch {
            logger.error("home database write failed", metadata: ["error": "\(error)"])
            throw store.failure(outcome(answer?.isAllowed == true), after: error)
        }
    }

    /// Carries out what was decided about permission, in order; what is to be remembered is stored elsewhere.
    private func perform(_ actions: [Permissions.Action], in hub: isolated HomeHub) {
        for action in actions {
            switch action {
            case .remember, .forget: break
            case .ask(let permission, let those): perform(feed.notify(.permissionAsked(permission), those), in: hub)
            case .refuse(let those): perform(calls.refused(those), in: hub)
            case .permit(let those): perform(calls.permitted(those), in: hub)
            case .tell(let those, let status):
                perform(feed.authorizationChanged(of: those, to: status), in: hub)
                for session in those {
                    if status.contains(.authorized) {
                        hub.vendorApps.sessionPermitted(session, in: hub)
                    } else {
                        searches.stop(session)
                        hub.vendorApps.sessionLost(session, in: hub)
                    }
                }
            }
        }
    }

    // MARK: What sessions are told

    /// A transaction is stored and applied.
    ///
    /// - Parameters:
    ///   - transaction: what changed.
    ///   - call: whose it is; its session learns of it by the answer. One that was refused meanwhile has its answer already,
    ///     and its session learns of it as all others.
    ///   - hub: the hub.
    func committed(_ transaction: HomeTransaction, by call: Call?, in hub: isolated HomeHub) {
        let awaited = call.flatMap { calls.isAwaited($0) ? $0 : nil }
        if let awaited { calls.committed(awaited) }
        perform(feed.committed(transaction, by: awaited?.session), in: hub)
    }

    /// An accessory has reported something that is new.
    func notify(_ event: LiveEvent, writer: SessionID?, in hub: isolated HomeHub) {
        perform(feed.received(event, writer: writer), in: hub)
    }

    /// Tells some sessions what concerns only them.
    func notify(_ notification: HomeNotification, _ those: [SessionID], in hub: isolated HomeHub) {
        perform(feed.notify(notification, those), in: hub)
    }

    /// Tells a session what it may know without permission.
    func notifyAnyone(_ notification: HomeNotification, _ session: SessionID, in hub: isolated HomeHub) {
        perform(feed.notifyAnyone(notification, session), in: hub)
    }

    private func perform(_ actions: [ChangeFeed.Action], in hub: isolated HomeHub) {
        for action in actions {
            switch action {
            case .deliver(let session): sessions[session]?.signal.send()
            case .subscribe(let ids), .unsubscribe(let ids): hub.links.demandChanged(of: ids, in: hub)
            }
        }
    }

    // MARK: What sessions observe

    /// A page as a session sees it: with what it observes itself.
    func page(
        _ request: AccessoryPageRequest, of graph: HomeGraph, for session: SessionID
    ) throws(HomeError) -> AccessoryPage {
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

    /// A session wants to be notified of values from now on, or no more; what comes of it at the accessories is not known yet.
    func setNotification(
        _ isEnabled: Bool, for ids: [Characteristic.ID], _ session: SessionID, in hub: isolated HomeHub
    ) -> [ValueResult] {
        let (results, actions) = feed.setNotification(isEnabled, for: ids, by: session, in: hub.graph)
        perform(actions, in: hub)
        return results
    }

    /// What accessories are to report now.
    var observed: Set<Characteristic.ID> { feed.subscriptions }

    /// Accessories will not report these values.
    func refused(_ ids: [Characteristic.ID]) { feed.refused(ids) }

    // MARK: Searches

    /// A session begins to search; what is there already it is told behind the answer.
    func startSearch(_ session: SessionID, among accessories: [DiscoveredAccessory], in hub: isolated HomeHub) {
        guard feed.isAuthorized(session) else { return }
        addable(accessories, in: hub)
        perform(searches.start(session), in: hub)
    }

    /// A session does not search any more.
    func stopSearch(_ session: SessionID) { searches.stop(session) }

    /// These accessories could be added now, and no others.
    func addable(_ accessories: [DiscoveredAccessory], in hub: isolated HomeHub) {
        perform(searches.see(accessories), in: hub)
    }

    /// What sessions search for, for a look from outside.
    var currentSearches: Searches { searches }

    private func perform(_ events: [Searches.Event], in hub: isolated HomeHub) {
        for event in events { notify(event.notification, [event.session], in: hub) }
    }
}
