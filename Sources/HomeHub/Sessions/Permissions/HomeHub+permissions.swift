import BoundedJSON
import HomeModel
import Logging

// The user's decisions about apps. `Permissions` and `Consents` hold the rules.
extension HomeHub {
    /// Replaces the policy.
    ///
    /// Newly denied apps lose access to the homes immediately.
    package func use(_ restrictions: AppRestrictions) { perform(permissions.restrictionsChanged(to: restrictions)) }

    /// Replaces the installed apps.
    ///
    /// Newly installed apps that wait for permission get it immediately.
    package func use(_ installed: Set<InstalledApp>) { perform(permissions.installedAppsChanged(to: installed)) }

    /// Returns all apps with their claims and automations.
    func listing(for session: SessionID) throws(HomeError) -> [AppPermission] {
        let automations = automationsByApp
        var listing = try permissions.permissions(for: session, creators: Set(automations.keys))
        for index in listing.indices {
            listing[index].vendors = consents.claims(of: listing[index].app)
            listing[index].automations = automations[listing[index].app]
        }
        return listing
    }

    /// The automations of apps other than the system app, in the order of their names.
    private var automationsByApp: [AppIdentity: [AppAutomation]] {
        var found: [AppIdentity: [AppAutomation]] = [:]
        for trigger in graph.homes.flatMap(\.triggers).sorted(by: { ($0.name, $0.id) < ($1.name, $1.id) }) {
            if let creator = trigger.creator { found[creator, default: []].append(AppAutomation(trigger)) }
        }
        return found
    }

    /// Registers a session that answers questions, and sends it the pending ones.
    func answerQuestions(_ call: Call) {
        do throws(HomeError) {
            let questions = try permissions.answersQuestions(call.session)
            answer(call, .success([:]))
            perform(questions)
            consents.keep(where: calls.isAwaitingPermission)
            for question in consents.pending { notify(.consentAsked(question), [call.session]) }
        } catch {
            answer(call, with: error)
        }
    }

    func answerConsent(_ id: ConsentQuestion.ID, isAllowed: Bool, _ call: Call) {
        do throws(HomeError) {
            try permissions.checkMayDecide(call.session)
            consents.keep(where: calls.isAwaitingPermission)
            if let claim = consents.claim(askedBy: id) {
                return decide(isAllowed ? .allow : .deny, about: claim, call)
            }
            let waiting = try consents.answered(id)
            answer(call, .success([:]))
            guard isAllowed else { return perform(calls.refused(waiting)) }
            switch calls.permitted(waiting) {
            case .setUpAccessory(let request): addAccessory(request, waiting, isSetup: true, isUnseen: true)
            case .write(let write):
                self.write(write, waiting, allowing: askedOpenings.removeValue(forKey: waiting) ?? [])
            default: break
            }
        } catch {
            answer(call, with: error)
        }
    }

    /// Applies the user's decision about an app.
    ///
    /// A permission takes effect after it's stored, so that a restart can't lose one that has had an effect. A denial
    /// takes effect immediately, even if the disk is slow.
    func decide(_ decision: PermissionDecision, about app: AppIdentity, _ call: Call) {
        do throws(HomeError) {
            var decided = permissions
            let actions = try decided.decided(
                decision, about: app, by: call.session, creators: Set(automationsByApp.keys))
            let isNew = actions.contains {
                switch $0 {
                case .remember, .forget: true
                case .ask, .refuse, .tell, .permit: false
                }
            }
            let waitsForStore = decision == .allow && isNew
            if !waitsForStore {
                permissions = decided
                if decision == .forget { consents.forgotten(app) }
                perform(actions)
            }
            // The store may still be writing an earlier decision.
            guard isNew || decisions.isPending(.app(app)) else { return answer(call, .success([:])) }
            let answer = decided.answer(about: app)
            try storeDecision(.app(app), isAllowed: answer?.isAllowed == true, call) { store in
                if let answer { try await store.remember(answer) } else { try await store.forget(app) }
            } stored: { hub in
                guard let answer, answer.isAllowed else { return }
                hub.perform(hub.permissions.decided(.allow, about: app, for: answer.usageDescription))
            }
        } catch {
            answer(call, with: error)
        }
    }

