import AsyncKit
import Dialing
package import Discovery
package import LightKit
package import Logging

/// What carries the sessions of a kind of device over the network.
package protocol DeviceConnection: Sendable {
    associatedtype Session: DeviceSession

    /// Connects to an address of a device.
    func connect(to endpoint: DeviceEndpoint) async throws -> DeviceRoute

    /// Carries one session until the connection is over or its task is cancelled.
    ///
    /// - Parameters:
    ///   - route: where the device has answered.
    ///   - outputs: what the session wants done, in order.
    ///   - receive: takes what comes, in order, and returns when more may come.
    /// - Returns: why it is over.
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

/// A driver for devices that are connected to: wires the connections, mDNS, the machine of the devices and the host
/// together.
///
/// A connection that has brought something is not read further while more than ``maximumNotices`` wait for the host, so
/// neither a flood nor a slow host makes its queue grow.
package actor DeviceLightDriver<Connection: DeviceConnection>: LightDriver {
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
    /// The file with the devices' password, if they have one.
    private let passwordFile: String?
    private let start = ContinuousClock.now
    private let signal = AsyncSignal()

    private var home: DeviceHome<Session>
    private var connections: [DeviceTarget: OpenConnection] = [:]
    private var waiters: [Int: CheckedContinuation<LightError?, Never>] = [:]
    private var notices = HostNotices()
    /// Connections that wait until the host has taken what they brought.
    private var readers: [CheckedContinuation<Void, Never>] = []
    private var isRunning = false
    private var passwordWatch: SecretFileWatch

    /// Makes a driver that does nothing before it runs.
    ///
    /// - Parameters:
    ///   - selection: which devices to connect to.
    ///   - options: the driver's own keys.
    ///   - connection: what carries the sessions.
    ///   - passwordFile: the file with the devices' password, if they have one.
    ///   - logger: where it logs.
    ///   - share: how much of the longest pause passes before the next try, 0 to 1.
    ///   - makeBrowser: makes what finds devices, if they are to be found.
    package init(
        _ selection: DeviceSelection, options: Session.Options, connection: Connection,
        passwordFile: String? = nil, logger: Logger,
        share: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        makeBrowser: @escaping @Sendable () throws(DiscoveryError) -> any ServiceBrowser
    ) {
        discovers = selection.discover
        self.connection = connection
        self.passwordFile = passwordFile
        passwordWatch = SecretFileWatch([passwordFile].compactMap(\.self))
        self.logger = logger
        self.share = share
        self.makeBrowser = makeBrowser
        home = DeviceHome(selection, options: options)
    }

    private var now: Duration { start.duration(to: .now) }

    // MARK: Life

    package func run(host: any LightHost) async throws {
        await host.report(.starting)
        let browser = discovers ? try makeBrowser() : nil
        try browser?.start()
        isRunning = true
        carryOut(home.started(known: await host.knownLights(), now: now))
        if browser == nil { await host.report(.running) }
        await withDiscardingTaskGroup { tasks in
            if let browser { tasks.addTask { await self.follow(browser, host) } }
            while !Task.isCancelled {
                lookForPassword()
                perform(home.timePassed(now: now, share: share()))
                await notify(host)
                await signal.wait(until: deadline.map { start + $0 })
            }
        }
        isRunning = false
        await browser?.stop()
        for target in Array(connections.keys) { close(target) }
        for waiter in waiters.values { waiter.resume(returning: .unreachable) }
        waiters = [:]
        for reader in readers { reader.resume() }
        readers = []
    }

    private var watchesPassword: Bool { passwordFile != nil && home.isLoginRefused }

    private var deadline: Duration? {
        guard watchesPassword else { return home.deadline }
        let look = now + SecretFileWatch.interval
        return home.deadline.map { min($0, look) } ?? look
    }

    private func lookForPassword() {
        guard watchesPassword, let passwordFile, !passwordWatch.changed([passwordFile]).isEmpty else { return }
        home.passwordChanged(now: now)
    }

    /// Takes what mDNS finds, and reports whether mDNS works.
    private func follow(_ browser: any ServiceBrowser, _ host: any LightHost) async {
        for await snapshot in browser.snapshots() {
            let problem = snapshot.discoveryError.map { "devices cannot be found: \($0)" }
            await host.report(problem.map { .degraded($0) } ?? .running)
            carryOut(home.found(snapshot.services, now: now))
        }
    }

    /// Hands the host everything that waits, and lets connections be read again.
    private func notify(_ host: any LightHost) async {
        let unreadable = home.takeUnreadable()
        if unreadable > 0 { await host.dropped(unreadable, .unreadable) }
        repeat {
            for notice in notices.takeAll() { await notice.tell(host) }
        } while !notices.waiting.isEmpty
        for reader in readers { reader.resume() }
        readers = []
    }

    /// Does what came of something, and lets the loop of ``run(host:)`` look: what waits for the host and the deadlines may
    /// have changed.
    private func carryOut(_ actions: [DeviceAction<Session.Output>]) {
        perform(actions)
        signal.send()
    }

    /// Does what came of a look of that loop, which would never rest if it woke itself.
    private func perform(_ actions: [DeviceAction<Session.Output>]) {
        for action in actions {
            switch action {
            case .connect(let target, let number): connect(target, number)
            case .output(let target, let output): connections[target]?.outputs.yield(output)
            case .close(let target): close(target)
            case .report(let light, let report): notices.add(report, from: light)
            case .added(let light): notices.add(.added(light))
            case .removed(let light): notices.add(.removed(light))
            case .warn(let text, let subject): notices.add(.warning(text, about: subject))
            case .finished(let command, let error):
                waiters.removeValue(forKey: command)?.resume(returning: error)
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

    /// Connects to the device, and carries its session until the connection is over.
    private func carry(
        _ target: DeviceTarget, _ number: Int, _ outputs: AsyncStream<Session.Output>
    ) async -> SessionFault {
        do {
            let (route, endpoint) = try await firstToAnswer(headStart: Candidates<DeviceEndpoint>.headStart) {
                home.nextEndpoint(of: target, number: number)
            } connect: { [connection] endpoint in
                try await connection.connect(to: endpoint)
            } close: { _ in
            }
            home.answered(target, number: number, at: endpoint)
            return await connection.run(over: route, outputs: outputs) { input in
                await self.received(input, target, number)
            }
        } catch {
            return .unreachable(HTTPFault(error).text)
        }
    }

    private func received(_ input: Session.Input, _ target: DeviceTarget, _ number: Int) async {
        carryOut(home.received(input, from: target, number: number, now: now, share: share()))
        guard isRunning, notices.waiting.count > Self.maximumNotices else { return }
        await withCheckedContinuation { readers.append($0) }
    }

    private func closed(_ target: DeviceTarget, _ number: Int, _ fault: SessionFault) {
        guard !Task.isCancelled else { return }
        let reason =
            switch fault {
            case .unreachable(let reason), .unusable(let reason), .unauthorized(let reason): reason
            }
        logger.info(
            "device not connected",
            metadata: [
                "device": "\(target.name)", "error": "\(reason)",
                "addresses": .array(home.triedEndpoints(of: target).map { "\($0)" }),
            ])
        carryOut(home.closed(target, number: number, fault, now: now, share: share()))
    }

    private func close(_ target: DeviceTarget) {
        guard let open = connections.removeValue(forKey: target) else { return }
        open.outputs.finish()
        open.task.cancel()
    }

    // MARK: Commands

    package func apply(_ command: LightCommand, to light: LightID) async throws(LightError) {
        let (number, actions) = try home.apply(command, to: light, now: now)
        try await finish(number, actions)
    }

    package func identify(_ light: LightID) async throws(LightError) {
        let (number, actions) = try home.identify(light, now: now)
        try await finish(number, actions)
    }

    private func finish(_ command: Int, _ actions: [DeviceAction<Session.Output>]) async throws(LightError) {
        guard isRunning else { throw .unreachable }
        let error = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<LightError?, Never>) in
                waiters[command] = continuation
                carryOut(actions)
                if Task.isCancelled { cancel(command) }
            }
        } onCancel: {
            Task { await self.cancel(command) }
        }
        if let error { throw error }
    }

    private func cancel(_ command: Int) {
        home.cancelled(command: command)
        waiters.removeValue(forKey: command)?.resume(returning: .unreachable)
    }
}
