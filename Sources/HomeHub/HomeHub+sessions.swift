import AsyncKit
import BoundedJSON
import HAPController
package import HomeModel
import Logging

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
        let id = SessionID(lastSession + 1)
        let reply = try permissions.opened(id, opening, by: peer)
        lastSession += 1
        sessions[id] = Session(opening)
        feed.opened(id, status: reply.status)
        if reply.status.contains(.authorized) { askForProofs(id) }
        return (id, reply)
    }

    /// A session is over; nothing of its calls that is not committed yet happens.
    package func close(_ session: SessionID) {
        guard let closed = sessions.removeValue(forKey: session) else { return }
        permissions.closed(session)
        calls.closed(session)
        searches.stop(session)
        perform(feed.closed(session))
        askOthersForProofs(insteadOf: session)
        closed.reader?.finish()
    }

    /// An app asks for something; the answer comes with ``nextDelivery(for:)``.
    ///
    /// - Parameters:
    ///   - request: anything but another `open`.
    ///   - call: what it waits on; numbers are used once in a session.
    package func receive(_ request: HomeRequest, as call: Call) {
        guard sessions[call.session] != nil else { return }
        switch calls.received(call) {
        case .accepted: break
        case .hubEnded: return perform([.fail(call, .hubEnds)])
        case .numberInUse:
            logger.warning("call number used twice", metadata: ["session": "\(call.session.number)"])
            return
        }
        switch request {
        case .open: answer(call, .failure(HomeError(.invalidParameter, detail: "the session is open already")))
        case .permissions:
            answer(call) { () throws(HomeError) in try permissions.permissions(for: call.session).json }
        case .setPermission(let app, let decision):
            answer(call) { () throws(HomeError) in
                try decide(decision, about: app, by: call.session)
                return [:]
            }
        case .answerQuestions:
            do throws(HomeError) {
                let questions = try permissions.answersQuestions(call.session)
                answer(call, .success([:]))
                perform(questions)
            } catch {
                answer(call, with: error)
            }
        case .setUpAccessory(let addition)
        where !permissions.status(of: call.session).contains(.authorized):
            setUpUnseen(addition, call)
        default:
            askPermission(for: request, call)
        }
    }

    /// Carries out what needs permission once its app has it.
    private func askPermission(for request: HomeRequest, _ call: Call) {
        let (admission, questions) = permissions.requested(by: call.session)
        perform(questions)
        switch admission {
        case .permitted:
            calls.started(call)
            perform(request, call)
        case .undecided:
            let now = ContinuousClock.now
            let deadline = now.advanced(by: configuration.permissionPatience)
            perform(calls.awaitsPermission(call, for: request, until: deadline, now: now))
            deadlineChanged.send()
        case .refused(let error): answer(call, with: error)
        }
    }

    /// The app would rather not wait any longer: what is not committed yet is answered with 23, or with 47 while it
    /// waits for permission.
    ///
    /// What an accessory was asked to do counts as committed, whatever will come of it.
    package func cancel(_ call: Call) {
        perform(calls.cancelled(call))
    }

    /// What a session is to be told next; waits until there is something.
    ///
    /// For one reader a session. Take the next only when the last has been handed to the system: what is not taken is
    /// bounded here.
    ///
    /// - Returns: `nil` once the session is over or the caller is cancelled.
    package func nextDelivery(for session: SessionID) async -> Delivery? {
        while sessions[session] != nil {
            if let delivery = feed.next(for: session) {
                if delivery == .notification(.homesUpdated) { repeatQuestions(to: session) }
                return delivery
            }
            // Who is cancelled gets what is there, and waits for no more.
            guard !Task.isCancelled else { return nil }
            let (wakes, reader) = AsyncStream.makeStream(of: Void.self)
            sessions[session]?.reader = reader
            for await _ in wakes {}
        }
        return nil
    }

    // MARK: Answers

    /// Whether somebody still waits for a call; what nobody waits for is not begun.
    func isAwaited(_ call: Call) -> Bool { calls.isAwaited(call) }

    /// Answers a call, once.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - result: what came of it.
    ///   - isForAnyone: whether the result shows nothing that needs permission.
    func answer(_ call: Call, _ result: Result<JSONValue, HomeError>, isForAnyone: Bool = false) {
        guard calls.answered(call) else { return }
        perform(feed.answered(call, with: result, isForAnyone: isForAnyone))
    }

    func answer(_ call: Call, with error: HomeError) { answer(call, .failure(error)) }

    func answer(_ call: Call, _ body: () throws(HomeError) -> JSONValue) {
        do throws(HomeError) {
            answer(call, .success(try body()))
        } catch {
            answer(call, .failure(error))
        }
    }

    /// Carries out the feed's wishes.
    func perform(_ actions: [ChangeFeed.Action]) {
        for action in actions {
            switch action {
            case .deliver(let session):
                sessions[session]?.reader?.finish()
                sessions[session]?.reader = nil
            case .subscribe(let ids), .unsubscribe(let ids): settleSubscriptions(of: ids)
            }
        }
    }
}
