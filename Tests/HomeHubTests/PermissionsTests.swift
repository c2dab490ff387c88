import HomeHub
import HomeModel
import Testing

@Suite("Permission") struct PermissionsTests {
    // MARK: Opening

    @Test(
        "rejects a session without a usage description or capability, or of an unsupported version",
        arguments: [
            (Opening(purpose: nil), HomeError.Code.usageDescriptionMissing),
            (Opening(purpose: ""), .usageDescriptionMissing),
            (Opening(purpose: " \n\t"), .usageDescriptionMissing), (Opening(capabilities: []), .missingEntitlement),
            (Opening(capabilities: [.setupPayload]), .missingEntitlement),
            (Opening(versions: 3...4), .protocolMismatch),
            (Opening(app: ""), .invalidParameter), (Opening(app: "a b"), .invalidParameter),
        ])
    func refused(opening: Opening, code: HomeError.Code) {
        let desk = Desk()
        let error = #expect(throws: HomeError.self) { try desk.open(1, opening) }
        #expect(error?.code == code)
        #expect(desk.call(1, 1) == [.fail(call(1, 1), refusal)])
        #expect(desk.calls.nextDeadline == nil)
    }

    @Test("asks no question when a session opens")
    func opening() throws {
        let desk = try Desk(agent: 9)
        #expect(try desk.open(1) == SessionReply(status: [], isSystemApp: false, version: 2))
        #expect(try desk.permissions.permissions(for: SessionID(9)).map(\.isPending) == [false])
    }

