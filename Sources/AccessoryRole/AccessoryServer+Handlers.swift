package import HAPModel
internal import HAPProtocol
internal import Logging

// Accessories whose requests go to a handler, which has a time limit and returns a result for each value.
extension AccessoryServer {
    /// Adds an accessory with a handler, or replaces the accessory with the same aid.
    ///
    /// - Throws: ``ComplianceError`` if a controller would reject the whole server because of the accessory.
    package func set(_ accessory: AccessoryObject, handler: any RequestHandler) throws(ComplianceError) {
        try set(accessory, device: .handler(HandlerCalls(handler)), isReachable: true)
    }

    /// Releases all handlers after the server has stopped, because a handler may refer to the server's owner.
    package func removeHandlers() { registry.removeHandlers() }

    /// Writes the values of an order.
    ///
    /// If the handler is late, the status of all values is `timedOut`.
    func write(_ order: AccessoryRegistry.Order, to calls: HandlerCalls) async -> OrderResult {
        let (values, aid) = (order.values, order.aid)
        let results = await limited(calls, of: aid) { handler in
            await handler.write(values, to: aid)
        } otherwise: { status in
            values.map { _ in .failure(status) }
        }
        for (write, result) in zip(values, results) where write.permitsResponse {
            // Clear an earlier response that no controller requested, even if this result has no response.
            writeResponses[CharacteristicID(aid, write.iid)] = result.response
        }
        return .each(results)
    }

    /// Reads characteristics from the handlers of all accessories concurrently.
    ///
    /// - Returns: The statuses of the values that can't be read.
    func readDevices(_ ids: [CharacteristicID]) async -> [CharacteristicID: HAPStatus] {
        let tasks = registry.reads(of: ids).map { read in Task.immediate { await readDevice(read) } }
        var failures: [CharacteristicID: HAPStatus] = [:]
        for task in tasks {
            // When the connection ends, the request is canceled; cancel the read, too.
            let failed = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            failures.merge(failed) { $1 }
        }
        return failures
    }

    private func readDevice(_ read: AccessoryRegistry.DeviceRead) async -> [CharacteristicID: HAPStatus] {
        let results = await limited(read.calls, of: read.aid) { handler in
            await handler.read(read.characteristics, of: read.aid)
        } otherwise: { status in
            read.characteristics.map { _ in .failure(status) }
        }
        var failures: [CharacteristicID: HAPStatus] = [:]
        var values: [(InstanceID, CharacteristicValue)] = []
        for (characteristic, result) in zip(read.characteristics, results) {
            if result.status != .success { failures[CharacteristicID(read.aid, characteristic.iid)] = result.status }
            if let value = result.value { values.append((characteristic.iid, value)) }
        }
        if !values.isEmpty { update(read.aid, values) }
        return failures
    }

    /// Calls a handler, with a time limit.
    ///
    /// After ``handlerTimeout``, or when the request is canceled, cancels the call and fails with `timedOut`. If too
    /// many calls are unfinished, fails with `busy` without calling the handler.
    private func limited<Value: Sendable>(
        _ calls: HandlerCalls, of aid: AccessoryID,
        _ call: @escaping @Sendable (any RequestHandler) async -> Value,
        otherwise failure: @escaping @Sendable (HAPStatus) -> Value
    ) async -> Value {
        guard begin(calls, of: aid) else { return failure(.busy) }
        let first = FirstValue<Value>()
        let (scheduler, logger, began) = (scheduler, logger, scheduler.now)
        let task = Task.immediate {
            first.set(await call(calls.handler))
            calls.end()
            let duration = scheduler.now - began
            guard duration > Self.handlerTimeout, calls.isFirstLate() else { return }
            logger.warning(
                "handler exceeded time limit",
                metadata: ["aid": "\(aid)", "duration": "\(duration)", "limit": "\(Self.handlerTimeout)"])
        }
        // Most handlers have already finished, because they don't suspend.
        if let value = first.current { return value }
        let giveUp: @Sendable () -> Void = {
            first.set(failure(.timedOut))
            task.cancel()
        }
        scheduler.schedule(at: began + Self.handlerTimeout, giveUp)
        return await withTaskCancellationHandler {
            await first.wait()
        } onCancel: {
            giveUp()
        }
    }

    /// Records the start of a handler's call, and returns whether the call may start.
    func begin(_ calls: HandlerCalls, of aid: AccessoryID) -> Bool {
        if calls.begin() { return true }
        if calls.isFirstRefused() {
            logger.warning(
                "handler calls refused",
                metadata: ["aid": "\(aid)", "unfinished": "\(HandlerCalls.maximumUnfinished)"])
        }
        return false
    }
}
