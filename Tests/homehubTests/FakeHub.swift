import BoundedJSON
import CommandKit
import Glibc
import HAPModel
import HomeModel
import HomePresentation
import LineRPC
import Logging
import Synchronization
import TerminalKit

@testable import homehub

/// A daemon with devices that accept all writes.
final class FakeHub: LineRPCHandler {
    struct State {
        var graph = HomeGraph(homes: [House.home, House.cottage])
        var random = SeededGenerator()
        /// The values of reachable accessories.
        var values: [Characteristic.ID: CharacteristicValue] = [:]
        var history: [Characteristic.ID: [HistoryEntry]] = [:]
        var status: AuthorizationStatus = [.determined, .authorized]
        var permissions: [AppPermission] = []
        var questions: [ConsentQuestion] = []
        /// The accessories that a search finds.
        var found: [DiscoveredAccessory] = []
        /// The history of automations, newest first.
        var records: [TriggerRecord] = []
        var statuses: [TriggerStatus] = []
        var daylight: Daylight?
        /// The messages of automations to send once they are requested.
        var messages: [TriggerMessage] = []
        /// The notifications to send once values are observed.
        var events: [HomeNotification] = []
        /// The accessories that can't be unpaired.
        var stale: [Accessory.ID] = []
        /// The methods of writes that fail.
        var refusedWrites: Set<String> = []
        /// The names of new automations that the user doesn't allow.
        var refusedTriggers: Set<String> = []
        /// The accessories of the device to add; `nil` for an outlet.
        var additions: [AccessoryObject]?
        /// The methods that aren't answered.
        var silent: Set<String> = []
        /// The calls with an effect.
        var calls: [String] = []
    }

    let state: Mutex<State>

    init(_ change: (inout State) -> Void = { _ in }) {
        var state = State()
        change(&state)
        self.state = Mutex(state)
    }

    var calls: [String] { state.withLock { $0.calls } }
    var homes: [Home] { state.withLock { $0.graph.homes } }

    func call(_ method: String, _ params: JSONValue, from peer: LineRPCPeer) async throws -> JSONValue {
        do {
            guard let request = try HomeRequest(method: method, params: params) else {
                throw RPCFailure.methodNotFound(method)
            }
            if state.withLock({ $0.silent.contains(method) }) {
                if case .setNotification = request {
                    for notification in state.withLock(\.events) {
                        try peer.notify(notification.method, notification.params)
                    }
                }
                try await Task.sleep(for: .seconds(600))
            }
            if case .homes = request, state.withLock({ $0.status.isEmpty }) {
                // The permission question is pending.
                try await Task.sleep(for: .seconds(600))
            }
            let (answer, events) = try answer(to: request)
            for notification in events { try peer.notify(notification.method, notification.params) }
            return answer
        } catch let error as HomeError {
            throw RPCFailure(code: error.code.rawValue, message: error.message, data: error.json)
        }
    }

