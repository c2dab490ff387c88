import HomeHub
import HomeModel
import Testing

private let call = Call(SessionID(1), 7)
private let now = ContinuousClock.now
private let refusal = HomeError(.homeAccessNotAuthorized)

/// The progress of a call.
private enum Stage: CaseIterable, Sendable {
    case received, awaitingPermission, started, inEffect, committed, answered

    /// A table with the call at this stage.
    var table: CallTable {
        var calls = CallTable()
        _ = calls.received(call)
        switch self {
        case .received: break
        case .awaitingPermission:
            _ = calls.awaitsPermission(call, for: .homes, until: now + .seconds(5), now: now)
        case .started: calls.started(call)
        case .inEffect:
            calls.started(call)
            _ = calls.takesEffect(call)
        case .committed:
            calls.started(call)
            calls.committed(call)
        case .answered: _ = calls.answered(call)
        }
        return calls
    }
}

private let cancelled: [(Stage, HomeError.Code?)] = [
    (.received, .operationCancelled), (.awaitingPermission, .homeAccessNotAuthorized), (.started, .operationCancelled),
    (.inEffect, nil), (.committed, nil), (.answered, nil),
]

private let refused: [(Stage, HomeError.Code?)] = [
    (.received, nil), (.awaitingPermission, .homeAccessNotAuthorized), (.started, .homeAccessNotAuthorized),
    (.inEffect, .homeAccessNotAuthorized), (.committed, nil), (.answered, nil),
]

@Suite("The call table") struct CallTableTests {
    private func failure(_ code: HomeError.Code?) -> [CallTable.Action] {
        code.map { [.fail(call, HomeError($0))] } ?? []
    }

    @Test("fails a canceled call unless it is already in effect", arguments: cancelled)
    fileprivate func givenUp(stage: Stage, code: HomeError.Code?) {
        var calls = stage.table
        #expect(calls.cancelled(call) == failure(code))
        #expect(calls.isAwaited(call) == (code == nil && stage != .answered))
    }

    @Test("fails the calls of a refused app unless they need no permission or are stored", arguments: refused)
    fileprivate func refusedApp(stage: Stage, code: HomeError.Code?) {
        var calls = stage.table
        #expect(calls.refused([SessionID(2)]) == [])
        #expect(calls.refused([SessionID(1)]) == failure(code))
        #expect(calls.isAwaited(call) == (code == nil && stage != .answered))
    }

    @Test("ignores a call that has left the table", arguments: Stage.allCases)
    fileprivate func left(stage: Stage) {
        var ends: [(inout CallTable) -> Void] = [
            { $0.closed(SessionID(1)) }, { _ = $0.answered(call) }, { _ = $0.hubEnded() },
        ]
        if cancelled.contains(where: { $0 == stage && $1 != nil }) { ends.append { _ = $0.cancelled(call) } }
        if refused.contains(where: { $0 == stage && $1 != nil }) { ends.append { _ = $0.refused([SessionID(1)]) } }
        for end in ends {
            var calls = stage.table
            end(&calls)
            #expect(!calls.isAwaited(call))
            #expect(calls.takesEffect(call) == false)
            calls.committed(call)
            calls.started(call)
            #expect(!calls.isEffective(call))
            #expect(calls.answered(call) == false)
            #expect(calls.permitted([SessionID(1)]) == [])
            #expect(calls.nextDeadline == nil)
        }
    }

    @Test("lets no call take effect while it waits for permission", arguments: Stage.allCases)
    fileprivate func effect(stage: Stage) {
        var calls = stage.table
        let takesEffect = stage != .awaitingPermission && stage != .answered
        #expect(calls.takesEffect(call) == takesEffect)
        #expect(calls.isEffective(call) == takesEffect)
        if takesEffect { #expect(calls.cancelled(call) == []) }
    }

    @Test("performs waiting calls once when permission is granted", arguments: Stage.allCases)
    fileprivate func permitted(stage: Stage) {
        var calls = stage.table
        #expect(calls.permitted([SessionID(2)]) == [])
        #expect(calls.permitted([SessionID(1)]) == (stage == .awaitingPermission ? [.perform(call, .homes)] : []))
        #expect(calls.permitted([SessionID(1)]) == [])
        // A call that is in progress fails when permission is withdrawn.
        if stage == .awaitingPermission { #expect(calls.refused([SessionID(1)]) == [.fail(call, refusal)]) }
    }

    @Test("fails a call that waits for permission at its deadline, or immediately if the deadline has passed")
    func deadlines() {
        var calls = CallTable()
        for number: UInt64 in 1...3 { #expect(calls.received(Call(SessionID(1), number)) == .accepted) }
        let (one, two, three) = (Call(SessionID(1), 1), Call(SessionID(1), 2), Call(SessionID(1), 3))
        #expect(calls.awaitsPermission(one, for: .homes, until: now + .seconds(9), now: now) == [])
        #expect(calls.awaitsPermission(two, for: .homes, until: now + .seconds(5), now: now) == [])
        #expect(calls.awaitsPermission(three, for: .homes, until: now, now: now) == [.fail(three, refusal)])
        #expect(calls.nextDeadline == now + .seconds(5))
        #expect(calls.deadlinesPassed(now: now + .seconds(4)) == [])
        #expect(calls.deadlinesPassed(now: now + .seconds(5)) == [.fail(two, refusal)])
        #expect(calls.deadlinesPassed(now: now + .seconds(60)) == [.fail(one, refusal)])
        #expect(calls.nextDeadline == nil)
    }

    @Test("rejects a call number in use, and accepts the number again after the answer")
    func numbers() {
        var calls = CallTable()
        #expect(calls.received(call) == .accepted)
        #expect(calls.received(call) == .numberInUse)
        #expect(calls.received(Call(SessionID(2), call.number)) == .accepted)
        #expect(calls.answered(call) == true)
        #expect(calls.answered(call) == false)
        #expect(calls.received(call) == .accepted)
    }

    @Test("fails pending calls in order when the hub ends, and every later call")
    func end() {
        var calls = CallTable()
        let all = (1...20).map { Call(SessionID(UInt64(20 - $0)), UInt64($0)) }
        for call in all { #expect(calls.received(call) == .accepted) }
        let failures = calls.hubEnded()
        #expect(failures.count == 20)
        for (failure, call) in zip(failures, all) {
            guard case .fail(call, let error) = failure else {
                Issue.record("\(failure) in place of \(call)")
                continue
            }
            #expect(error.code == .daemonUnavailable)
        }
        #expect(calls.received(call) == .hubEnded)
        #expect(calls.hubEnded() == [])
    }
}