    /// Applies the user's decision about a vendor's app, with the same rules as for an app.
    func decide(_ decision: PermissionDecision, about claim: VendorClaimID, _ call: Call) {
        do throws(HomeError) {
            try permissions.checkMayDecide(call.session)
            guard
                consents.isKnown(claim)
                    || sessions.keys.contains(where: { self.claim(of: $0, to: claim.vendor) == claim })
            else { throw HomeError(.notFound, detail: "this app hasn't asked to answer for this manufacturer") }
            try storeDecision(.claim(claim), isAllowed: decision == .allow, call) { store in
                if decision == .forget {
                    try await store.forget(claim)
                } else {
                    try await store.remember(RememberedClaim(claim, isAllowed: decision == .allow))
                }
            } stored: { hub in
                if decision == .allow { hub.decided(.allow, about: claim) }
            }
            if decision != .allow { decided(decision, about: claim) }
        } catch {
            answer(call, with: error)
        }
    }

    private func decided(_ decision: PermissionDecision, about claim: VendorClaimID) {
        consents.decided(decision, about: claim)
        for session in sessions.keys.sorted() where self.claim(of: session, to: claim.vendor) == claim {
            if decision == .allow, feed.isAuthorized(session) {
                vendorSessionAuthorized(session)
            } else {
                vendorSessionLost(session)
            }
        }
    }

    /// Stores a decision and answers its call.
    ///
    /// `stored` applies the stored decision. It isn't called if the user has made another decision on the same subject
    /// in the meantime.
    ///
    /// - Throws: `HomeError` with code 49 if too many decisions are waiting to be stored.
    private func storeDecision(
        _ subject: PendingDecisions.Subject, isAllowed: Bool, _ call: Call,
        write: @escaping @Sendable (any HomeStore) async throws -> Void,
        stored: @escaping @Sendable (isolated HomeHub) -> Void
    ) throws(HomeError) {
        let place = try decisionQueue.enter()
        let number = decisions.begin(subject)
        _ = calls.takesEffect(call)
        start { hub in
            defer { hub.decisions.end(subject, number) }
            do throws(HomeError) {
                try await hub.decisionQueue.wait(at: place, until: nil)
                defer { hub.decisionQueue.leave(place) }
                do {
                    try await write(hub.store)
                } catch {
                    hub.logger.error("home database write failed", metadata: ["error": "\(error)"])
                    // Only a denial has already taken effect.
                    let outcome =
                        isAllowed ? "nothing was changed" : "the decision applies only until homehubd restarts"
                    throw hub.store.failure(outcome, after: error)
                }
            } catch {
                return hub.answer(call, with: error)
            }
            if hub.decisions.isLast(subject, number) { stored(hub) }
            hub.answer(call, .success([:]))
        }
    }

    /// Performs actions of ``Permissions``, in order.
    ///
    /// The caller stores the decision itself.
    func perform(_ actions: [Permissions.Action]) {
        defer { if !actions.isEmpty { permissionsChanged() } }
        for action in actions {
            switch action {
            case .remember, .forget: break
            case .ask(let permission, let those): notify(.permissionAsked(permission), those)
            case .refuse(let those): perform(calls.refused(those))
            case .permit(let those): perform(calls.permitted(those))
            case .tell(let those, let status):
                perform(feed.authorizationChanged(of: those, to: status))
                for session in those {
                    if status.contains(.authorized) {
                        vendorSessionAuthorized(session)
                    } else {
                        searches.stop(session)
                        vendorSessionLost(session)
                    }
                }
            }
        }
    }
}