    private func answer(to request: HomeRequest) throws -> (JSONValue, [HomeNotification]) {
        try state.withLock { state in
            var events: [HomeNotification] = []
            switch request {
            case .open(let opening):
                let isSystemApp = opening.app == SessionOpening.systemApp
                return (SessionReply(status: state.status, isSystemApp: isSystemApp).json, [])
            case .homes:
                guard state.status.contains(.authorized) else { throw HomeError(.homeAccessNotAuthorized) }
                return (HomesReply(homes: state.graph.homes).json, [])
            case .accessories(let page): return (try state.graph.page(page).json, [])
            case .readValues(let ids): return (ids.map { state.result($0, state.values[$0]) }.json, [])
            case .history(let request): return ((state.history[request.characteristic] ?? []).json, [])
            case .activity: return ([ActivityEntry]().json, [])
            case .removeHistory: return ([:], [])
            case .writeValues(let writes):
                for write in writes {
                    state.calls.append("write \(write.characteristic) \(write.value?.json.text ?? "")")
                }
                return (writes.map { state.result($0.characteristic, $0.value) }.json, [])
            case .setNotification(let ids, _):
                swap(&events, &state.events)
                return (ids.map { state.result($0, nil) }.json, events)
            case .runActionSet(let id):
                let actions = state.graph.home(of: id)?.actionSet(id)?.actions ?? []
                state.calls.append("run \(id)")
                return (actions.map { state.result($0.characteristic, $0.targetValue) }.json, [])
            case .runTrigger(let id, let mode):
                state.calls.append("run \(id) \(mode)")
                guard let record = state.records.first(where: { $0.trigger == id }) else {
                    throw HomeError(.notFound)
                }
                return (record.json, [])
            case .triggerStatuses: return (state.statuses.json, [])
            case .triggerRecords(_, let id):
                return (state.records.filter { id == nil || $0.trigger == id }.json, [])
            case .daylight:
                guard let daylight = state.daylight else { throw HomeError(.locationForHomeDisabled) }
                return (daylight.json, [])
            case .receiveMessages: return ([:], state.messages.map(HomeNotification.message))
            case .startBrowsing: return ([:], state.found.map(HomeNotification.accessoryFound))
            case .stopBrowsing: return ([:], [])
            case .addAccessory(let addition), .setUpAccessory(let addition): return (try state.add(addition).json, [])
            case .permissions: return (state.permissions.json, [])
            case .setPermission(let app, let decision):
                state.calls.append("\(decision) \(app.app) \(app.uid)")
                return ([:], [])
            case .answerQuestions:
                return (
                    [:],
                    state.permissions.filter(\.isPending).map(HomeNotification.permissionAsked)
                        + state.questions.map(HomeNotification.consentAsked)
                )
            case .answerConsent(let id, let isAllowed): state.calls.append("answer \(id) \(isAllowed)")
            case .setVendor(let app, let vendor, let decision):
                state.calls.append("\(decision) \(app.app) \(app.uid) \(vendor)")
            case .write(let write):
                guard !state.refusedWrites.contains(write.method) else { throw HomeError(.genericError) }
                if case .addTrigger(_, let name, _, _) = write, state.refusedTriggers.contains(name) {
                    throw HomeError(.homeAccessNotAuthorized)
                }
                var commit = try state.graph.perform(write, using: &state.random)
                if case .removeAccessory = write { commit.stale = state.stale }
                return (commit.json, [])
            case .identify(let id): state.calls.append("identify \(id)")
            case .repairAccessory(let repair):
                let device = repair.device.map { "\($0)" } ?? "the same"
                state.calls.append("repair \(repair.accessory) with \(device)")
                // The device with the previous ID isn't on the network.
                guard repair.device != nil else { throw HomeError(.notFound) }
                return (HomeCommit(result: .accessories([repair.accessory]), transaction: nil).json, [])
            case .declineAddition(let id): state.calls.append("decline \(id)")
            }
            return ([:], [])
        }
    }

    // MARK: Running the command

    /// The result of a run.
    struct Outcome: Equatable {
        var code: Int32 = 0
        var output = ""
        var errors = ""
    }

