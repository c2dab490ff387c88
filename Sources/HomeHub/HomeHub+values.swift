import BoundedJSON
import HAPController
import HAPProtocol
import HomeModel

import struct HAPModel.CharacteristicID
import enum HAPModel.CharacteristicValue
import struct HAPModel.DeviceID

extension HomeHub {
    // MARK: Reading

    /// Reads values, one request for each accessory server, all servers at once.
    func read(_ ids: [Characteristic.ID], _ call: Call) async {
        guard isAwaited(call) else { return }
        var requests = ValueRequests<Void>(ids, in: graph) { (_, characteristic) throws(HomeError) in
            try characteristic.metadata.validateRead()
        }
        let answers = await asked(requests.items) { link, items throws(LinkError) in
            try await link.read(items.map(\.place))
        }
        let time = WallClock.now
        for (device, items) in requests.items {
            takeNews(of: device)
            let late = connections[device]?.requests.end(items.map(\.place)) ?? [:]
            guard case .success(let readings)? = answers[device] else {
                fail(items, answers[device], in: &requests)
                heard(late, from: device)
                continue
            }
            heard(readings, from: device, asker: asker(of: call))
            heard(late, from: device, asker: asker(of: call))
            for item in items {
                // Whatever was told meanwhile is newer than what was read.
                switch late[item.place].flatMap({ try? $0.get() }).map(Reading.success) ?? readings[item.place] {
                case .success(let value)?:
                    requests.finish(item) {
                        $0.value = value
                        $0.time = time
                    }
                case .failure(let status)?:
                    requests.finish(item) { $0.error = HomeError(status, of: item.accessory) }
                case nil:
                    requests.finish(item) {
                        $0.error = HomeError(.accessorySentInvalidResponse, accessory: item.accessory.id)
                    }
                }
            }
        }
        answer(call, .success(requests.results.json))
    }

    // MARK: Writing

    /// Writes values, as ``read(_:_:)`` reads them.
    func write(_ writes: [ValueWrite], _ call: Call) async {
        guard isAwaited(call) else { return }
        answer(call, .success(await written(writes, by: call).json))
    }

    /// Whose answer holds what came of a call; nobody's, if it was given up and is answered already.
    private func asker(of call: Call) -> SessionID? { isAwaited(call) ? call.session : nil }

    private func written(_ writes: [ValueWrite], by call: Call) async -> [ValueResult] {
        var seen: Set<Characteristic.ID> = []
        var requests = ValueRequests<CharacteristicWrite>(writes.map(\.characteristic), in: graph) {
            (index, characteristic) throws(HomeError) in
            guard seen.insert(characteristic.id).inserted else {
                throw HomeError(.invalidParameter, detail: "one thing is to have two values")
            }
            let value = try characteristic.metadata.validatedWrite(writes[index].value)
            return CharacteristicWrite(
                CharacteristicID(.bridge, characteristic.iid), value,
                wantsResponse: characteristic.metadata.permissions.contains(.writeResponse),
                authorizationData: writes[index].authorizationData)
        }
        let answers = await asked(requests.items, by: call) { link, items throws(LinkError) in
            try await link.write(
                items.map { item in
                    var write = item.part
                    write.id = item.place
                    return write
                })
        }
        let time = WallClock.now
        for (device, items) in requests.items {
            takeNews(of: device)
            let late = connections[device]?.requests.end(items.map(\.place)) ?? [:]
            guard case .success(let outcomes)? = answers[device] else {
                fail(items, answers[device], in: &requests)
                heard(late, from: device)
                continue
            }
            for item in items {
                let outcome = outcomes[item.place] ?? WriteOutcome(.unableToCommunicate)
                if let error = HomeError(outcome.status, of: item.accessory) {
                    requests.finish(item) { $0.error = error }
                } else {
                    let value = outcome.response ?? item.part.value
                    requests.finish(item) {
                        $0.value = value
                        $0.time = time
                    }
                    wrote(value, at: time, to: requests.results[item.index].characteristic, by: asker(of: call))
                }
            }
            heardOfBridged(outcomes.mapValues(\.status), behind: device)
            heard(late, from: device)
        }
        return requests.results
    }

    /// A value was written: an accessory tells everybody else of it, but we are everybody's connection.
    private func wrote(_ value: CharacteristicValue, at time: Int64, to id: Characteristic.ID, by session: SessionID?) {
        guard let characteristic = graph.characteristic(id), !characteristic.type.isMomentary,
            characteristic.metadata.permissions.contains(.pairedRead)
        else { return }
        tell(.valueUpdated(id, value, time: time), writer: session)
    }

    // MARK: Asking accessories

