package import HomeModel

/// The rules for apps' access to the homes.
///
/// An app's identity consists of the system's information about the app and the app ID that it declares. The user is
/// asked only one question about each identity, regardless of its number of sessions and calls. The first call causes
/// the question, which stays until an authorized user answers it. Answers are stored. An app that gains or loses
/// permission is notified. Its calls are in the ``CallTable``.
///
/// This value performs no work. Its methods return actions, which the caller performs in order. ``questionsOfUser``
/// limits the number of questions.
package struct Permissions: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// Stores the answer, replacing an earlier answer about the app.
        case remember(RememberedPermission)
        /// Removes the stored answers about the app.
        case forget(AppIdentity)
        /// Sends the question to the sessions that answer questions.
        case ask(AppPermission, [SessionID])
        /// Fails the pending calls of these sessions and stops their work.
        case refuse([SessionID])
        /// Notifies the sessions of the app's authorization. A session that got permission loads its homes again.
        case tell([SessionID], AuthorizationStatus)
        /// Performs the pending calls of these sessions.
        case permit([SessionID])
    }

    /// The admission of a session's request.
    package enum Admission: Sendable, Equatable {
        case permitted
        /// The user must decide first.
        case undecided
        case refused(HomeError)
    }

    private struct Session: Equatable {
        var app: AppIdentity
        var usageDescription: String
        var isSystemApp: Bool
        var answersQuestions = false
    }

    private struct Question: Equatable {
        /// The position of the question among all questions, in order of arrival.
        var number: UInt64
        var usageDescription: String
    }

    private let systemApp: SystemApp
    private var restrictions: AppRestrictions
    private var installed: Set<InstalledApp>
    private var answers: [AppIdentity: RememberedPermission]
    private var questions: [AppIdentity: Question] = [:]
    private var lastQuestion: UInt64 = 0
    private var sessions: [SessionID: Session] = [:]

    /// Creates the rules with the answers that ``remembered`` returned earlier.
    package init(
        systemApp: SystemApp, restrictions: AppRestrictions = AppRestrictions(), installed: Set<InstalledApp> = [],
        remembered: [RememberedPermission] = []
    ) {
        self.systemApp = systemApp
        self.restrictions = restrictions
        self.installed = installed
        answers = Dictionary(remembered.map { ($0.app, $0) }) { _, last in last }
    }

    /// The answers to keep across restarts.
    package var remembered: [RememberedPermission] { answers.values.sorted { $0.app.precedes($1.app) } }

    // MARK: Sessions

    /// Adds a session of an app; returns its authorization.
    ///
    /// The user isn't asked yet, because an app that makes no calls needs no permission.
    ///
    /// - Throws: `HomeError` with code 1003 if the app and the hub have no protocol version in common, 3 if the app ID
    ///   is invalid, 80 if the app didn't declare the `home` capability, or 1001 if it has no usage description. No
    ///   session is added in these cases.
    package mutating func opened(
        _ session: SessionID, _ opening: SessionOpening, by peer: AppPeer
    ) throws(HomeError) -> SessionReply {
        let version = try opening.validate()
        let isSystemApp = systemApp.isRun(by: peer, as: opening.app)
        sessions[session] = Session(
            app: AppIdentity(app: opening.app, uid: peer.uid, executable: peer.executable),
            usageDescription: (opening.usageDescription ?? "").asPurpose, isSystemApp: isSystemApp)
        return SessionReply(
            status: status(of: session), isSystemApp: sessions[session].map(self.isSystemApp) ?? false, version: version
        )
    }

    /// Removes a session.
    ///
    /// A question about its app remains.
    package mutating func closed(_ session: SessionID) { sessions[session] = nil }

    /// Returns the identity and usage description of a session's app; `nil` if the session doesn't exist.
    func app(of session: SessionID) -> (identity: AppIdentity, usageDescription: String)? {
        sessions[session].map { ($0.app, $0.usageDescription) }
    }

    /// The sessions that answer questions.
    var answering: [SessionID] { sessions.filter(\.value.answersQuestions).keys.sorted() }

    /// Checks that a session may decide about apps.
    ///
    /// - Throws: `HomeError` with code 17 if the session doesn't belong to the system app.
    func checkMayDecide(_ session: SessionID) throws(HomeError) {
        guard mayDecide(session) else { throw HomeError(.insufficientPrivileges) }
    }

    private func installation(of app: AppIdentity) -> InstalledApp? {
        installed.first { $0.app == app.app && $0.uid == app.uid }
    }

    /// Checks that a session may list apps and decide about their access to the homes.
    ///
    /// - Throws: `HomeError` with code 17 if the session belongs neither to the system app nor to an app that was
    ///   installed with this right.
    private func checkMayManageApps(_ session: SessionID) throws(HomeError) {
        let app = sessions[session]?.app
        let isManager = app.map { isAuthorized($0) && installation(of: $0)?.managesApps == true } ?? false
        guard isManager || mayDecide(session) else { throw HomeError(.insufficientPrivileges) }
    }

    /// Returns a Boolean value that indicates whether a session belongs to the system app, which may decide about apps.
    func mayDecide(_ session: SessionID) -> Bool { sessions[session].map(isSystemApp) == true }

    /// Returns the authorization of a session's app; empty if the session doesn't exist.
    package func status(of session: SessionID) -> AuthorizationStatus {
        guard let session = sessions[session] else { return [] }
        return isSystemApp(session) ? [.determined, .authorized] : status(of: session.app)
    }

    /// Returns whether a session's app is the system app.
    ///
    /// If a policy denies its user access, it's treated as an ordinary app.
    private func isSystemApp(_ session: Session) -> Bool {
        // The policy doesn't apply to root, who can change it anyway.
        session.isSystemApp && (session.app.uid == 0 || !restrictions.users.contains(session.app.uid))
    }

    /// Returns the authorization of the app with an ID, or the highest one if several users run it; `nil` if no such app
    /// has asked or is installed.
    package func status(ofApp id: String) -> AuthorizationStatus? {
        let installed = installed.map { AppIdentity(app: $0.app, uid: $0.uid, executable: "") }
        return known.union(installed).filter { $0.app == id }.map(status(of:)).max { $0.rawValue < $1.rawValue }
    }

    private func status(of app: AppIdentity) -> AuthorizationStatus {
        if restrictions.forbid(app) { return [.determined, .restricted] }
        guard let answer = answers[app] else {
            return installation(of: app) == nil ? [] : [.determined, .authorized]
        }
        return answer.isAllowed ? [.determined, .authorized] : .determined
    }

    /// Returns the automations whose creator has no permission, and the automations that unlock or open something
    /// because of an app without permission.
    func withdrawn(_ graph: HomeGraph) -> Set<Trigger.ID> {
        var withdrawn: Set<Trigger.ID> = []
        for home in graph.homes {
            for trigger in home.triggers {
                let isUnwanted = trigger.openers.contains { !isAuthorized($0) } && !home.openings(of: trigger).isEmpty
                if isUnwanted || trigger.creator.map(isAuthorized) == false { withdrawn.insert(trigger.id) }
            }
        }
        return withdrawn
    }

    private func isAuthorized(_ app: AppIdentity) -> Bool { status(of: app).contains(.authorized) }

    // MARK: Calls

    /// Handles a request that requires permission; returns its admission, and further actions.
    package mutating func requested(by id: SessionID) -> (admission: Admission, actions: [Action]) {
        guard let session = sessions[id] else { return (.refused(Self.refusal), []) }
        let status = status(of: id)
        if status.contains(.authorized) { return (.permitted, []) }
        guard !status.contains(.determined) else { return (.refused(Self.refusal), []) }
        guard questions[session.app] == nil else { return (.undecided, []) }
        guard questions.keys.count(where: { $0.uid == session.app.uid }) < Self.questionsOfUser else {
            let error = HomeError(
                .maximumObjectLimitReached,
                detail: "too many apps of this user are waiting for permission; decide about one of the apps first")
            return (.refused(error), [])
        }
        lastQuestion += 1
        questions[session.app] = Question(number: lastQuestion, usageDescription: session.usageDescription)
        let those = answering
        return (.undecided, those.isEmpty ? [] : [.ask(permission(of: session.app), those)])
    }

    // MARK: Answers

    /// Registers the system app's session for questions; returns the pending ones, oldest first.
    ///
    /// - Throws: `HomeError` with code 17 if the session doesn't belong to the system app.
    package mutating func answersQuestions(_ session: SessionID) throws(HomeError) -> [Action] {
        try checkMayDecide(session)
        sessions[session]?.answersQuestions = true
        return pending.map { .ask(permission(of: $0), [session]) }
    }

    /// Returns all apps with an answer, a question, a session or an automation, in display order.
    ///
    /// - Parameters:
    ///   - session: The session that requests the list.
    ///   - creators: The apps with automations.
    /// - Returns: The permissions, without claims and automations.
    /// - Throws: `HomeError` with code 17 if the session may not manage apps.
    package func permissions(
        for session: SessionID, creators: Set<AppIdentity> = []
    ) throws(HomeError) -> [AppPermission] {
        try checkMayManageApps(session)
        return known.union(creators).sorted { $0.precedes($1) }.map(permission)
    }

    /// Handles the user's decision about an app, even if there is no question about the app.
    ///
    /// An app can never allow itself. An app with automations exists even without a question.
    ///
    /// - Throws: `HomeError` with code 17 if the session may not decide or a policy has decided, 2 if the app doesn't
    ///   exist.
    package mutating func decided(
        _ decision: PermissionDecision, about app: AppIdentity, by session: SessionID, creators: Set<AppIdentity> = []
    ) throws(HomeError) -> [Action] {
        try checkMayManageApps(session)
        guard mayDecide(session) || sessions[session]?.app != app else {
            throw HomeError(.insufficientPrivileges, detail: "an app can't decide about itself")
        }
        guard known.contains(app) || creators.contains(app) else {
            throw HomeError(.notFound, detail: "this app hasn't asked for access")
        }
        if decision == .allow, restrictions.forbid(app) {
            throw HomeError(
                .insufficientPrivileges,
                detail: "the configuration of homehubd denies access to this app; change \"restrict\" in homehub.yaml")
        }
        return decided(decision, about: app, for: permission(of: app).usageDescription)
    }

    /// Applies a valid decision about an app.
    mutating func decided(
        _ decision: PermissionDecision, about app: AppIdentity, for usageDescription: String
    ) -> [Action] {
        let before = statuses
        var actions: [Action] = []
        if decision == .forget {
            if answers.removeValue(forKey: app) != nil { actions.append(.forget(app)) }
        } else if answers[app]?.isAllowed != (decision == .allow) {
            let answer = RememberedPermission(
                app: app, isAllowed: decision == .allow, usageDescription: usageDescription)
            answers[app] = answer
            actions.append(.remember(answer))
        }
        return actions + consequences(of: [app], since: before)
    }

    /// Returns the stored answer about an app; `nil` if the user hasn't decided.
    func answer(about app: AppIdentity) -> RememberedPermission? { answers[app] }

    package mutating func restrictionsChanged(to restrictions: AppRestrictions) -> [Action] {
        let before = statuses
        self.restrictions = restrictions
        return consequences(of: pending.filter(restrictions.forbid), since: before)
    }

    /// Replaces the installed apps.
    package mutating func installedAppsChanged(to installed: Set<InstalledApp>) -> [Action] {
        let before = statuses
        self.installed = installed
        return consequences(of: pending.filter(isAuthorized), since: before)
    }

    /// Returns the consequences of a decision.
    ///
    /// Calls fail before their app is notified of a lost permission, and are performed after it's notified of a new
    /// one. In this order, all messages that the app receives agree with the status it was last notified of.
    private mutating func consequences(
        of decided: [AppIdentity], since before: [SessionID: AuthorizationStatus]
    ) -> [Action] {
        for app in decided { questions[app] = nil }
        let changed = statuses.filter { before[$0] != $1 }
        let concerned = sessions.filter { decided.contains($1.app) || changed[$0] != nil }.keys.sorted()
        let permitted = concerned.filter { status(of: $0).contains(.authorized) }
        let refused = concerned.filter { !permitted.contains($0) }
        let byStatus = Dictionary(grouping: changed.keys) { changed[$0] ?? [] }.sorted {
            $0.key.rawValue < $1.key.rawValue
        }
        return (refused.isEmpty ? [] : [.refuse(refused)]) + byStatus.map { .tell($1.sorted(), $0) }
            + (permitted.isEmpty ? [] : [.permit(permitted)])
    }

    // MARK: State

    private static let refusal = HomeError(.homeAccessNotAuthorized)

    private var statuses: [SessionID: AuthorizationStatus] {
        Dictionary(uniqueKeysWithValues: sessions.keys.map { ($0, status(of: $0)) })
    }

    /// The apps with a question, oldest first.
    private var pending: [AppIdentity] { questions.sorted { $0.value.number < $1.value.number }.map(\.key) }

    /// The apps that the user can decide about.
    private var known: Set<AppIdentity> {
        Set(answers.keys).union(questions.keys).union(sessions.values.filter { !$0.isSystemApp }.map(\.app))
    }

    private func permission(of app: AppIdentity) -> AppPermission {
        let usageDescription =
            answers[app]?.usageDescription ?? questions[app]?.usageDescription
            ?? sessions.values.filter { $0.app == app }.map(\.usageDescription).min() ?? ""
        return AppPermission(
            app: app, status: status(of: app), usageDescription: usageDescription,
            isPending: questions[app] != nil)
    }
}

extension AppIdentity {
    /// Orders apps for display.
    fileprivate func precedes(_ other: AppIdentity) -> Bool {
        (app, uid, executable) < (other.app, other.uid, other.executable)
    }
}
