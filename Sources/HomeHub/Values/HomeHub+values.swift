import BoundedJSON
import HAPController
import HAPProtocol
import HomeModel
import SystemKit

import struct HAPModel.CharacteristicID
import enum HAPModel.CharacteristicValue
import struct HAPModel.DeviceID

// Performs calls that need accessories: reads and writes values, identifies accessories, runs scenes.
extension HomeHub {
    // MARK: Reading

    /// Reads values, with one request for each accessory server, all in parallel.
    func readValues(_ ids: [Characteristic.ID], _ call: Call) async {
        guard isAwaited(call) else { return }
        var requests = ValueRequests<Void>(ids, in: graph) { (_, characteristic) throws(HomeError) in
            try characteristic.metadata.validateRead()
        }
        let answers = await asked(requests.items) { link, items throws(LinkError) in
            try await link.read(items.map(\.location))
        }
        let time = Timestamp.now
        for (device, items) in requests.items {
            let late = ended(items.map(\.location), at: device)
            guard case .success(let readings)? = answers[device] else {
                fail(items, answers[device], in: graph, &requests)
                received(late, from: device)
                continue
            }
            // The link has already reported the values in the answer, unless newer values have arrived.
            received(late, from: device, asker: asker(of: call))
            for item in items {
                // Values reported in the meantime are newer than the values in the answer.
                switch late[item.location].flatMap({ try? $0.get() }).map(Reading.success) ?? readings[item.location] {
                case .success(let value)?:
                    requests.finish(item) {
                        $0.value = value
                        $0.time = time
                    }
                case .failure(let status)?:
                    requests.finish(item) { $0.error = HomeError(status, of: item.accessory) }
                case nil:
                    let error = noValue(of: item, in: requests)
                    requests.finish(item) { $0.error = error }
                }
            }
        }
        answer(call, .success(requests.results.json))
    }

    /// Returns the error for a characteristic that has no value in the accessory's answer.
    private func noValue(of item: ValueRequests<Void>.Item, in requests: ValueRequests<Void>) -> HomeError {
        let characteristic = item.accessory.characteristic(requests.results[item.index].characteristic)
        guard characteristic?.type.isMomentary == true else {
            return HomeError(.accessorySentInvalidResponse, accessory: item.accessory.id)
        }
        return HomeError(
            .operationNotSupported, detail: "a button has no value; to see presses, use \(ShellCommand.homehub) watch",
            accessory: item.accessory.id)
    }

    // MARK: Writing

    /// Writes values, with one request for each accessory server, all in parallel.
    func writeValues(_ writes: [ValueWrite], _ call: Call) async {
        guard isAwaited(call) else { return }
        answer(call, .success(await written(writes, by: .app(call)).json))
    }

    /// Returns the session whose answer will contain the results of a call; `nil` if the call was already answered, for
    /// example because it was canceled.
    private func asker(of call: Call) -> SessionID? {
        isAwaited(call) ? call.session : nil
    }

    private func asker(of writer: ValueWriter) -> SessionID? {
        switch writer {
        case .app(let call, _): asker(of: call)
        case .plan: nil
        }
    }