    @Test(
        "accepts an app as the system app only if its program, ID and user are right",
        arguments: [
            (Peer(), "homehub", true), (Peer(mayDecide: false), "homehub", false),
            (Peer(executable: "/tmp/homehub"), "homehub", false), (Peer(), "org.example.lights", false),
            (Peer(executable: ""), "homehub", false),
        ])
    func systemApp(peer: Peer, app: String, isSystemApp: Bool) throws {
        let desk = Desk()
        let reply = try desk.permissions.opened(
            SessionID(1), Opening(app: app).message,
            by: AppPeer(uid: 0, executable: peer.executable, mayDecide: peer.mayDecide))
        #expect(reply.isSystemApp == isSystemApp)
        #expect(reply.status == (isSystemApp ? [.determined, .authorized] : []))
        if isSystemApp {
            #expect(desk.call(1, 1) == [.perform(call(1, 1))])
            #expect(try desk.permissions.permissions(for: SessionID(1)) == [])
        } else {
            #expect(throws: HomeError(.insufficientPrivileges)) { try desk.permissions.answersQuestions(SessionID(1)) }
            #expect(throws: HomeError(.insufficientPrivileges)) {
                try desk.permissions.permissions(for: SessionID(1))
            }
            #expect(throws: HomeError(.insufficientPrivileges)) {
                try desk.permissions.decided(
                    .allow, about: AppIdentity(app: app, uid: 0, executable: peer.executable), by: SessionID(1))
            }
        }
    }

    @Test(
        "accepts a program by its ID if the hub can't see other users' programs",
        arguments: [
            (Peer(executable: ""), "homehub", true), (Peer(executable: "", mayDecide: false), "homehub", false),
            (Peer(executable: ""), "org.example.lights", false), (Peer(executable: "/tmp/homehub"), "homehub", false),
            (Peer(), "homehub", true),
        ])
    func unseenSystemApp(peer: Peer, app: String, isSystemApp: Bool) throws {
        var permissions = Permissions(
            systemApp: SystemApp(app: "homehub", executable: "/usr/bin/homehub", isTakenUnseen: true))
        let reply = try permissions.opened(
            SessionID(1), Opening(app: app).message,
            by: AppPeer(uid: 0, executable: peer.executable, mayDecide: peer.mayDecide))
        #expect(reply.isSystemApp == isSystemApp)
    }

    // MARK: Asking

    @Test("asks one question for all first calls, and performs them in order when the user allows the app")
    func oneQuestion() throws {
        let desk = try Desk(agent: 9)
        try desk.open(1)
        try desk.open(2)
        #expect(desk.call(1, 1) == [.ask(lights(isPending: true), [SessionID(9)])])
        #expect(desk.call(2, 1) == [])
        #expect(desk.call(1, 2) == [])
        #expect(
            try desk.decide(.allow) == [
                .remember(remembered(true)), .tell([SessionID(1), SessionID(2)], granted), .perform(call(1, 1)),
                .perform(call(2, 1)), .perform(call(1, 2)),
            ])
        #expect(desk.call(2, 2) == [.perform(call(2, 2))])
        #expect(desk.calls.nextDeadline == nil)
    }

    @Test("fails the first call and all later ones after a denial")
    func denial() throws {
        let desk = try Desk(agent: 9)
        try desk.open(1)
        _ = desk.call(1, 1)
        #expect(
            try desk.decide(.deny) == [
                .remember(remembered(false)), .fail(call(1, 1), refusal), .tell([SessionID(1)], .determined),
            ])
        #expect(desk.call(1, 2) == [.fail(call(1, 2), refusal)])
        #expect(try desk.open(2).status == .determined)
    }

    @Test("keeps a question while no session answers it, and times out its calls")
    func timeout() throws {
        let desk = Desk()
        try desk.open(1)
        #expect(desk.call(1, 1, timeout: .seconds(10)) == [])
        #expect(desk.call(1, 2, timeout: .seconds(5)) == [])
        #expect(desk.call(1, 3, timeout: .zero) == [.fail(call(1, 3), refusal)])
        #expect(desk.calls.nextDeadline == desk.now + .seconds(5))
        #expect(desk.wait(.seconds(4)) == [])
        #expect(desk.wait(.seconds(1)) == [.fail(call(1, 2), refusal)])
        #expect(desk.wait(.seconds(60)) == [.fail(call(1, 1), refusal)])
        #expect(desk.calls.nextDeadline == nil)
        #expect(try desk.openAgent(9) == [.ask(lights(isPending: true), [SessionID(9)])])
        // A later call causes no second question.
        #expect(desk.call(1, 4) == [])
        #expect(try desk.decide(.allow).last == .perform(call(1, 4)))
    }

    @Test("keeps a question after its sessions close")
    func closing() throws {
        let desk = try Desk(agent: 9)
        try desk.open(1)
        _ = desk.call(1, 1)
        desk.close(1)
        #expect(desk.calls.nextDeadline == nil)
        try desk.open(2)
        #expect(desk.call(2, 1) == [])
        #expect(
            try desk.decide(.allow) == [
                .remember(remembered(true)), .tell([SessionID(2)], granted), .perform(call(2, 1)),
            ])
    }

    @Test(
        "treats another user, program or id as another app",
        arguments: [
            AppIdentity(app: "org.example.lights", uid: 1001, executable: "/usr/bin/lights"),
            AppIdentity(app: "org.example.lights", uid: 1000, executable: "/tmp/lights"),
            AppIdentity(app: "org.example.other", uid: 1000, executable: "/usr/bin/lights"),
        ])
    func others(other: AppIdentity) throws {
        let desk = try Desk(agent: 9)
        try desk.open(1)
        _ = desk.call(1, 1)
        _ = try desk.decide(.allow)
        let reply = try desk.permissions.opened(
            SessionID(2), Opening(app: other.app).message,
            by: AppPeer(uid: other.uid, executable: other.executable, mayDecide: true))
        #expect(reply.status == [])
        #expect(desk.call(2, 1).count == 1)
        #expect(
            try desk.permissions.permissions(for: SessionID(9)).map(\.isPending).sorted { $0 && !$1 } == [true, false])
    }

    @Test("limits the pending questions about the apps of one user")
    func flood() throws {
        let desk = try Desk(agent: 99)
        let most = Permissions.questionsOfUser
        for number in 1...most + 1 { try desk.open(UInt64(number), Opening(app: "org.example.a\(number)")) }
        for number in 1...most { #expect(desk.call(UInt64(number), 1).count == 1) }
        guard case .fail(_, let error)? = desk.call(UInt64(most + 1), 1).first else {
            Issue.record("one question too many")
            return
        }
        #expect(error.code == .maximumObjectLimitReached)
        // Other users have separate limits.
        _ = try desk.permissions.opened(
            SessionID(98), Opening().message, by: AppPeer(uid: 5, executable: "/bin/x", mayDecide: false))
        guard case .ask(let permission, _)? = desk.call(98, 1).first else {
            Issue.record("no question")
            return
        }
        #expect(permission.app.uid == 5)
    }

    @Test("shows a usage description as one short line")
    func purposes() throws {
        let desk = try Desk(agent: 9)
        let purpose = "a\u{1B}[2J\nAllow\u{202E}x\u{2028}" + String(repeating: "y", count: 10_000)
        try desk.open(1, Opening(purpose: purpose))
        guard case .ask(let permission, _)? = desk.call(1, 1).first else {
            Issue.record("no question")
            return
        }
        #expect(permission.usageDescription.hasPrefix("a [2J Allow x yy"))
        #expect(permission.usageDescription.count == SessionOpening.longestUsageDescription)
    }

    // MARK: Changed decisions

    @Test("fails uncommitted calls and notifies every session once when permission is withdrawn")
    func withdrawal() throws {
        let desk = try Desk(agent: 9, remembered: [remembered(true)])
        try desk.open(1)
        try desk.open(2)
        for number in 1...3 { #expect(desk.call(1, UInt64(number)) == [.perform(call(1, UInt64(number)))]) }
        desk.calls.committed(call(1, 2))
        #expect(
            try desk.decide(.deny) == [
                .remember(remembered(false)), .fail(call(1, 1), refusal), .fail(call(1, 3), refusal),
                .tell([SessionID(1), SessionID(2)], .determined),
            ])
        #expect(try desk.decide(.deny) == [])
        #expect(desk.call(1, 4) == [.fail(call(1, 4), refusal)])
        #expect(
            try desk.decide(.allow) == [.remember(remembered(true)), .tell([SessionID(1), SessionID(2)], granted)])
        #expect(try desk.decide(.allow) == [])
        #expect(desk.call(2, 1) == [.perform(call(2, 1))])
    }

    @Test("asks again after a decision is forgotten")
    func forgetting() throws {
        let desk = try Desk(agent: 9, remembered: [remembered(true)])
        try desk.open(1)
        _ = desk.call(1, 1)
        #expect(
            try desk.decide(.forget) == [.forget(identity), .fail(call(1, 1), refusal), .tell([SessionID(1)], [])])
        #expect(desk.call(1, 2) == [.ask(lights(isPending: true), [SessionID(9)])])
        #expect(try desk.decide(.forget) == [.fail(call(1, 2), refusal)])
        #expect(desk.permissions.remembered == [])
    }

    @Test("accepts a decision about an app that hasn't asked yet, but not about an unknown one")
    func unasked() throws {
        let desk = try Desk(agent: 9)
        #expect(throws: HomeError(.notFound, detail: "this app hasn't asked for access")) {
            try desk.decide(.allow)
        }
        try desk.open(1)
        #expect(try desk.decide(.allow) == [.remember(remembered(true)), .tell([SessionID(1)], granted)])
    }

    @Test("keeps decisions across a restart")
    func restart() throws {
        let desk = try Desk(agent: 9)
        for (number, decision) in [PermissionDecision.allow, .deny, .allow].enumerated() {
            let app = "org.example.a\(number)"
            try desk.open(UInt64(number), Opening(app: app))
            _ = try desk.permissions.decided(
                decision, about: AppIdentity(app: app, uid: 1000, executable: "/usr/bin/lights"), by: SessionID(9))
        }
        let after = try Desk(agent: 9, remembered: desk.permissions.remembered)
        #expect(after.permissions.remembered == desk.permissions.remembered)
        for (number, status) in [granted, .determined, granted].enumerated() {
            #expect(try after.open(UInt64(number), Opening(app: "org.example.a\(number)")).status == status)
        }
    }

    // MARK: Policies

    @Test("doesn't ask about a restricted app, which the user can't allow")
    func restrictions() throws {
        let restricted: AuthorizationStatus = [.determined, .restricted]
        let desk = try Desk(agent: 9, remembered: [remembered(true)])
        try desk.open(1)
        _ = desk.call(1, 1)
        #expect(
            desk.restrict(to: AppRestrictions(apps: [identity.app]))
                == [.fail(call(1, 1), refusal), .tell([SessionID(1)], restricted)])
        #expect(desk.call(1, 2) == [.fail(call(1, 2), refusal)])
        let error = #expect(throws: HomeError.self) { try desk.decide(.allow) }
        #expect(error?.code == .insufficientPrivileges)
        // The user's earlier decision applies again.
        #expect(
            desk.restrict(to: AppRestrictions(users: [5])) == [.tell([SessionID(1)], granted)])
        #expect(
            desk.restrict(to: AppRestrictions(users: [1000]))
                == [.tell([SessionID(1)], restricted)])
    }

    @Test("allows an installed app without a question, unless the user or a policy denies it")
    func installed() throws {
        let desk = try Desk(agent: 9)
        try desk.open(1)
        _ = desk.call(1, 1)
        #expect(desk.install([InstalledApp(app: identity.app, uid: identity.uid + 1)]).isEmpty)
        let app: Set = [InstalledApp(app: identity.app, uid: identity.uid)]
        // The pending call is performed, and no question remains.
        #expect(desk.install(app) == [.tell([SessionID(1)], granted), .perform(call(1, 1))])
        #expect(desk.call(1, 2) == [.perform(call(1, 2))])
        _ = try desk.decide(.deny)
        #expect(desk.call(1, 3) == [.fail(call(1, 3), refusal)])
        #expect(desk.install(app).isEmpty)
        _ = try desk.decide(.forget)
        #expect(desk.call(1, 4) == [.perform(call(1, 4))])
        #expect(desk.restrict(to: AppRestrictions(apps: [identity.app])).isEmpty == false)
        #expect(desk.call(1, 5) == [.fail(call(1, 5), refusal)])
        _ = desk.restrict(to: AppRestrictions())
        #expect(desk.install([]) == [.tell([SessionID(1)], [])])
    }

    @Test("allows an app that was installed to manage apps to decide about others, but not about itself")
    func managingApp() throws {
        let desk = try Desk(agent: 9)
        try desk.open(1)
        let other = AppIdentity(app: "org.example.other", uid: 7, executable: "/other")
        _ = try desk.permissions.opened(
            SessionID(2), SessionOpening(app: other.app, usageDescription: "To test.", capabilities: [.home]),
            by: AppPeer(uid: other.uid, executable: other.executable, mayDecide: false))
        func refusal(_ body: () throws -> Void) -> HomeError.Code? {
            do { try body() } catch { return (error as? HomeError)?.code }
            return nil
        }
        let session = SessionID(1)
        for isManager in [false, true] {
            _ = desk.install([InstalledApp(app: identity.app, uid: identity.uid, managesApps: isManager)])
            let expected: HomeError.Code? = isManager ? nil : .insufficientPrivileges
            #expect(refusal { _ = try desk.permissions.permissions(for: session) } == expected)
            #expect(refusal { _ = try desk.permissions.decided(.allow, about: other, by: session) } == expected)
            for decision in [PermissionDecision.allow, .deny, .forget] {
                #expect(
                    refusal { _ = try desk.permissions.decided(decision, about: identity, by: session) }
                        == .insufficientPrivileges)
            }
            #expect(refusal { _ = try desk.permissions.answersQuestions(session) } == .insufficientPrivileges)
        }
        #expect(desk.permissions.status(of: SessionID(2)) == granted)
        _ = try desk.decide(.deny)
        #expect(refusal { _ = try desk.permissions.permissions(for: session) } == .insufficientPrivileges)
    }

    @Test("restricts a user who may decide, but not root")
    func restrictedDecider() throws {
        for (uid, isKeptOut) in [(1000, true), (0, false)] as [(UInt32, Bool)] {
            var permissions = Permissions(
                systemApp: SystemApp(app: "system", executable: "/system"), restrictions: AppRestrictions(users: [uid]))
            let opening = SessionOpening(app: "system", usageDescription: "For it.", capabilities: [.home])
            let reply = try permissions.opened(
                SessionID(1), opening, by: AppPeer(uid: uid, executable: "/system", mayDecide: true))
            #expect(reply.isSystemApp != isKeptOut && reply.status.contains(.restricted) == isKeptOut)
        }
    }

    @Test("removes pending questions when a policy restricts the app")
    func restrictedQuestion() throws {
        let desk = try Desk(agent: 9)
        try desk.open(1)
        _ = desk.call(1, 1)
        #expect(
            desk.restrict(to: AppRestrictions(users: [1000])) == [
                .fail(call(1, 1), refusal), .tell([SessionID(1)], [.determined, .restricted]),
            ])
        #expect(try desk.permissions.permissions(for: SessionID(9)).map(\.isPending) == [false])
    }
}

