/// A standard setup with a state, for web pages, terminals and apps that show one step at a time.
///
/// ```swift
/// let setup = try await manager.beginSetup(AccessorySetupRequest())
/// for await state in setup.states {
///     switch state {
///     case .searching(let devices): show(devices)  // and somewhere: try await setup.answer(.code(code))
///     case .code(let question): askForCode(question.refusal, question.attemptsLeft)
///     case .done(let result): show(result)
///     …
///     }
/// }
/// ```
///
/// The steps are those of ``AccessorySetupManager``. A page that is loaded again finds the session by its ID
/// (``HomeManager/setup(_:)``) and continues with the current step. A setup ends if it's canceled, or if a question
/// isn't answered within ``timeLimit``. If the accessory isn't in the home yet, nothing has changed. Otherwise, the
/// accessory keeps its current settings.
public actor AccessorySetupSession: Identifiable {
    /// The type of a session's ID.
    public typealias ID = Identifier<AccessorySetupSession>

    private typealias Reply = Result<AccessorySetupAnswer, HomeError>

    /// The session's ID.
    public nonisolated let id: ID
    /// The longest time that a question waits for its answer.
    public nonisolated let timeLimit: Duration
    fileprivate nonisolated let asksForDetails: Bool

    /// The current state.
    public private(set) var state = AccessorySetupState.searching([])

    private let manager: HomeManager
    private var setup: Task<Void, Never>?
    private var question: (number: Int, continuation: CheckedContinuation<Reply, Never>)?
    private var lastQuestion = 0
    /// The found devices in order of discovery.
    private var devices: [DiscoveredAccessory] = []
    /// The device that was chosen before its code was entered.
    private var chosen: DiscoveredAccessory?
    private var lastReader: UInt64 = 0
    private var readers: [UInt64: AsyncStream<AccessorySetupState>.Continuation] = [:]

    init(_ manager: HomeManager, asksForDetails: Bool, timeLimit: Duration) {
        var random = SystemRandomNumbers()
        id = ID(using: &random)
        self.manager = manager
        self.asksForDetails = asksForDetails
        self.timeLimit = timeLimit
    }

    // MARK: States and answers

    /// The current state, and then each new state.
    ///
    /// A slow reader receives only the latest state. The stream ends when the setup ends.
    public nonisolated var states: AsyncStream<AccessorySetupState> {
        let (states, sink) = AsyncStream.makeStream(of: AccessorySetupState.self, bufferingPolicy: .bufferingNewest(1))
        Task { await self.read(sink) }
        return states
    }

    /// Answers the current question.
    ///
    /// - Throws: `invalidParameter` for an answer to a different question, or for an unknown device, room or choice;
    ///   `operationInProgress` if no question is waiting for an answer; `notFound` if the setup has ended.
    public func answer(_ answer: AccessorySetupAnswer) throws(HomeError) {
        guard !state.isOver else { throw HomeError(.notFound, detail: "this setup has ended; start again") }
        guard let question else {
            throw HomeError(.operationInProgress, detail: "no question needs an answer; wait for the next question")
        }
        guard state.takes(answer) else {
            throw HomeError(.invalidParameter, detail: "this answer doesn't match the current question")
        }
        self.question = nil
        question.continuation.resume(returning: .success(answer))
    }

    /// Cancels the setup.
    ///
    /// An accessory that is being paired is unpaired again. An accessory that is already in the home stays there.
    public func cancel() { setup?.cancel() }

    // MARK: Running

    func begin(_ request: AccessorySetupRequest) {
        setup = Task {
            do throws(HomeError) {
                switch try await AccessorySetupManager(manager).perform(request, interaction: SetupSteps(session: self))
                {
                case .added(let result): become(.done(result))
                case .handedOver(let app): become(.handedOver(appName: app))
                }
            } catch {
                become(.failed(error))
            }
            for reader in readers.values { reader.finish() }
            readers = [:]
        }
    }

    private func become(_ state: AccessorySetupState) {
        self.state = state
        for reader in readers.values { reader.yield(state) }
    }

    private func read(_ sink: AsyncStream<AccessorySetupState>.Continuation) {
        sink.yield(state)
        guard !state.isOver else { return sink.finish() }
        lastReader += 1
        let number = lastReader
        readers[number] = sink
        sink.onTermination = { [weak self] _ in Task { await self?.unread(number) } }
    }

    private func unread(_ number: UInt64) { readers[number] = nil }

    // MARK: Questions

    /// Publishes a question and waits for its answer.
    ///
    /// - Throws: `operationTimedOut` if no answer arrives in time, `operationCancelled` if the setup is canceled.
    fileprivate func ask(_ state: AccessorySetupState) async throws(HomeError) -> AccessorySetupAnswer {
        lastQuestion += 1
        let number = lastQuestion
        let limit = Task {
            guard (try? await Task.sleep(for: timeLimit)) != nil else { return }
            giveUp(
                number, because: HomeError(.operationTimedOut, detail: "the setup timed out; start again"))
        }
        defer { limit.cancel() }
        let reply: Reply = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Reply, Never>) in
                guard !Task.isCancelled else {
                    return continuation.resume(returning: .failure(HomeError(.operationCancelled)))
                }
                question = (number, continuation)
                become(state)
            }
        } onCancel: {
            Task { await self.giveUp(number, because: HomeError(.operationCancelled)) }
        }
        return try reply.get()
    }

    private func giveUp(_ number: Int, because error: HomeError) {
        guard let question, question.number == number else { return }
        self.question = nil
        question.continuation.resume(returning: .failure(error))
    }

    // MARK: Steps

    fileprivate func credentials() async throws(HomeError) -> AccessorySetupCredentials {
        let browser = manager.makeAccessoryBrowser()
        // Don't search if the app has no access to the homes. It can still add an accessory with a code.
        let search: Task<Void, Never>? =
            if (try? await manager.maySeeHomes()) == true, (try? await browser.start()) != nil {
                Task { for await event in browser.events { found(event) } }
            } else {
                nil
            }
        let answer: Result<AccessorySetupAnswer, HomeError>
        do throws(HomeError) { answer = .success(try await ask(.searching(devices))) } catch {
            answer = .failure(error)
        }
        search?.cancel()
        await browser.stop()
        switch try answer.get() {
        case .payload(let payload): return .payload(payload)
        case .code(let code): return .code(code)
        case .device(let id):
            chosen = devices.first { $0.id == id }
            return .code(try await code(for: chosen, attemptsLeft: AccessorySetupManager.codeAttempts, refusal: nil))
        default: throw HomeError(.invalidParameter)
        }
    }

    private func found(_ event: BrowserEvent) {
        switch event {
        case .found(let device):
            if let index = devices.firstIndex(where: { $0.id == device.id }) {
                devices[index] = device
            } else {
                devices.append(device)
            }
        case .removed(let device): devices.removeAll { $0.id == device.id }
        case .reset(let all): devices = all
        }
        switch state {
        case .searching: become(.searching(devices))
        case .choosing: become(.choosing(devices))
        default: break
        }
    }

    fileprivate func choice(from found: EventStream<BrowserEvent>) async throws(HomeError) -> DiscoveredAccessory {
        if let chosen { return chosen }
        devices = []
        let search = Task { for await event in found { self.found(event) } }
        defer { search.cancel() }
        guard case .device(let id) = try await ask(.choosing(devices)),
            let device = devices.first(where: { $0.id == id })
        else { throw HomeError(.notFound, detail: "the device is no longer available") }
        return device
    }

    fileprivate func code(
        for accessory: DiscoveredAccessory?, attemptsLeft: Int, refusal: HomeError?
    ) async throws(HomeError) -> SetupCode {
        let question = SetupCodeQuestion(accessory: accessory, attemptsLeft: attemptsLeft, refusal: refusal)
        guard case .code(let code) = try await ask(.code(question)) else { throw HomeError(.invalidParameter) }
        return code
    }

    fileprivate func connecting(_ accessory: DiscoveredAccessory?) { become(.connecting(accessory)) }
}