    /// Runs the command, connected to this hub.
    ///
    /// - Parameters:
    ///   - words: The arguments.
    ///   - lines: The user's answers, after which the input ends.
    ///   - sight: The output that must be printed before each line is typed.
    ///   - seen: A condition on the output; the command is interrupted once it's true.
    ///   - searchTimeout: The time limit of a search.
    ///   - isTerminal: Whether the output is a terminal.
    /// - Returns: The exit code and output.
    /// - Throws: An error if the hub can't listen.
    func run(
        _ words: [String], lines: [String] = [], after sight: [String: String] = [:],
        until seen: (@Sendable (String) -> Bool)? = nil, searchTimeout: Duration = .seconds(100_000),
        isTerminal: Bool = false
    ) async throws -> Outcome {
        let folder = "/tmp/homehub-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        guard mkdir(folder, 0o700) == 0 else { throw HomeError(.unexpectedError) }
        defer { rmdir(folder) }
        let path = folder + "/s"
        let server = LineRPCServer(
            path: path, handler: self, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let (output, errors, answers) = (Printed(), Printed(), Answers(lines))
        let (all, sink) = AsyncStream.makeStream(of: Void.self)
        let terminal = Terminal(
            write: {
                output.add($0); sink.yield()
            },
            writeError: {
                errors.add($0); sink.yield()
            },
            environment: { _ in nil }, isTerminal: { isTerminal },
            readLine: {
                let line = answers.next()
                if let line, let text = sight[line] { await errors.shows(text) }
                return line
            })
        let code = try await withThrowingTaskGroup(of: Int32?.self) { group in
            let (listening, start) = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                defer { start.finish() }
                try await server.run { start.yield() }
                return nil
            }
            _ = await listening.first { true }
            let command = Task {
                await Terminal.$current.withValue(terminal) {
                    await SetupDialogue.$searchTimeout.withValue(searchTimeout) {
                        await SetupDialogue.$aloneTimeout.withValue(.milliseconds(100)) {
                            await HomeOptions.$hintDelay.withValue(.zero) {
                                await HomeSession.$progressDelay.withValue(.milliseconds(10)) {
                                    await Homehub.run(words + ["--socket", path])
                                }
                            }
                        }
                    }
                }
            }
            group.addTask {
                await withTaskCancellationHandler {
                    await command.value
                } onCancel: {
                    command.cancel()
                }
            }
            if let seen {
                group.addTask {
                    for await _ in all where seen(output.text + errors.text) { break }
                    command.cancel()
                    return nil
                }
            }
            defer { group.cancelAll() }
            while let code = try await group.next() { if let code { return code } }
            return -1
        }
        return Outcome(code: code, output: output.text, errors: errors.text)
    }

    func run(_ words: String...) async throws -> Outcome { try await run(words) }
}

extension FakeHub.State {
    fileprivate func result(_ id: Characteristic.ID, _ value: CharacteristicValue?) -> ValueResult {
        guard let accessory = graph.accessory(of: id), accessory.isReachable else {
            return ValueResult(characteristic: id, error: HomeError(.bridgedAccessoryNotReachable))
        }
        return ValueResult(
            characteristic: id, value: value ?? accessory.characteristic(id)?.value,
            time: .init(millisecondsSince1970: 1))
    }

    fileprivate mutating func add(_ addition: AdditionRequest) throws -> AdditionReply {
        calls.append("add \(addition.device.map { "\($0)" } ?? "-") \(addition.code?.text ?? "-")")
        guard addition.code?.text == "518-08-582" else { throw HomeError(.accessoryPairingFailed) }
        let information = ServiceObject(
            iid: .accessoryInformation, type: .accessoryInformation,
            characteristics: [
                CharacteristicObject(
                    iid: InstanceID(2), type: .name,
                    metadata: CharacteristicMetadata(format: .string, permissions: .pairedRead),
                    value: .string("New Lamp"))
            ])
        let outlet = ServiceObject(
            iid: InstanceID(10), type: .outlet, isPrimary: true,
            characteristics: [
                CharacteristicObject(
                    iid: InstanceID(11), type: .on,
                    metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .pairedWrite]),
                    value: .bool(false))
            ])
        let device = AccessoryObject(aid: AccessoryID(1), services: [information, outlet])
        return .added(
            try graph.add(
                AccessoryAddition(
                    home: addition.home ?? House.home.id, deviceID: addition.device ?? House.found.id,
                    category: .outlet,
                    accessories: additions ?? [device], name: addition.name),
                using: &random))
    }
}

/// The output so far.
final class Printed: Sendable {
    private let state = Mutex((text: "", watchers: [AsyncStream<Void>.Continuation]()))

    var text: String { state.withLock(\.text) }

    func add(_ more: String) {
        let watchers = state.withLock { state in
            state.text += more
            return state.watchers
        }
        for watcher in watchers { watcher.yield() }
    }

    /// Waits until the given text has been printed, or the task is canceled.
    func shows(_ text: String) async {
        let (changes, watcher) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.watchers.append(watcher) }
        watcher.yield()
        for await _ in changes where self.text.contains(text) { return }
    }
}

/// The user's lines, in order.
final class Answers: Sendable {
    private let lines: Mutex<ArraySlice<String>>
    init(_ lines: [String]) { self.lines = Mutex(lines[...]) }
    func next() -> String? { lines.withLock { $0.popFirst() } }
}

/// A random number generator with a fixed sequence.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
