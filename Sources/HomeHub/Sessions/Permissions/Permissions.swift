package import HomeModel

/// Decides which apps may see and change the homes.
///
/// An app is who the system says it is, together with the id that it declares; each such identity is asked about once,
/// however many of its sessions and calls there are. Its first call raises the question, which stays until somebody who
/// may answers it. Answers are remembered. An app that is permitted again, or no more, is notified; its calls are in the
/// ``CallTable``.
///
/// Nothing waits here: inputs return what is to be done, in the order in which it is to be done. Questions are bounded by
/// ``questionsOfUser``.
package struct Permissions: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// Store the answer, in place of an earlier one.
        case remember(RememberedPermission)
        /// Remove what is stored about the app.
        case forget(AppIdentity)
        /// Put the question to those who answer questions.
        case ask(AppPermission, [SessionID])
        /// Fail what these sessions wait for, and see that nothing more is done for them.
        case refuse([SessionID])
        /// Tell the sessions what the app may do now; one that was allowed loads its homes anew.
        case tell([SessionID], AuthorizationStatus)
        /// Carry out what these sessions have waited with.
        case permit([SessionID])
    }

    /// Whether something may be done for a session.
    package enum Admission: Sendable, Equatable {
        case permitted
        /// The user has to decide first.
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
        /// When it came, among all questions.
        var number: UInt64
        var usageDescription: String
    }

    private let systemApp: SystemApp
    private var restrictions: AppRestrictions
    private var answers: [AppIdentity: RememberedPermission]
    private var questions: [AppIdentity: Question] = [:]
    private var lastQuestion: UInt64 = 0
    private var sessions: [SessionID: Session] = [:]

    /// Begins with the answers that ``remembered`` gave earlier; the system app is never asked.
    package init(
        systemApp: SystemApp, restrictions: AppRestrictions = AppRestrictions(),
        remembered: [RememberedPermission] = []
    ) {
        self.systemApp = systemApp
        self.restrictions = restrictions
        answers = Dictionary(remembered.map { ($0.app, $0) }) { _, last in last }
    }

    /// The answers that are to survive a restart.
    package var remembered: [RememberedPermission] { answers.values.sorted { $0.app.precedes($1.app) } }

    // MARK: Sessions

    /// An app opens a session; returns its rights.
    ///
    /// No question is raised yet: an app that does nothing needs no permission.
    ///
    /// - Throws: 1003 if no version is spoken by both sides, 3 for an id that is none, 80 if homes were not declared, 1001
    ///   without a purpose. Then there is no session.
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

    /// A session is over; a question about its app remains.
    package mutating func closed(_ session: SessionID) { sessions[session] = nil }

    /// Who a session's app is, and what it says it needs the homes for; `nil` if there is no such session.
    func app(of session: SessionID) -> (identity: AppIdentity, usageDescription: String)? {
        sessions[session].map { ($0.app, $0.usageDescription) }
    }

    /// The sessions of those who answer questions.
    var answering: [SessionID] { sessions.filter(\.value.answersQuestions).keys.sorted() }

    /// Whether a session may decide about apps.
    ///
    /// - Throws: 17 if not.
    func checkMayDecide(_ session: SessionID) throws(HomeError) {
        guard sessions[session].map(isSystemApp) == true else { throw HomeError(.insufficientPrivileges) }
    }

    /// What a session's app may do; nothing if there is no such session.
    package func status(of session: SessionID) -> AuthorizationStatus {
        guard let session = sessions[session] else { return [] }
        return isSystemApp(session) ? [.determined, .authorized] : status(of: session.app)
    }

    /// The system app of a user that a policy keeps out is an app like any other.
    private func isSystemApp(_ session: Session) -> Bool {
        // Root can change the policy anyway.
        session.isSystemApp && (session.app.uid == 0 || !restrictions.users.contains(session.app.uid))
    }

    private func status(of app: AppIdentity) -> AuthorizationStatus {
        if restrictions.forbid(app) { return [.determined, .restricted] }
        guard let answer = answers[app] else { return [] }
        return answer.isAllowed ? [.determined, .authorized] : .determined
    }

    // MARK: Calls

    /// An app wants something that needs permission; returns whether it is admitted, and further actions.
    package mutating func requested(by id: SessionID) -> (admission: Admission, actions: [Action]) {
        guard let session = sessions[id] else { return (.refused(Self.refusal), []) }
        let status = status(of: id)
        if status.contains(.authorized) { return (.permitted, []) }
        guard !status.contains(.determined) else { return (.refused(Self.refusal), []) }
        guard questions[session.app] == nil else { return (.undecided, []) }
        guard questions.keys.count(where: { $0.uid == session.app.uid }) < Self.questionsOfUser else {
            let error = HomeError(
                .maximumObjectLimitReached,
                detail: "too many apps of this user wait for permission; answer for one of them first")
            return (.refused(error), [])
        }
        lastQuestion += 1
        questions[session.app] = Question(number: lastQuestion, usageDescription: session.usageDescription)
        let those = answering
        return (.undecided, those.isEmpty ? [] : [.ask(permission(of: session.app), those)])
    }

    // MARK: Answers

    /// The system app is ready to put questions to the user; it gets those that wait, the oldest first.
    ///
    /// - Throws: 17 for any other app.
    package mutating func answersQuestions(_ session: SessionID) throws(HomeError) -> [Action] {
        try checkMayDecide(session)
        sessions[session]?.answersQuestions = true
        return pending.map { .ask(permission(of: $0), [session]) }
    }

    /// Every app with an answer, a question or a session, in the order in which people look for them.
    ///
    /// - Throws: 17 if the session is not the system app's.
    package func permissions(for session: SessionID) throws(HomeError) -> [AppPermission] {
        try checkMayDecide(session)
        return known.sorted { $0.precedes($1) }.map(permission)
    }

    /// The user decides about an app, even an app that has not asked; an app can never allow itself.
    ///
    /// - Throws: 17 if the session may not decide or a policy has decided, 2 if there is no such app.
    package mutating func decided(
        _ decision: PermissionDecision, about app: AppIdentity, by session: SessionID
    ) throws(HomeError) -> [Action] {
        try checkMayDecide(session)
        guard known.contains(app) else { throw HomeError(.notFound, detail: "no such app has asked for the home") }
        if decision == .allow, restrictions.forbid(app) {
            throw HomeError(
                .insufficientPrivileges, detail: "a policy keeps this app out; change the configuration of the daemon")
        }
        return decided(decision, about: app, for: permission(of: app).usageDescription)
    }

    /// Applies a decision about an app that the user may make.
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

    /// What is remembered of an app; `nil` if the user has not decided about it.
    func answer(about app: AppIdentity) -> RememberedPermission? { answers[app] }

    package mutating func restrictionsChanged(to restrictions: AppRestrictions) -> [Action] {
        let before = statuses
        self.restrictions = restrictions
        return consequences(of: pending.filter(restrictions.forbid), since: before)
    }

    /// Draws the consequences of a decision.
    ///
    /// Calls fail before their app is told that it lost its permission, and are carried out after it is told that it
    /// has one: between the two everything that it gets is in order.
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

    // MARK: What is known

    private static let refusal = HomeError(.homeAccessNotAuthorized)

    private var statuses: [SessionID: AuthorizationStatus] {
        Dictionary(uniqueKeysWithValues: sessions.keys.map { ($0, status(of: $0)) })
    }

    /// The apps with a question, the oldest first.
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
    /// The order in which people look for apps.
    fileprivate func precedes(_ other: AppIdentity) -> Bool {
        (app, uid, executable) < (other.app, other.uid, other.executable)
    }
}
