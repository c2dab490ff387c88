internal import AsyncKit
internal import Discovery
public import HAPAccessory
public import HAPController
internal import HAPModel
internal import HAPProtocol
internal import Synchronization

/// An in-memory network that connects the accessory hosts and controllers of a test.
///
/// Everything above the network is real: pair setup, encryption, time limits, subscriptions and reconnects. There are
/// no sockets and no mDNS, and a host with `AccessoryStorage.inMemory()` uses no files.
///
/// ``withAccessory(_:_:)`` is sufficient for most tests. In a test with several hosts or controllers, run the hosts
/// with ``HAPAccessory/AccessoryHost/run(on:)`` and create controllers with
/// ``HAPController/Controller/init(store:network:logger:)``. All hosts have the address 127.0.0.1, with different
/// ports.
public final class InMemoryNetwork: Sendable {
    struct State {
        var isAvailable = true
        var latency = Duration.zero
        /// The running hosts by port.
        var listeners: [UInt16: Listener] = [:]
        /// The published records by the number of the publisher.
        var records: [Int: ServiceRecord] = [:]
        var lastPublisher = 0
        var browsers: [InMemoryBrowser] = []
        var connections: [InMemoryByteConnection] = []
        var lastConnection: UInt64 = 0
    }

    /// The address of all hosts.
    static let address: [UInt8] = [127, 0, 0, 1]

    let manualClock: ManualClock?
    let state = Mutex(State())

    /// Creates a network whose hosts and controllers use the system's clock.
    public init() { manualClock = nil }

    /// Creates a network whose hosts and controllers use a clock that the test advances.
    ///
    /// The following periods then depend on that clock:
    /// - the 2 s within which a handler must return
    /// - the time within which a timed write must arrive
    /// - the 250 ms for which a host coalesces events
    /// - the second after which controllers are notified of added and removed accessories
    /// - a controller's time limits for responses and sessions, and its pauses before reconnecting
    ///
    /// - Parameter clock: The clock.
    public init(clock: ManualClock) { manualClock = clock }

    // MARK: Conditions

    /// A Boolean value that indicates whether hosts are reachable; `true` by default.
    ///
    /// While it is `false`, there are no connections, and controllers try to reconnect.
    public var isAvailable: Bool {
        get { state.withLock(\.isAvailable) }
        set {
            let ended = state.withLock { state in
                state.isAvailable = newValue
                guard !newValue else { return [InMemoryByteConnection]() }
                defer { state.connections = [] }
                return state.connections
            }
            for connection in ended { connection.close() }
        }
    }

    /// The time that each message takes; zero by default.
    ///
    /// Each message advances the network's manual clock by this time, so tests don't have to wait. With 3 s, for
    /// example, a timed write arrives 6 s after its announcement, too late for the host. On a network with the system's
    /// clock, the latency has no effect.
    public var latency: Duration {
        get { state.withLock(\.latency) }
        set { state.withLock { $0.latency = newValue } }
    }

    // MARK: Tests

    /// Runs a host, pairs a new controller with it, and keeps a session while `body` runs.
    ///
    /// - Parameters:
    ///   - host: A host that hasn't run and has no pairing.
    ///   - body: A closure with the test, in the caller's isolation. It starts once there is a session.
    /// - Returns: The result of `body`.
    /// - Throws: The errors of `body`, `AccessoryHost.run()`, `Controller.pair(with:code:)` or
    ///   `Controller.withAccessory(_:at:_:)`.
    public func withAccessory<Value>(
        _ host: AccessoryHost, _ body: (ConnectedAccessory) async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await host.run(on: self) }
            let port: Int
            do {
                port = try await host.port
            } catch {
                // Throw the error of the host's run, because it contains the reason.
                try await group.waitForAll()
                throw error
            }
            let controller = Controller(store: InMemoryPairingStore(), network: self)
            let id = try await pair(controller, with: host, at: port)
            let value = try await controller.withAccessory(id) { accessory in
                try await accessory.waitUntilConnected()
                return try await body(accessory)
            }
            group.cancelAll()
            try await group.waitForAll()
            return value
        }
    }

    private func pair(_ controller: Controller, with host: AccessoryHost, at port: Int) async throws -> DeviceID {
        guard let code = await host.setupPayload.code else { preconditionFailure("every host has a setup code") }
        if host.advertises {
            for await accessories in try controller.discoveries() {
                guard let found = accessories.first(where: { $0.id == host.deviceID }) else { continue }
                return try await controller.pair(with: found, code: code)
            }
            throw CancellationError()
        }
        guard let endpoint = AccessoryEndpoint(address: Self.address, port: UInt16(port)) else {
            preconditionFailure("four bytes and a port are a valid endpoint")
        }
        return try await controller.pair(at: endpoint, code: code)
    }
}