extension AccessorySetupState {
    /// Returns a Boolean value that indicates whether an answer matches the current question.
    fileprivate func takes(_ answer: AccessorySetupAnswer) -> Bool {
        switch (self, answer) {
        case (.searching, .payload), (.searching, .code), (.code, .code): true
        case (.searching(let devices), .device(let id)), (.choosing(let devices), .device(let id)):
            devices.contains { $0.id == id }
        case (.naming, .name), (.naming, .unchanged): true
        case (.room(let question), .room(let id)): question.home.room(id) != nil
        case (.room, .unchanged): true
        case (.serviceType(_, _, let choices), .serviceType(let type)): choices.contains(type)
        case (.serviceType, .unchanged), (.favorite, .favorite), (.favorite, .unchanged): true
        default: false
        }
    }
}

/// The questions of the standard setup, as states of a session.
private struct SetupSteps: AccessorySetupInteraction {
    let session: AccessorySetupSession

    func setupCredentials() async throws(HomeError) -> AccessorySetupCredentials { try await session.credentials() }

    func setupCode(
        for accessory: DiscoveredAccessory?, attemptsLeft: Int, refusal: HomeError?
    ) async throws(HomeError) -> SetupCode {
        try await session.code(for: accessory, attemptsLeft: attemptsLeft, refusal: refusal)
    }

