package import HAPModel
internal import HAPProtocol

// Accessories with handlers. A handler has a time limit and returns a result for each value.
extension AccessoryServer {
    /// Adds an accessory with a handler, or replaces the one with its aid.
    ///
    /// - Throws: ``ComplianceError`` if a controller would reject the whole server because of the accessory.
    package func set(_ accessory: AccessoryObject, handler: any RequestHandler) throws(ComplianceError) {
        try set(accessory, source: nil, handler: handler, isReachable: true)
    }

    /// Releases all handlers after the server has stopped, because handlers may refer to the server's owner.
    package func removeHandlers() { registry.removeHandlers() }

    /// Writes the values of an order; the values time out if the handler is late.
    func write(_ order: AccessoryRegistry.Order, to handler: any RequestHandler) async -> OrderResult {
        let (values, aid) = (order.values, order.aid)
        let late = [WriteResult](repeating: .failure(.timedOut), count: values.count)
        let results = await limited(late) { await handler.write(values, to: aid) }
        for (write, result) in zip(values, results) where write.permitsResponse {
            // Also sets `nil`: a response that no controller fetched must not reach the next request.
            writeResponses[CharacteristicID(aid, write.iid)] = result.response
        }
        return .each(results)
    }

    /// Asks handlers for the values of characteristics, from all accessories concurrently.
    ///
    /// - Returns: The statuses of the values that can't be read.
    func readDevices(_ ids: [CharacteristicID]) async -> [CharacteristicID: HAPStatus] {
        let tasks = registry.reads(of: ids).map { read in Task.immediate { await readDevice(read) } }
        var failures: [CharacteristicID: HAPStatus] = [:]
        for task in tasks {
            // The read is canceled together with the request, whose connection has ended.
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
        let late = [ReadResult](repeating: .failure(.timedOut), count: read.characteristics.count)
        let results = await limited(late) { await read.handler.read(read.characteristics, of: read.aid) }
        var failures: [CharacteristicID: HAPStatus] = [:]
        var values: [(InstanceID, CharacteristicValue)] = []
        for (characteristic, result) in zip(read.characteristics, results) {
            if result.status != .success { failures[CharacteristicID(read.aid, characteristic.iid)] = result.status }
            if let value = result.value { values.append((characteristic.iid, value)) }
        }
        if !values.isEmpty { update(read.aid, values) }
        return failures
    }

    /// Runs a handler's work.
    ///
    /// After ``handlerTimeout``, or when the request is canceled, cancels the work and returns `late`.
    private func limited<Value: Sendable>(
        _ late: Value, _ work: @escaping @Sendable () async -> Value
    ) async -> Value {
        let first = FirstValue<Value>()
        let task = Task.immediate { first.set(await work()) }
        // Most handlers have finished by now.
        if let value = first.current { return value }
        let giveUp: @Sendable () -> Void = {
            first.set(late)
            task.cancel()
        }
        scheduler.schedule(at: scheduler.now + Self.handlerTimeout, giveUp)
        return await withTaskCancellationHandler {
            await first.wait()
        } onCancel: {
            giveUp()
        }
    }
}
