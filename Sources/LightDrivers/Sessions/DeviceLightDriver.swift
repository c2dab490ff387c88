package import AsyncKit
package import DeviceKit
import Dialing
package import Discovery
import HTTPKit
package import Logging

/// The transport of the sessions with a driver's devices.
package protocol DeviceConnection: Sendable {
    associatedtype Session: DeviceSession

    func connect(to endpoint: DeviceEndpoint) async throws -> DeviceRoute

    /// Runs one session until the connection ends or its task is canceled.
    ///
    /// - Parameters:
    ///   - route: The address of the device, with the open connection to it.
    ///   - outputs: The session's outputs. The stream ends when the connection must be closed.
    ///   - receive: Processes one input. It must be called in order, and returns when the next input may follow.
    /// - Returns: The reason why the connection ended.
    func run(
        over route: DeviceRoute, outputs: AsyncStream<Session.Output>,
        receive: @escaping @Sendable (Session.Input) async -> Void
    ) async -> SessionFault
}

extension DeviceConnection {
    package func connect(to endpoint: DeviceEndpoint) async throws -> DeviceRoute {
        DeviceRoute(to: endpoint, over: try await endpoint.connect())
    }
}

/// A driver that connects to its devices. It ties together the transports, mDNS, the registry and the host.
///
/// While more than ``maximumNotices`` notices are waiting for the host, a connection that has delivered new input isn't
/// read any further. Therefore neither a flood of messages nor a slow host can make the queue grow without limit.
package actor DeviceLightDriver<Connection: DeviceConnection>: LightDriver, PendingCallOwner {
    package typealias Session = Connection.Session

    private struct OpenConnection {
        let outputs: AsyncStream<Session.Output>.Continuation
        let task: Task<Void, Never>
    }

    private static var maximumNotices: Int { 64 }

    private let discovers: Bool
    private let connection: Connection
    private let logger: Logger
    private let makeBrowser: @Sendable () throws(DiscoveryError) -> any ServiceBrowser
    private let share: @Sendable () -> Double
    private let start = ContinuousClock.now
    private let signal = AsyncSignal()

    private var registry: ConnectedDeviceRegistry<Session>
    private var connections: [DeviceTarget: OpenConnection] = [:]
    package var pendingCalls = PendingCalls<LightError>()
    private var notices = HostNotices()
    /// The connections that are waiting until the host has received the pending notices.
    private var readers: [CheckedContinuation<Void, Never>] = []
    private var isRunning = false
    private var secretWatch: SecretFileWatch

    /// Creates a driver that does nothing until ``run(host:)`` is called.
    ///
    /// The secret files are watched for changes. `share` returns the fraction, 0 to 1, of the longest delay to wait
    /// before the next connection attempt.
    package init(
        _ selection: DeviceSelection, options: Session.Options, connection: Connection,
        secretFiles: [String] = [], logger: Logger,
        share: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        makeBrowser: @escaping @Sendable () throws(DiscoveryError) -> any ServiceBrowser
    ) {
        discovers = selection.discover
        self.connection = connection
        secretWatch = SecretFileWatch(secretFiles)
        self.logger = logger
        self.share = share
        self.makeBrowser = makeBrowser
        registry = ConnectedDeviceRegistry(selection, options: options)
    }

    private var now: Duration { start.duration(to: .now) }

    // MARK: Lifecycle

    package func run(host: any LightHost) async throws {
        await host.report(.starting)
        let browser = discovers ? try makeBrowser() : nil
        try browser?.start()
        isRunning = true
        carryOut(registry.started(known: await host.knownLights(), kinds: await host.includedKinds(), now: now))
        if browser == nil { await host.report(.running) }
        await withDiscardingTaskGroup { tasks in
            if let browser { tasks.addTask { await self.follow(browser, host) } }
            while !Task.isCancelled {
                let secretFiles = registry.refusedSecretFiles
                let changed = secretWatch.changed(secretFiles)
                if !changed.isEmpty { registry.secretsChanged(in: changed, now: now) }
                perform(registry.timePassed(now: now, share: share()))
                await notify(host)
                let look = secretFiles.isEmpty ? nil : now + SecretFileWatch.interval
                await signal.wait(until: [registry.deadline, look].compactMap(\.self).min().map { start + $0 })
            }
        }
        isRunning = false
        await browser?.stop()
        await leave()
        pendingCalls.failAll(.unreachable)
        for reader in readers { reader.resume() }
        readers = []
    }

    /// Closes all connections after the last messages to the devices are sent.
    private func leave() async {
        let goodbyes = registry.goodbyes()
        for (target, outputs) in goodbyes { for output in outputs { connections[target]?.outputs.yield(output) } }
        let leaving = goodbyes.compactMap { connections[$0.target]?.task }
        for target in Array(connections.keys) { close(target) }
        for task in leaving { await task.value }
    }

    /// Processes the services that mDNS lists, and reports whether mDNS works.
    private func follow(_ browser: any ServiceBrowser, _ host: any LightHost) async {
        for await snapshot in browser.snapshots() {
            let problem = snapshot.discoveryError.map { "can't search for devices: \($0)" }
            await host.report(problem.map { .degraded($0) } ?? .running)
            carryOut(registry.found(snapshot.services, now: now))
        }
    }

    /// Delivers all pending notices to the host, and resumes reading from connections.
    private func notify(_ host: any LightHost) async {
        for (reason, count) in registry.takeDropped() { await host.dropped(count, reason) }
        repeat {
            for notice in notices.takeAll() { await notice.tell(host) }
        } while !notices.waiting.isEmpty
        for reader in readers { reader.resume() }
        readers = []
    }

    /// Performs actions and wakes the loop of ``run(host:)``, because notices and deadlines may have changed.
    private func carryOut(_ actions: [DeviceAction<Session.Output>]) {
        perform(actions)
        signal.send()
    }

    /// Performs actions without waking the loop of ``run(host:)``.
    ///
    /// The loop itself uses this function.
    private func perform(_ actions: [DeviceAction<Session.Output>]) {
        for action in actions {
            switch action {
            case .connect(let target, let number): connect(target, number)
            case .output(let target, let output): connections[target]?.outputs.yield(output)
            case .close(let target): close(target)
            case .report(let light, let report): notices.add(report, from: light)
            case .occurred(let light, let events): notices.add(.occurred(light, events))
            case .added(let light): notices.add(.added(light))
            case .removed(let light): notices.add(.removed(light))
            case .warn(let text, let subject): notices.add(.warning(text, about: subject))
            case .finished(let command, let error): pendingCalls.finish(command, error)
            }
        }
    }

    // MARK: Connections

    private func connect(_ target: DeviceTarget, _ number: Int) {
        guard isRunning else { return }
        let (outputs, continuation) = AsyncStream.makeStream(of: Session.Output.self)
        let task = Task { closed(target, number, await carry(target, number, outputs)) }
        connections[target] = OpenConnection(outputs: continuation, task: task)
    }

    /// Connects to the device, and runs its session until the connection ends.
    private func carry(
        _ target: DeviceTarget, _ number: Int, _ outputs: AsyncStream<Session.Output>
    ) async -> SessionFault {
        do {
            let (route, endpoint) = try await firstToAnswer(headStart: Candidates<DeviceEndpoint>.headStart) {
                registry.nextEndpoint(of: target, number: number)
            } connect: { [connection] endpoint in
                try await connection.connect(to: endpoint)
            } close: { _ in
            }
            registry.answered(target, number: number, at: endpoint)
            return await connection.run(over: route, outputs: outputs) { input in
                await self.received(input, target, number)
            }
        } catch {
            return .unreachable(HTTPFault(error).text)
        }
    }

    private func received(_ input: Session.Input, _ target: DeviceTarget, _ number: Int) async {
        carryOut(registry.received(input, from: target, number: number, now: now, share: share()))
        guard isRunning, notices.waiting.count > Self.maximumNotices else { return }
        await withCheckedContinuation { readers.append($0) }
    }

    private func closed(_ target: DeviceTarget, _ number: Int, _ fault: SessionFault) {
        guard !Task.isCancelled else { return }
        logger.info(
            "device not connected",
            metadata: [
                "device": "\(target.name)", "error": "\(fault.text)",
                "addresses": .array(registry.triedEndpoints(of: target).map { "\($0)" }),
            ])
        carryOut(registry.closed(target, number: number, fault, now: now, share: share()))
    }

    private func close(_ target: DeviceTarget) {
        guard let open = connections.removeValue(forKey: target) else { return }
        open.outputs.finish()
        open.task.cancel()
    }

    // MARK: Commands

    package func apply(_ command: LightCommand, to light: LightID) async throws(LightError) {
        let (number, actions) = try registry.apply(command, to: light, now: now)
        try await begin(number, actions)
    }

    package func identify(_ light: LightID) async throws(LightError) {
        let (number, actions) = try registry.identify(light, now: now)
        try await begin(number, actions)
    }

    private func begin(_ command: Int, _ actions: [DeviceAction<Session.Output>]) async throws(LightError) {
        guard isRunning else { throw .unreachable }
        try await finish(command) { carryOut(actions) }
    }

    package func cancelled(call command: Int) -> LightError {
        registry.cancelled(command: command)
        signal.send()
        return .unreachable
    }
}