// MARK: -

private let identity = AppIdentity(app: "org.example.lights", uid: 1000, executable: "/usr/bin/lights")
private let granted: AuthorizationStatus = [.determined, .authorized]
private let refusal = HomeError(.homeAccessNotAuthorized)

private func call(_ session: UInt64, _ number: UInt64) -> Call { Call(SessionID(session), number) }

private func lights(isPending: Bool) -> AppPermission {
    AppPermission(app: identity, status: [], usageDescription: "Dims the lights.", isPending: isPending)
}

private func remembered(_ isAllowed: Bool) -> RememberedPermission {
    RememberedPermission(app: identity, isAllowed: isAllowed, usageDescription: "Dims the lights.")
}

/// The declaration of an app.
struct Opening: Sendable {
    var app = "org.example.lights"
    var purpose: String? = "Dims the lights."
    var capabilities: Set<HomeCapability> = [.home]
    var versions = HomeProtocol.versions

    var message: SessionOpening {
        SessionOpening(app: app, usageDescription: purpose, capabilities: capabilities, versions: versions)
    }
}

struct Peer: Sendable {
    var executable = "/usr/bin/homehub"
    var mayDecide = true
}

/// The combined actions of permissions and calls.
enum PermissionOutcome: Equatable {
    case remember(RememberedPermission)
    case forget(AppIdentity)
    case ask(AppPermission, [SessionID])
    case perform(Call)
    case fail(Call, HomeError)
    case tell([SessionID], AuthorizationStatus)