    func written(_ writes: [ValueWrite], by writer: ValueWriter) async -> [ValueResult] {
        runs.willWrite(writes.lazy.map(\.characteristic), by: writer)
        let origin = activityOrigin(of: writer)
        var seen: Set<Characteristic.ID> = []
        var requests = ValueRequests<AccessoryWrite>(writes.map(\.characteristic), in: graph) {
            (index, characteristic) throws(HomeError) in
            guard seen.insert(characteristic.id).inserted else {
                throw HomeError(.invalidParameter, detail: "the request sets a characteristic twice")
            }
            let value = try characteristic.metadata.validatedWrite(writes[index].value)
            return AccessoryWrite(
                CharacteristicID(.bridge, characteristic.iid), value,
                wantsResponse: characteristic.metadata.permissions.contains(.writeResponse),
                authorizationData: writes[index].authorizationData)
        }
        let answers = await asked(requests.items, by: writer) { link, items throws(LinkError) in
            try await link.write(
                items.map { item in
                    var write = item.part
                    write.id = item.location
                    return write
                })
        }
        let time = Timestamp.now
        for (device, items) in requests.items {
            let late = ended(items.map(\.location), at: device)
            guard case .success(let outcomes)? = answers[device] else {
                fail(items, answers[device], in: graph, &requests)
                recordFailures(requests, of: items, from: origin)
                received(late, from: device)
                continue
            }
            var targets: Set<Service.ID> = []
            for item in items {
                let outcome = outcomes[item.location] ?? WriteOutcome(.unableToCommunicate)
                if let error = HomeError(outcome.status, of: item.accessory) {
                    requests.finish(item) { $0.error = error }
                    recordFailures(requests, of: [item], from: origin)
                } else {
                    let value = outcome.response ?? item.part.value
                    let characteristic = graph.characteristic(requests.results[item.index].characteristic)
                    if let characteristic, characteristic.type.currentValueType != nil {
                        targets.insert(characteristic.service)
                    }
                    requests.finish(item) {
                        $0.value = value
                        $0.time = time
                    }
                    wrote(
                        value, at: time, to: requests.results[item.index].characteristic, by: asker(of: writer),
                        from: origin)
                }
            }
            received(outcomes.mapValues(\.status), behind: device)
            received(late, from: device)
            wroteTargets(of: targets, at: device)
        }
        return requests.results
    }

    /// Notifies apps of a write.
    ///
    /// An accessory notifies all controllers except the writer, which is the hub.
    private func wrote(
        _ value: CharacteristicValue, at time: Timestamp, to id: Characteristic.ID, by session: SessionID?,
        from origin: ActivityOrigin?
    ) {
        guard let characteristic = graph.characteristic(id), !characteristic.type.isMomentary,
            characteristic.metadata.permissions.contains(.pairedRead)
        else { return }
        recordSuccess(of: id, from: origin)
        apply(.valueUpdated(id, value, time: time), writer: session, activity: origin)
    }

    // MARK: Requests to accessories

    /// Sends requests to all affected accessory servers in parallel.
    ///
    /// The call can't be canceled after the first request is sent.
    private func asked<Part, Answer: Sendable>(
        _ items: [DeviceID: [ValueRequests<Part>.Item]], by writer: ValueWriter? = nil,
        _ ask: @escaping @Sendable (AccessoryLink, [ValueRequests<Part>.Item]) async throws(LinkError) -> Answer
    ) async -> [DeviceID: Result<Answer, LinkError>] {
        for (device, items) in items { connections[device]?.requests.begin(items.map(\.location)) }
        return await withTaskGroup(of: (DeviceID, Result<Answer, LinkError>).self) { group in
            for (device, items) in items {
                group.addTask {
                    guard let link = await self.linkToAsk(device, items.map(\.location), for: writer) else {
                        return (device, .failure(.notConnected))
                    }
                    do throws(LinkError) {
                        return (device, .success(try await ask(link, items)))
                    } catch {
                        return (device, .failure(error))
                    }
                }
            }
            var answers: [DeviceID: Result<Answer, LinkError>] = [:]
            for await (device, answer) in group { answers[device] = answer }
            return answers
        }
    }

    /// Returns the link for a request; `nil` if there is no link, the call was canceled, or the run was replaced.
    ///
    /// The call can't be canceled after this method has returned a link.
    private func linkToAsk(
        _ device: DeviceID, _ locations: [CharacteristicID], for writer: ValueWriter?
    ) async -> AccessoryLink? {
        guard let link = await openedLink(to: device) else { return nil }
        guard let writer else { return link }
        await willWrite(locations, by: link)
        return mayWrite(writer) ? link : nil
    }

