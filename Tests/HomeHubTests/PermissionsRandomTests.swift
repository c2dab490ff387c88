import HAPTesting
import HomeHub
import HomeModel
import Testing

@Suite("Any sequence of calls, answers and policies") struct PermissionsRandomTests {
    @Test("ends each call once, as the user decided, and asks about each app once", arguments: 1...8)
    func sequences(seed: UInt64) throws {
        let desk = try RandomDesk(seed: seed)
        for _ in 0..<2000 { try desk.step() }
        #expect(desk.performed > 50)
        #expect(desk.failed > 50)
        #expect(desk.asked > 10)
    }
}

/// Permissions and the expected answers and calls.
private final class RandomDesk {
    var performed = 0
    var failed = 0
    var asked = 0

    private let agent = SessionID(0)
    private var permissions = Permissions(systemApp: SystemApp(app: "homehub", executable: "/usr/bin/homehub"))
    private var calls = CallTable()
    private var random: SeededNumbers
    private var now = ContinuousClock.now
    private var lastNumber: UInt64 = 0
    private var sessions: [SessionID: AppIdentity] = [:]
    private var answers: [AppIdentity: Bool] = [:]
    private var restricted: Set<String> = []
    private var open: Set<AppIdentity> = []
    private var waiting: [Call: ContinuousClock.Instant] = [:]
    private var running: Set<Call> = []
    private var notified: [SessionID: AuthorizationStatus] = [:]

    init(seed: UInt64) throws {
        random = SeededNumbers(seed: seed)
        _ = try permissions.opened(
            agent, Opening(app: "homehub").message,
            by: AppPeer(uid: 0, executable: "/usr/bin/homehub", mayDecide: true))
        _ = try permissions.answersQuestions(agent)
    }

    func step() throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...2: try openSession()
        case 3:
            guard let session = anySession() else { return }
            sessions[session] = nil
            waiting = waiting.filter { $0.key.session != session }
            running = running.filter { $0.session != session }
            permissions.closed(session)
            calls.closed(session)
        case 4...10: request()
        case 11:
            guard let call = running.sorted(by: { $0.number < $1.number }).randomElement(using: &random) else { return }
            running.remove(call)
            #expect(calls.answered(call) == true)
        case 12:
            guard let call = waiting.keys.sorted(by: { $0.number < $1.number }).randomElement(using: &random)
            else { return }
            waiting[call] = nil
            #expect(calls.cancelled(call).count == 1)
        case 13...15: try decide()
        case 16:
            restricted = Bool.random(using: &random) ? [] : ["org.example.a0"]
            open = open.filter { !restricted.contains($0.app) }
            carryOut(
                PermissionOutcome.of(permissions.restrictionsChanged(to: AppRestrictions(apps: restricted)), &calls))
        default:
            now += .seconds(Int.random(in: 0..<4, using: &random))
            let late = waiting.filter { $0.value <= now }.count
            let actions = PermissionOutcome.of(calls.deadlinesPassed(now: now))
            #expect(actions.count == late)
            carryOut(actions)
        }
        check()
    }

    private func openSession() throws {
        guard sessions.count < 10 else { return }
        lastNumber += 1
        let session = SessionID(lastNumber)
        let app = "org.example.a\(Int.random(in: 0..<4, using: &random))"
        let reply = try permissions.opened(
            session, Opening(app: app).message, by: AppPeer(uid: 1, executable: "/bin/app", mayDecide: false))
        sessions[session] = AppIdentity(app: app, uid: 1, executable: "/bin/app")
        notified[session] = reply.status
    }

    private func request() {
        guard let session = anySession() else { return }
        lastNumber += 1
        let call = Call(session, lastNumber)
        let deadline = now + .seconds(Int.random(in: 0..<8, using: &random))
        waiting[call] = deadline
        carryOut(PermissionOutcome.of(call, deadline: deadline, now: now, &permissions, &calls))
    }

    private func decide() throws {
        let known = try permissions.permissions(for: agent).map(\.app)
        guard let app = known.randomElement(using: &random),
            let decision = PermissionDecision.allCases.randomElement(using: &random)
        else { return }
        if decision == .allow, restricted.contains(app.app) {
            #expect(throws: HomeError.self) { try permissions.decided(decision, about: app, by: agent) }
            return
        }
        answers[app] = decision == .forget ? nil : decision == .allow
        open.remove(app)
        carryOut(PermissionOutcome.of(try permissions.decided(decision, about: app, by: agent), &calls))
    }

    private func carryOut(_ actions: [PermissionOutcome]) {
        for action in actions {
            switch action {
            case .remember(let answer): #expect(answers[answer.app] == answer.isAllowed)
            case .forget(let app): #expect(answers[app] == nil)
            case .ask(let permission, let those):
                asked += 1
                #expect(those == [agent])
                #expect(open.insert(permission.app).inserted)
            case .perform(let call):
                performed += 1
                #expect(waiting.removeValue(forKey: call) != nil)
                #expect(isAllowed(call.session))
                running.insert(call)
            case .fail(let call, let error):
                failed += 1
                #expect(error.code == .homeAccessNotAuthorized)
                #expect(waiting.removeValue(forKey: call) != nil || running.remove(call) != nil)
            case .tell(let those, let status):
                for session in those {
                    #expect(notified[session] != status)
                    notified[session] = status
                }
            }
        }
    }

    private func check() {
        for session in sessions.keys {
            #expect(permissions.status(of: session) == notified[session])
            #expect(permissions.status(of: session).contains(.authorized) == isAllowed(session))
        }
        // No call of a denied app runs, and none of a decided app waits.
        #expect(running.allSatisfy { isAllowed($0.session) })
        #expect(waiting.keys.allSatisfy { sessions[$0.session].map(open.contains) ?? false })
        #expect(calls.nextDeadline == waiting.values.min())
        #expect(permissions.remembered.count == answers.count)
    }

    private func isAllowed(_ session: SessionID) -> Bool {
        guard let app = sessions[session] else { return false }
        return answers[app] == true && !restricted.contains(app.app)
    }

    private func anySession() -> SessionID? { sessions.keys.sorted().randomElement(using: &random) }
}
