import BoundedJSON
import LineRPC

extension HomeManager {
    /// Sends a request to the daemon once it is connected, and waits for the answer.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - deadline: how long to wait for the answer; `nil` as long as the connection lasts.
    ///   - take: reads the result and applies it, at its place among the notifications; even after the caller stopped waiting.
    /// - Returns: the result of `take`.
    /// - Throws: the daemon's error and errors of `take`; `operationTimedOut` after the deadline,
    ///   `operationCancelled` if the task is cancelled, both of them only if the daemon says that nothing was done, or
    ///   says nothing; `daemonUnavailable`.
    func call<Reply: Sendable>(
        _ request: HomeRequest, deadline: Duration?, _ take: @escaping (JSONValue) throws(HomeError) -> Reply
    ) async throws(HomeError) -> Reply {
        var peer = try await connected()
        // Others may have been woken with us.
        while calls.count >= Self.callsOfApp { peer = try await connected() }
        if Task.isCancelled { throw HomeError(.operationCancelled) }
        return try await call(request, on: peer, deadline: deadline, take)
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
        do { id = try peer.ask(request.method, request.params) } catch { throw HomeError(error) }
        calls[id] = PendingCall(
            receive: { result in
                exchange.finish(Result { () throws(HomeError) in try take(try result.get()) })
            },
            fail: { exchange.finish(.failure($0)) })
        return id
    }

    /// Notifies the daemon that the caller stopped waiting; its answer holds the changes made until then.
    func giveUp(_ id: Int64, of connection: UInt64, because reason: HomeError) {
        guard connection == connectionNumber, calls[id] != nil, calls[id]?.reason == nil else { return }
        calls[id]?.reason = reason
        try? peer?.notify("rpc.cancel", ["id": .integer(id)])
        tasks.add(.expire(call: id, connection: connection))
    }

    /// Ends a canceled call that the daemon didn't answer.
    func expire(_ id: Int64, of connection: UInt64) {
        guard connection == connectionNumber, let call = calls[id], let reason = call.reason else { return }
        // The call stays known: its answer may still hold a change.
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