    /// The outcome of call actions.
    static func of(_ actions: [CallTable.Action]) -> [PermissionOutcome] {
        actions.map { action in
            switch action {
            case .perform(let call, _): .perform(call)
            case .fail(let call, let error): .fail(call, error)
            }
        }
    }

    /// The outcome of permission actions, calls included.
    static func of(_ actions: [Permissions.Action], _ calls: inout CallTable) -> [PermissionOutcome] {
        actions.flatMap { action -> [PermissionOutcome] in
            switch action {
            case .remember(let permission): [.remember(permission)]
            case .forget(let app): [.forget(app)]
            case .ask(let permission, let those): [.ask(permission, those)]
            case .refuse(let those): of(calls.refused(those))
            case .tell(let those, let status): [.tell(those, status)]
            case .permit(let those): of(calls.permitted(those))
            }
        }
    }

    /// The outcome of a new call.
    static func of(
        _ call: Call, deadline: ContinuousClock.Instant, now: ContinuousClock.Instant, _ permissions: inout Permissions,
        _ calls: inout CallTable
    ) -> [PermissionOutcome] {
        guard calls.received(call) == .accepted else { return [] }
        let (admission, actions) = permissions.requested(by: call.session)
        let questions = of(actions, &calls)
        switch admission {
        case .permitted:
            calls.started(call)
            return questions + [.perform(call)]
        case .undecided:
            return questions + of(calls.awaitsPermission(call, for: .homes, until: deadline, now: now))
        case .refused(let error): return questions + (calls.answered(call) ? [.fail(call, error)] : [])
        }
    }
}