    /// Checks, immediately before a request, that its call wasn't canceled and its run wasn't replaced.
    private func mayWrite(_ writer: ValueWriter) -> Bool {
        switch writer {
        case .app(let call, _): calls.takesEffect(call)
        case .plan(let plan): runs.isCurrent(plan.run)
        }
    }

    private func fail<Part, Answer>(
        _ items: [ValueRequests<Part>.Item], _ answer: Result<Answer, LinkError>?, in graph: HomeGraph,
        _ requests: inout ValueRequests<Part>
    ) {
        var reason = LinkError.notConnected
        if case .failure(let error)? = answer { reason = error }
        for item in items { requests.finish(item) { $0.error = HomeError(reason, of: item.accessory, in: graph) } }
    }

    // MARK: Identifying

    func identify(_ id: Accessory.ID, _ call: Call) {
        guard let accessory = graph.accessory(id) else {
            return answer(call, with: HomeError(.notFound, detail: "this accessory doesn't exist"))
        }
        guard accessory.supportsIdentify else {
            return answer(call, with: HomeError(.operationNotSupported, accessory: id))
        }
        guard !graph.isBlocked(accessory) else {
            return answer(call, with: HomeError(.accessoryIsBlocked, accessory: id))
        }
        start { hub in
            guard hub.isAwaited(call) else { return }
            let link = await hub.openedLink(to: accessory.deviceID)
            guard hub.calls.takesEffect(call) else { return }
            let outcome = await Self.identified(accessory, by: link)
            hub.answer(call, outcome.mapError { HomeError($0, of: accessory, in: hub.graph) }.flatMap { $0 })
        }
    }

    private static func identified(
        _ accessory: Accessory, by link: AccessoryLink?
    ) async -> Result<Result<JSONValue, HomeError>, LinkError> {
        do throws(LinkError) {
            guard let link else { throw .notConnected }
            let status = try await link.identify(accessory.aid)
            guard status != .doesNotExist else {
                return .success(.failure(HomeError(.operationNotSupported, accessory: accessory.id)))
            }
            return .success(HomeError(status, of: accessory).map { .failure($0) } ?? .success([:]))
        } catch {
            return .failure(error)
        }
    }

    // MARK: Scenes

    /// Writes all values of a scene.
    ///
    /// A scene can't run twice at the same time.
    func runActionSet(_ id: ActionSet.ID, _ call: Call) {
        guard let actionSet = graph.home(of: id)?.actionSet(id) else {
            return answer(call, with: HomeError(.notFound, detail: "this scene doesn't exist"))
        }
        guard !actionSet.actions.isEmpty else { return answer(call, with: HomeError(.noActionsInActionSet)) }
        guard runningActionSets.insert(id).inserted else {
            return answer(call, with: HomeError(.actionSetExecutionInProgress))
        }
        let writes = actionSet.actions.map { ValueWrite(characteristic: $0.characteristic, value: $0.targetValue) }
        start { hub in await hub.runActionSet(id, writes, call) }
    }

    private func runActionSet(_ id: ActionSet.ID, _ writes: [ValueWrite], _ call: Call) async {
        defer { runningActionSets.remove(id) }
        guard isAwaited(call) else { return }
        let last = graph.home(of: id)?.actionSet(id)?.lastExecutionTime
        apply(.actionSetExecutionUpdated(id, isExecuting: true, last: last), writer: call.session)
        beginActivity(of: .app(call, scene: id))
        let results = await written(writes, by: .app(call, scene: id))
        let error = graph.error(ofScene: results)
        let isDone = error?.code != .actionSetExecutionFailed
        let time = isDone ? Timestamp.now : last
        apply(.actionSetExecutionUpdated(id, isExecuting: false, last: time), writer: call.session)
        // If some writes succeeded, the app receives the result of each write instead of an error.
        if let error, !isDone { answer(call, with: error) } else { answer(call, .success(results.json)) }
        if isDone, let time { await save(id, lastExecutionTime: time) }
    }
}
