import BoundedJSON
import LineRPC

extension HomeManager {
    /// Sends a request to the daemon once it's connected, and waits for the answer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - deadline: The longest time to wait for the answer; `nil` to wait as long as the connection lasts.
    ///   - take: Decodes the result and applies it in order with the notifications, even after the caller stopped
    ///     waiting.
    /// - Returns: The result of `take`.
    /// - Throws: The daemon's error and the errors of `take`; `daemonUnavailable` if the daemon isn't connected or the
    ///   connection is lost; `operationTimedOut` after the deadline and `operationCancelled` if the task is canceled.
    ///   The last two are thrown only if the daemon then reports that nothing was done, or doesn't respond to the
    ///   cancellation.
    func call<Reply: Sendable>(
        _ request: HomeRequest, deadline: Duration?, _ take: @escaping (JSONValue) throws(HomeError) -> Reply
    ) async throws(HomeError) -> Reply {
        var peer = try await connected()
        // Other waiting calls may have been resumed at the same time and may have used up the capacity.
        while calls.count >= Self.callsOfApp { peer = try await connected() }
        if Task.isCancelled { throw HomeError(.operationCancelled) }
        do throws(HomeError) {
            return try await call(request, on: peer, deadline: deadline, take)
        } catch {
            throw request.needsTriggers && error == HomeError(.protocolMismatch) ? .noTriggers : error
        }
    }

    func call<Reply: Sendable>(
        _ request: HomeRequest, on peer: LineRPCPeer, deadline: Duration?,
        _ take: @escaping (JSONValue) throws(HomeError) -> Reply
    ) async throws(HomeError) -> Reply {
        let exchange = Exchange<Reply>()
        let id = try send(request, on: peer, exchange, take)
        let connection = connectionNumber
        let result = await withTaskGroup(of: Void.self) { group in
            if let deadline {
                group.addTask {
                    guard (try? await Task.sleep(for: deadline)) != nil else { return }
                    await self.giveUp(id, of: connection, because: HomeError(.operationTimedOut))
                }
            }
            defer { group.cancelAll() }
            return await withTaskCancellationHandler {
                await exchange.outcome
            } onCancel: {
                tasks.add(.cancel(call: id, connection: connection))
            }
        }
        return try result.get()
    }

    private func send<Reply: Sendable>(
        _ request: HomeRequest, on peer: LineRPCPeer, _ exchange: Exchange<Reply>,
        _ take: @escaping (JSONValue) throws(HomeError) -> Reply
    ) throws(HomeError) -> Int64 {
        guard peer === self.peer else { throw .connectionLost }
        let id: Int64
        var params = request.params
        if let person = Self.person, case .object(var members) = params {
            members[ActivityCause.personKey] = .string(person)
            params = .object(members)
        }
        do { id = try peer.ask(request.method, params) } catch { throw HomeError(error) }
        calls[id] = PendingCall(
            receive: { result in
                exchange.finish(Result { () throws(HomeError) in try take(try result.get()) })
            },
            fail: { exchange.finish(.failure($0)) })
        return id
    }

    /// Notifies the daemon that the caller stopped waiting.
    ///
    /// The daemon's answer contains the changes that it made before it received the notification.
    func giveUp(_ id: Int64, of connection: UInt64, because reason: HomeError) {
        guard connection == connectionNumber, calls[id] != nil, calls[id]?.reason == nil else { return }
        calls[id]?.reason = reason
        try? peer?.notify("rpc.cancel", ["id": .integer(id)])
        tasks.add(.expire(call: id, connection: connection))
    }

    /// Ends a canceled call that the daemon didn't answer.
    func expire(_ id: Int64, of connection: UInt64) {
        guard connection == connectionNumber, let call = calls[id], let reason = call.reason else { return }
        // The call stays in the table because its answer may still contain a change.
        call.fail(reason)
    }

    func answered(_ answer: LineRPCPeer.Answer) {
        guard let call = calls.removeValue(forKey: answer.id) else { return }
        notifyWaiters()
        switch answer.result {
        case .success(let json): call.receive(.success(json))
        case .failure(let failure):
            let error = HomeError(failure)
            switch error.code {
            case .operationCancelled: call.receive(.failure(call.reason ?? error))
            case .homeAccessNotAuthorized where error.detail == nil: call.receive(.failure(notAuthorized))
            default: call.receive(.failure(error))
            }
        }
    }

    func failCalls() {
        let failed = calls.values
        calls = [:]
        for call in failed { call.fail(call.reason ?? .connectionLost) }
    }
}