    /// Asks every accessory server concerned at once.
    ///
    /// - Parameters:
    ///   - items: what is asked of each.
    ///   - call: whose it is, if it has an effect: once the first is asked it can be given up no more.
    ///   - ask: asks one.
    /// - Returns: what each has said.
    private func asked<Part, Answer: Sendable>(
        _ items: [DeviceID: [ValueRequests<Part>.Item]], by call: Call? = nil,
        _ ask: @escaping @Sendable (AccessoryLink, [ValueRequests<Part>.Item]) async throws(LinkError) -> Answer
    ) async -> [DeviceID: Result<Answer, LinkError>] {
        for (device, items) in items { connections[device]?.requests.begin(items.map(\.place)) }
        return await withTaskGroup(of: (DeviceID, Result<Answer, LinkError>).self) { group in
            for (device, items) in items {
                group.addTask {
                    guard let link = await self.openedLink(to: device) else { return (device, .failure(.notConnected)) }
                    if call != nil { await self.willWrite(items.map(\.place), by: link) }
                    guard await self.takesEffect(call) else { return (device, .failure(.notConnected)) }
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

    /// Whatever was heard of places until now is older than what is written to them.
    private func willWrite(_ places: [CharacteristicID], by link: AccessoryLink) async {
        await link.willWrite(places)
        takeNews(of: link.id)
        heard(connections[link.id]?.requests.willWrite(places) ?? [:], from: link.id)
    }

    /// Whether an accessory may be asked now, on behalf of a call if it has an effect.
    private func takesEffect(_ call: Call?) -> Bool { call.map { calls.takesEffect($0) } ?? true }

    /// The link to an accessory server; while the first try to connect to one that is there goes on, it is waited for.
    func openedLink(to device: DeviceID) async -> AccessoryLink? {
        let isSeen = browser.snapshot[device] != nil
        if isSeen, let opened = connections[device]?.untilOpened() { for await _ in opened {} }
        return connections[device]?.link
    }

    private func fail<Part, Answer>(
        _ items: [ValueRequests<Part>.Item], _ answer: Result<Answer, LinkError>?,
        in requests: inout ValueRequests<Part>
    ) {
        var reason = LinkError.notConnected
        if case .failure(let error)? = answer { reason = error }
        for item in items { requests.finish(item) { $0.error = HomeError(reason, of: item.accessory) } }
    }

    // MARK: Showing which one it is

    /// Has an accessory make itself noticed.
    func identify(_ id: Accessory.ID, _ call: Call) {
        guard let accessory = graph.accessory(id) else {
            return answer(call, with: HomeError(.notFound, detail: "there is no such accessory"))
        }
        guard accessory.supportsIdentify else {
            return answer(call, with: HomeError(.operationNotSupported, accessory: id))
        }
        guard !graph.isBlocked(accessory) else {
            return answer(call, with: HomeError(.accessoryIsBlocked, accessory: id))
        }
        start {
            guard await self.isAwaited(call) else { return }
            let link = await self.openedLink(to: accessory.deviceID)
            guard await self.takesEffect(call) else { return }
            await self.answer(call, Self.identified(accessory, by: link))
        }
    }

    private static func identified(
        _ accessory: Accessory, by link: AccessoryLink?
    ) async -> Result<JSONValue, HomeError> {
        do throws(LinkError) {
            guard let link else { throw .notConnected }
            let status = try await link.identify(accessory.aid)
            if status == .doesNotExist { return .failure(HomeError(.operationNotSupported, accessory: accessory.id)) }
            return HomeError(status, of: accessory).map { .failure($0) } ?? .success([:])
        } catch {
            return .failure(HomeError(error, of: accessory))
        }
    }

    // MARK: Scenes

    /// Sets all values of a scene; no scene runs twice at once.
    func run(_ id: ActionSet.ID, _ call: Call) {
        guard let actionSet = graph.home(of: id)?.actionSet(id) else {
            return answer(call, with: HomeError(.notFound, detail: "there is no such scene"))
        }
        guard !actionSet.actions.isEmpty else { return answer(call, with: HomeError(.noActionsInActionSet)) }
        guard runningActionSets.insert(id).inserted else {
            return answer(call, with: HomeError(.actionSetExecutionInProgress))
        }
        let writes = actionSet.actions.map { ValueWrite(characteristic: $0.characteristic, value: $0.targetValue) }
        start { await self.run(id, writes, call) }
    }

    private func run(_ id: ActionSet.ID, _ writes: [ValueWrite], _ call: Call) async {
        defer { runningActionSets.remove(id) }
        guard isAwaited(call) else { return }
        let results = await written(writes, by: call)
        let failures = results.filter { $0.error != nil }
        guard !failures.isEmpty else { return answer(call, .success(results.json)) }
        // The answer is an error and holds no values.
        for result in results where result.error == nil {
            guard let value = result.value, let time = result.time else { continue }
            let event = LiveEvent.valueUpdated(result.characteristic, value, time: time)
            perform(feed.tell(.cached(event), to: [call.session]))
        }
        let isTotal = failures.count == results.count
        answer(
            call,
            with: HomeError(
                isTotal ? .actionSetExecutionFailed : .actionSetExecutionPartialSuccess,
                detail: explanation(of: failures)))
    }

    /// What went wrong with which accessories.
    private func explanation(of failures: [ValueResult]) -> String {
        var reasons: [String] = []
        for failure in failures {
            guard let error = failure.error else { continue }
            let name = graph.accessory(of: failure.characteristic)?.name
            let reason = name.map { "\"\($0)\": \(error.message)" } ?? error.message
            if !reasons.contains(reason) { reasons.append(reason) }
        }
        let more = reasons.count > 3 ? ", and \(reasons.count - 3) more" : ""
        return reasons.prefix(3).joined(separator: ", ") + more
    }
}