/// Permissions and calls with a manual clock.
private final class Desk {
    var permissions: Permissions
    var calls = CallTable()
    var now = ContinuousClock.now
    private var agent = SessionID(0)

    init(remembered: [RememberedPermission] = []) {
        permissions = Permissions(
            systemApp: SystemApp(app: "homehub", executable: "/usr/bin/homehub"), remembered: remembered)
    }

    convenience init(agent: UInt64, remembered: [RememberedPermission] = []) throws {
        self.init(remembered: remembered)
        _ = try openAgent(agent)
    }

    func openAgent(_ number: UInt64) throws -> [PermissionOutcome] {
        agent = SessionID(number)
        _ = try permissions.opened(
            agent, Opening(app: "homehub").message,
            by: AppPeer(uid: 0, executable: "/usr/bin/homehub", mayDecide: true))
        return PermissionOutcome.of(try permissions.answersQuestions(agent), &calls)
    }

    @discardableResult func open(_ session: UInt64, _ opening: Opening = Opening()) throws -> SessionReply {
        try permissions.opened(
            SessionID(session), opening.message,
            by: AppPeer(uid: identity.uid, executable: identity.executable, mayDecide: false))
    }

    func call(_ session: UInt64, _ number: UInt64, timeout: Duration = .seconds(60)) -> [PermissionOutcome] {
        PermissionOutcome.of(
            Call(SessionID(session), number), deadline: now + timeout, now: now, &permissions, &calls)
    }

    func cancel(_ session: UInt64, _ number: UInt64) -> [PermissionOutcome] {
        PermissionOutcome.of(calls.cancelled(Call(SessionID(session), number)))
    }

    func close(_ session: UInt64) {
        permissions.closed(SessionID(session))
        calls.closed(SessionID(session))
    }

    func restrict(to restrictions: AppRestrictions) -> [PermissionOutcome] {
        PermissionOutcome.of(permissions.restrictionsChanged(to: restrictions), &calls)
    }

    func install(_ apps: Set<InstalledApp>) -> [PermissionOutcome] {
        PermissionOutcome.of(permissions.installedAppsChanged(to: apps), &calls)
    }

    func wait(_ time: Duration) -> [PermissionOutcome] {
        now += time
        return PermissionOutcome.of(calls.deadlinesPassed(now: now))
    }

    func decide(_ decision: PermissionDecision) throws -> [PermissionOutcome] {
        PermissionOutcome.of(try permissions.decided(decision, about: identity, by: agent), &calls)
    }
}
