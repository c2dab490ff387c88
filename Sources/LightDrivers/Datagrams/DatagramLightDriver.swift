package import AsyncKit
package import DeviceKit
package import Logging

/// A driver for devices that use datagrams. It connects the sockets, the registry of devices and the host.
package actor DatagramLightDriver<Device: DatagramDevice>: LightDriver, PendingCallOwner {
    /// The number of datagrams to process before pending commands get a turn.
    private static var datagramsInTurn: Int { 64 }

    private let logger: Logger
    private let sought: LANDevices
    private let takesPushes: Bool
    private let start = ContinuousClock.now
    private let signal = AsyncSignal()

    private var registry: DatagramDeviceRegistry<Device>
    /// The socket for requests and answers and, if open, a second socket that only receives pushes.
    private var sockets: [DatagramSocket] = []
    private var socketFailure = ""
    package var pendingCalls = PendingCalls<LightError>()
    private var state: DriverState?
    private var notices = HostNotices()

    /// Creates a driver that does nothing until ``run(host:)`` is called.
    ///
    /// Only one driver can use the port for pushes, so other drivers pass `false` for `takesPushes`.
    package init(looksFor sought: LANDevices, takesPushes: Bool = true, logger: Logger) {
        self.logger = logger
        self.sought = sought
        self.takesPushes = takesPushes
        registry = DatagramDeviceRegistry(looksFor: sought, session: .random(in: 2 ... .max))
    }

    private var now: Duration { start.duration(to: .now) }

    /// The discovered lights, with their addresses.
    package var lights: [(LightDescription, IPv4Endpoint)] { registry.lights }

    // MARK: Lifecycle

    package func run(host: any LightHost) async throws {
        await host.report(.starting)
        while !Task.isCancelled {
            let next = await turn(host)
            await signal.wait(until: start + next)
        }
        sockets = []
        pendingCalls.failAll(.unreachable)
    }

    /// Processes received datagrams, timeouts and due searches.
    ///
    /// Returns the time of the next turn.
    private func turn(_ host: any LightHost) async -> Duration {
        guard openSockets() else {
            await tell(.degraded(Self.problem(socketFailure)), host)
            return now + .seconds(5)
        }
        for socket in sockets {
            for (index, datagram) in socket.takeDatagrams().enumerated() {
                registry.received(datagram.bytes, from: datagram.source, now: now)
                if index % Self.datagramsInTurn == Self.datagramsInTurn - 1 {
                    await carryOut(host)
                    await Task.yield()
                }
            }
        }
        registry.timePassed(now: now)
        if registry.isSearchDue(now: now) {
            openPushSocket()
            let networks = IPv4Network.current()
            registry.search(on: networks, now: now)
            let isBlind = networks.isEmpty && sought.hosts.isEmpty
            await tell(
                isBlind
                    ? .degraded("no network to search; connect this computer to a network, or set hosts") : .running,
                host
            )
        }
        await carryOut(host)
        return registry.deadline
    }

    private static func problem(_ failure: String) -> String {
        guard let port = Device.traits.answerPort else { return "can't open a socket (\(failure)); trying again" }
        return "can't open port \(port), to which the devices answer (\(failure)); stop the program that uses this port"
    }

    private func openSockets() -> Bool {
        guard sockets.isEmpty else { return true }
        do throws(DatagramSocket.Failure) {
            sockets = [try DatagramSocket(port: Device.traits.answerPort ?? 0) { [signal] in signal.send() }]
        } catch {
            logger.warning("socket not opened", metadata: ["error": "\(error.text)"])
            socketFailure = error.text
            return false
        }
        openPushSocket()
        return true
    }

    /// Opens the push socket unless it is open.
    ///
    /// It is called again at each search, because another process or an earlier driver may still be using the port.
    private func openPushSocket() {
        guard takesPushes, sockets.count == 1, let port = Device.traits.pushPort else { return }
        do throws(DatagramSocket.Failure) {
            sockets.append(try DatagramSocket(port: port) { [signal] in signal.send() })
        } catch {
            logger.warning("socket not opened", metadata: ["port": "\(port)", "error": "\(error.text)"])
        }
    }

    private func tell(_ newState: DriverState, _ host: any LightHost) async {
        guard state != newState else { return }
        state = newState
        await host.report(newState)
    }

    private func carryOut(_ host: any LightHost) async {
        for action in registry.takeActions() {
            switch action {
            case .send(let bytes, let endpoint, let interface): send(bytes, to: endpoint, over: interface)
            case .added(let light): notices.add(.added(light))
            case .report(let light, let report): notices.add(report, from: light)
            case .warn(let text, let subject): notices.add(.warning(text, about: subject))
            case .ignored(let id): logger.info("device ignored", metadata: ["device": "\(id)"])
            case .finished(let command, let error): pendingCalls.finish(command, error)
            }
        }
        let dropped = sockets.reduce(0) { $0 + $1.takeDropped() }
        if dropped > 0 { await host.dropped(dropped, .overflow) }
        let unreadable = registry.takeUnreadable()
        if unreadable > 0 { await host.dropped(unreadable, .unreadable) }
        for notice in notices.takeAll() { await notice.tell(host) }
    }

    private func send(_ bytes: [UInt8], to endpoint: IPv4Endpoint, over interface: UInt32?) {
        do throws(DatagramSocket.Failure) {
            try sockets.first?.send(bytes, to: endpoint, over: interface)
        } catch {
            // Treat the datagram as lost in transit; requests are repeated anyway.
            logger.debug("datagram not sent", metadata: ["to": "\(endpoint)", "error": "\(error.text)"])
        }
    }

    // MARK: Commands

    package func apply(_ command: LightCommand, to light: LightID) async throws(LightError) {
        try await begin(try registry.apply(command, to: light, now: now))
    }

    package func identify(_ light: LightID) async throws(LightError) {
        let command = try registry.identify(light, now: now)
        defer {
            registry.endIdentification(of: light, now: now)
            signal.send()
        }
        try await begin(command)
        try? await Task.sleep(for: .seconds(1))
    }

    private func begin(_ command: Int) async throws(LightError) {
        guard !sockets.isEmpty else { throw .unreachable }
        try await finish(command) { signal.send() }
    }

    package func cancelled(call command: Int) -> LightError {
        registry.cancel(command)
        return .unreachable
    }
}
