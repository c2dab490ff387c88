import BoundedJSON
import HAPModel
import HAPTesting
import HomeHub
import HomeModel
import LineRPC

/// A scripted daemon that serves homes in memory.
actor FakeDaemon: LineRPCSessions {
    private struct Session {
        let peer: LineRPCPeer
        var isBrowsing = false
        var answersQuestions = false
        var receivesMessages = false
        var waiting: [(request: HomeRequest, call: Call)] = []
    }

    private(set) var graph = HomeGraph()
    private var feed: ChangeFeed
    private var sessions: [SessionID: Session] = [:]
    private var lastSession: UInt64 = 0
    // The thread sanitizer reports false races for the system's generator, which has no storage.
    private var random = SeededNumbers(seed: .random(in: 0 ... .max))
    private var time = Timestamp(millisecondsSince1970: 1_000)

    /// The status of new sessions.
    var status: AuthorizationStatus = [.determined, .authorized]
    /// The error for new sessions; `nil` to accept them.
    var refusal: HomeError?
    /// The errors to return, by method.
    var refusedMethods: [String: HomeError] = [:]
    /// The accessories that a search finds.
    var devices: [DiscoveredAccessory] = []
    /// The attribute database of added devices.
    var additions: [AccessoryObject] = [TestDevices.lamp()]
    /// The setup code of devices, or `nil` to accept any.
    var code: SetupCode?
    /// Methods that aren't answered until ``release()`` or cancellation.
    var held: Set<String> = []
    /// Whether the daemon handles cancellations.
    var heedsCancellation = true
    /// Methods that are performed immediately and answered by ``answerLate()``.
    var late: Set<String> = []
    /// The values that devices use instead of written values.
    var nearest: [Characteristic.ID: CharacteristicValue] = [:]
    /// The open questions.
    var questions: [AppPermission] = []
    /// The history of automations, newest first.
    var records: [TriggerRecord] = []
    var daylight: Daylight?
    /// The methods of a newer version, which this daemon doesn't know.
    var unknownMethods: Set<String> = []
    /// Whether devices hide their setup hashes.
    var hidesSetupHashes = false
    /// The characteristics that devices refuse to report.
    var silent: Set<Characteristic.ID> = []
    /// The characteristics that scenes fail to write.
    var failing: Set<Characteristic.ID> = []
    /// All requests in order.
    private(set) var asked: [HomeRequest] = []
    private var heldCalls: [(request: HomeRequest, call: Call)] = []
    private(set) var cancelled = 0
    private var isLate = false
    private var lateAnswers: [(call: Call, result: Result<JSONValue, HomeError>)] = []

    /// - Parameter notificationLimit: The maximum number of notifications that wait for an app.
    init(notificationLimit: Int = ChangeFeed.defaultLimit) { feed = ChangeFeed(limit: notificationLimit) }

    func configure(_ change: @Sendable (isolated FakeDaemon) -> Void) { change(self) }

    // MARK: Sessions

    func serve(_ peer: LineRPCPeer, _ inputs: AsyncStream<LineRPCInput>) async {
        lastSession += 1
        let id = SessionID(lastSession)
        for await input in inputs {
            switch input {
            case .request(let number, let method, let params):
                do {
                    guard !unknownMethods.contains(method),
                        let request = try HomeRequest(method: method, params: params)
                    else {
                        peer.answer(number, with: .failure(.methodNotFound(method)))
                        continue
                    }
                    asked.append(request)
                    if case .open = request { open(id, peer, number) } else { receive(request, Call(id, number)) }
                } catch {
                    peer.answer(number, with: .failure(failure(error)))
                }
            case .cancelled(let number): cancel(Call(id, number))
            }
        }
        sessions[id] = nil
        run(feed.closed(id))
    }

    private func open(_ id: SessionID, _ peer: LineRPCPeer, _ number: UInt64) {
        if held.contains("session.open") { return }
        if let refusal { return peer.answer(number, with: .failure(failure(refusal))) }
        sessions[id] = Session(peer: peer)
        feed.opened(id, status: status)
        peer.answer(number, with: .success(SessionReply(status: status, isSystemApp: true).json))
    }

    private func cancel(_ call: Call) {
        cancelled += 1
        guard heedsCancellation else { return }
        heldCalls.removeAll { $0.call == call }
        if let index = sessions[call.session]?.waiting.firstIndex(where: { $0.call == call }) {
            sessions[call.session]?.waiting.remove(at: index)
            return answer(call, .failure(HomeError(.homeAccessNotAuthorized)))
        }
        answer(call, .failure(HomeError(.operationCancelled)))
    }

    /// Closes all connections.
    func hangUp() { for session in sessions.values { session.peer.close() } }

    /// The number of sessions.
    var sessionCount: Int { sessions.count }

    /// Sets the user's decision about all apps.
    func decide(_ status: AuthorizationStatus) {
        self.status = status
        run(feed.authorizationChanged(of: Array(sessions.keys), to: status))
        for id in sessions.keys {
            let waiting = sessions[id]?.waiting ?? []
            sessions[id]?.waiting = []
            sessions[id]?.isBrowsing = false
            for (request, call) in waiting { receive(request, call) }
        }
    }

    // MARK: Calls

    private func receive(_ request: HomeRequest, _ call: Call) {
        guard !held.contains(request.method) else { return heldCalls.append((request, call)) }
        if let error = refusedMethods[request.method] { return answer(call, .failure(error)) }
        isLate = late.contains(request.method)
        defer { isLate = false }
        if case .setUpAccessory = request { return perform(request, call) }
        guard status.contains(.authorized) else {
            if status.contains(.determined) {
                return answer(call, .failure(HomeError(.homeAccessNotAuthorized)))
            }
            sessions[call.session]?.waiting.append((request, call))
            return
        }
        perform(request, call)
    }

    /// Performs the held calls.
    func release() {
        held = []
        let calls = heldCalls
        heldCalls = []
        for (request, call) in calls { receive(request, call) }
    }

    /// Sends the late answers.
    func answerLate() {
        let answers = lateAnswers
        lateAnswers = []
        for answer in answers { run(feed.answered(answer.call, with: answer.result)) }
    }

    /// The number of held calls.
    var heldCount: Int { heldCalls.count }

    private func perform(_ request: HomeRequest, _ call: Call) {
        do throws(HomeError) {
            switch request {
            case .write(let write): return try commit(graph.perform(write, using: &random), call)
            case .addAccessory(let addition), .setUpAccessory(let addition):
                guard let home = addition.home ?? graph.primaryHome?.id else { throw HomeError(.notFound) }
                if hidesSetupHashes, addition.payload != nil, addition.device == nil { throw HomeError(.notFound) }
                guard let device = devices.first(where: { $0.id == addition.device }) ?? devices.first else {
                    throw HomeError(.timedOutWaitingForAccessory)
                }
                if let code, (addition.code ?? addition.payload?.setup?.code) != code {
                    throw HomeError(.accessoryPairingFailed)
                }
                if device.vendor != nil, addition.payload?.ownershipToken == nil {
                    return answer(call, .success(AdditionReply.handedOver(app: "org.example.maker").json))
                }
                let commit = try graph.add(
                    AccessoryAddition(
                        home: home, deviceID: device.id, category: device.category, accessories: additions,
                        name: addition.name), using: &random)
                if !status.contains(.authorized), case .accessories(let ids) = commit.result {
                    let result = AccessorySetupResult(home: home, accessories: ids)
                    return run(
                        feed.answered(call, with: .success(AdditionReply.setUp(result).json), isForAnyone: true))
                }
                try self.commit(commit, call)
            default: answer(call, .success(try result(of: request, call)))
            }
        } catch {
            answer(call, .failure(error))
        }
    }

    private func commit(_ commit: HomeCommit, _ call: Call) throws(HomeError) {
        if let transaction = commit.transaction { run(feed.committed(transaction, by: call.session)) }
        answer(call, .success(commit.json))
    }

    private func result(of request: HomeRequest, _ call: Call) throws(HomeError) -> JSONValue {
        switch request {
        case .homes: return HomesReply(homes: graph.homes).json
        case .accessories(let page):
            var reply = try graph.page(page)
            let observed = feed.observed(by: call.session)
            var copy = HomeGraph(homes: graph.homes)
            for id in observed { copy.setNotification(true, for: id) }
            reply.accessories = reply.accessories.map { copy.accessory($0.id) ?? $0 }
            return reply.json
        case .readValues(let ids):
            return ids.map { id in
                guard let characteristic = graph.characteristic(id) else {
                    return ValueResult(characteristic: id, error: HomeError(.notFound))
                }
                return ValueResult(characteristic: id, value: characteristic.value ?? .bool(false), time: tick())
            }.json
        case .writeValues(let writes):
            return writes.map { write in
                guard let value = nearest[write.characteristic] ?? write.value else {
                    return ValueResult(characteristic: write.characteristic, error: HomeError(.nilParameter))
                }
                let event = LiveEvent.valueUpdated(write.characteristic, value, time: tick())
                if graph.apply(event) { run(feed.received(event, writer: call.session)) }
                return ValueResult(characteristic: write.characteristic, value: value, time: time)
            }.json
        case .setNotification(let ids, let isEnabled):
            var (results, actions) = feed.setNotification(isEnabled, for: ids, by: call.session, in: graph)
            for index in results.indices where silent.contains(results[index].characteristic) {
                feed.refused([results[index].characteristic])
                results[index].error = HomeError(.notificationNotSupported)
            }
            run(actions)
            return results.json
        case .startBrowsing:
            sessions[call.session]?.isBrowsing = true
            for device in devices { run(feed.notify(.accessoryFound(device), [call.session])) }
            return [:]
        case .stopBrowsing:
            sessions[call.session]?.isBrowsing = false
            return [:]
        case .permissions: return [AppPermission]().json
        case .answerQuestions:
            sessions[call.session]?.answersQuestions = true
            for question in questions { run(feed.notify(.permissionAsked(question), [call.session])) }
            return [:]
        case .runActionSet(let id):
            let actions = graph.home(of: id)?.actionSet(id)?.actions ?? []
            return actions.map { action in
                guard !failing.contains(action.characteristic) else {
                    return ValueResult(
                        characteristic: action.characteristic, error: HomeError(.accessoryNotReachable))
                }
                return ValueResult(characteristic: action.characteristic, value: action.targetValue, time: tick())
            }.json
        case .runTrigger(let id, let mode):
            guard mode != .check, let record = records.first(where: { $0.trigger == id }) else {
                throw HomeError(.notFound)
            }
            run(feed.received(.triggerFired(record)))
            return record.json
        case .triggerStatuses(let id):
            return (graph.home(id)?.triggers ?? []).map { trigger in
                TriggerStatus(trigger: trigger.id, last: records.first { $0.trigger == trigger.id })
            }.json
        case .triggerRecords(_, let id): return records.filter { id == nil || $0.trigger == id }.json
        case .daylight:
            guard let daylight else { throw HomeError(.locationForHomeDisabled) }
            return daylight.json
        case .receiveMessages:
            sessions[call.session]?.receivesMessages = true
            return [:]
        default: return [:]
        }
    }

    private func tick() -> Timestamp {
        time = Timestamp(millisecondsSince1970: time.millisecondsSince1970 + 1)
        return time
    }

    // MARK: Events

    /// Performs another client's write.
    @discardableResult func write(_ write: HomeWrite) throws(HomeError) -> HomeCommit {
        let commit = try graph.perform(write, using: &random)
        if let transaction = commit.transaction { run(feed.committed(transaction)) }
        return commit
    }

    /// Adds a device for another client.
    @discardableResult
    func add(_ device: DeviceID, _ accessories: [AccessoryObject], to home: Home.ID) throws(HomeError) -> [Accessory] {
        let commit = try graph.add(
            AccessoryAddition(
                home: home, deviceID: device, category: accessories.count > 1 ? .bridge : .lightbulb,
                accessories: accessories), using: &random)
        if let transaction = commit.transaction { run(feed.committed(transaction)) }
        return graph.accessories(at: device)
    }

    /// Sends a message of an automation to the sessions that requested such messages.
    func send(_ message: TriggerMessage) {
        run(feed.notify(.message(message), sessions.filter(\.value.receivesMessages).map(\.key)))
    }

    /// Receives a value from a device.
    func receive(_ id: Characteristic.ID, _ value: CharacteristicValue) {
        let event = LiveEvent.valueUpdated(id, value, time: tick())
        if graph.apply(event) { run(feed.received(event)) }
    }

    /// Receives values faster than they are delivered.
    func receive(_ values: [(id: Characteristic.ID, value: CharacteristicValue)]) {
        var actions: [ChangeFeed.Action] = []
        for (id, value) in values {
            let event = LiveEvent.valueUpdated(id, value, time: tick())
            if graph.apply(event) { actions += feed.received(event) }
        }
        run(actions)
    }

    /// Changes the reachability of an accessory.
    func reach(_ id: Accessory.ID, _ isReachable: Bool) {
        let event = LiveEvent.reachabilityUpdated(id, isReachable)
        if graph.apply(event) { run(feed.received(event)) }
    }

    /// Replaces all homes.
    func replaceHomes(by graph: HomeGraph) {
        self.graph = graph
        run(feed.homesReplaced(by: graph))
    }

    /// Changes the homes without notifications.
    func writeSilently(_ write: HomeWrite) throws(HomeError) { _ = try graph.perform(write, using: &random) }

    /// Notifies all sessions.
    func tell(_ notification: HomeNotification) { run(feed.notify(notification, Array(sessions.keys))) }

    /// Sends a raw notification to all sessions.
    func tell(_ method: String, _ params: JSONValue) {
        for session in sessions.values { try? session.peer.notify(method, params) }
    }

    /// Makes a device visible.
    func find(_ device: DiscoveredAccessory) {
        devices.append(device)
        run(feed.notify(.accessoryFound(device), sessions.filter(\.value.isBrowsing).map(\.key)))
    }

    /// Makes a device invisible.
    func lose(_ id: DeviceID) {
        devices.removeAll { $0.id == id }
        run(feed.notify(.accessoryLost(id), sessions.filter(\.value.isBrowsing).map(\.key)))
    }

    /// Whether a session is searching.
    var isBrowsing: Bool { sessions.values.contains(where: \.isBrowsing) }

    /// The observed characteristics.
    var observed: Set<Characteristic.ID> { feed.subscriptions }

    // MARK: Sending

    private func answer(_ call: Call, _ result: Result<JSONValue, HomeError>) {
        if isLate { lateAnswers.append((call, result)) } else { run(feed.answered(call, with: result)) }
    }

    private func run(_ actions: [ChangeFeed.Action]) {
        for case .deliver(let id) in actions {
            while let delivery = feed.next(for: id) {
                guard let peer = sessions[id]?.peer else { break }
                switch delivery {
                case .notification(let events): try? peer.notify(events.method, events.params)
                case .answer(let call, let result):
                    peer.answer(call.number, with: result.mapError { failure($0) })
                }
            }
        }
    }

    private nonisolated func failure(_ error: HomeError) -> RPCFailure {
        RPCFailure(code: error.code.rawValue, message: error.message, data: error.json)
    }
}