    func chooseAccessory(from found: EventStream<BrowserEvent>) async throws(HomeError) -> DiscoveredAccessory {
        try await session.choice(from: found)
    }

    func adding(_ accessory: DiscoveredAccessory?) async { await session.connecting(accessory) }

    func asksForDetails(of accessories: [Accessory]) async throws(HomeError) -> Bool { session.asksForDetails }

    func name(
        for accessory: Accessory, in home: Home, suggestions: [String], refusal: HomeError?
    ) async throws(HomeError) -> String? {
        try await name(NameQuestion(accessory: accessory, service: nil, suggestions: suggestions, refusal: refusal))
    }

    func name(
        for service: Service, of accessory: Accessory, suggestions: [String], refusal: HomeError?
    ) async throws(HomeError) -> String? {
        // An accessory with a single part has only one name.
        guard accessory.services.filter(\.isUserInteractive).count > 1 else { return nil }
        return try await name(
            NameQuestion(accessory: accessory, service: service, suggestions: suggestions, refusal: refusal))
    }

    private func name(_ question: NameQuestion) async throws(HomeError) -> String? {
        guard case .name(let name) = try await session.ask(.naming(question)) else { return nil }
        return name
    }

    func room(for accessory: Accessory, in home: Home, suggestion: Room?) async throws(HomeError) -> Room.ID? {
        let question = RoomQuestion(accessory: accessory, home: home, suggestion: suggestion)
        guard case .room(let room) = try await session.ask(.room(question)) else { return suggestion?.id }
        return room
    }

    func serviceType(
        for service: Service, of accessory: Accessory, choices: [ServiceType]
    ) async throws(HomeError) -> ServiceType? {
        guard
            case .serviceType(let type) = try await session.ask(
                .serviceType(service, of: accessory, choices: choices))
        else { return nil }
        return type
    }

    func isFavorite(_ service: Service, of accessory: Accessory) async throws(HomeError) -> Bool {
        guard case .favorite(let isFavorite) = try await session.ask(.favorite(service, of: accessory)) else {
            return service.isFavorite
        }
        return isFavorite
    }
}

extension HomeManager {
    /// The maximum number of sessions that the manager keeps, including ended ones.
    ///
    /// A new session replaces the oldest ended one.
    public static var setupLimit: Int { 16 }

    /// Begins a standard setup whose steps are shown one at a time.
    ///
    /// - Parameters:
    ///   - request: The choices that were made before the setup. With a payload, the session connects without a
    ///     question, unless the payload lacks the setup code.
    ///   - asksForDetails: Whether to ask for the name, room, type and favorite setting of each added accessory. With
    ///     `false`, the setup is done when the accessories are in the home.
    ///   - timeLimit: The longest time that a question waits for its answer.
    /// - Returns: The running session.
    /// - Throws: `maximumObjectLimitReached` if ``setupLimit`` other sessions are running.
    public func beginSetup(
        _ request: AccessorySetupRequest = AccessorySetupRequest(), asksForDetails: Bool = true,
        timeLimit: Duration = .seconds(600)
    ) async throws(HomeError) -> AccessorySetupSession {
        while setups.count >= Self.setupLimit {
            var over: AccessorySetupSession.ID?
            for setup in setups where over == nil { if await setup.state.isOver { over = setup.id } }
            guard let over else {
                throw HomeError(
                    .maximumObjectLimitReached, detail: "\(Self.setupLimit) setups are running; finish one first")
            }
            setups.removeAll { $0.id == over }
        }
        let setup = AccessorySetupSession(self, asksForDetails: asksForDetails, timeLimit: timeLimit)
        setups.append(setup)
        await setup.begin(request)
        return setup
    }

    /// Returns the session with the given ID; `nil` if the manager no longer keeps it.
    public func setup(_ id: AccessorySetupSession.ID) -> AccessorySetupSession? { setups.first { $0.id == id } }
}
