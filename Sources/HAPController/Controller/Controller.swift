package import AsyncKit
package import Discovery
internal import Glibc
public import HAPModel
public import HAPProtocol
internal import HAPTransport
public import Logging
internal import NIOPosix
internal import Synchronization

/// A HomeKit controller, which finds accessories, pairs with them and controls them.
///
/// ```swift
/// let controller = Controller(store: FilePairingStore(path: "pairings"))
/// let id = try await controller.pair(with: found, code: code)
/// try await controller.withAccessory(id) { accessory in
///     print(try await accessory.accessories())
/// }
/// ```
///
/// Two controllers must not use the same store at the same time. Most apps don't need their own controller: they can
/// use the home that all apps share, through the `HomeClient` library.
public final class Controller: Sendable {
    private let stored: StoredPairings
    private let dialer: any AccessoryDialer
    private let timing: ControllerTiming
    private let clock: any MonotonicClock
    private let makeBrowser: @Sendable (Logger) throws(DiscoveryError) -> any ServiceBrowser
    private let counts = ControllerCounts()
    private let logger: Logger
    private let browser = Mutex<AccessoryServerBrowser?>(nil)

    /// Creates a controller.
    ///
    /// The controller reads the store on first use.
    ///
    /// - Parameters:
    ///   - store: The storage of the controller's key and pairings.
    ///   - logger: The logger; log messages contain no secrets.
    public convenience init(store: any PairingStore, logger: Logger = Logger(label: "controller")) {
        self.init(store: store, dialer: TCPDialer(MultiThreadedEventLoopGroup.singleton), logger: logger)
    }

    /// Creates a controller that uses the given dialer and browser instead of the system's network.
    ///
    /// - Parameters:
    ///   - store: The storage of the controller's key and pairings.
    ///   - dialer: The dialer that opens connections.
    ///   - timing: The time limits.
    ///   - clock: The clock for the time limits and pauses.
    ///   - logger: The logger.
    ///   - makeBrowser: A closure that returns a browser, which the controller starts and stops.
    package init(
        store: any PairingStore, dialer: any AccessoryDialer, timing: ControllerTiming = ControllerTiming(),
        clock: any MonotonicClock = ContinuousClock(), logger: Logger,
        browser makeBrowser: @escaping @Sendable (Logger) throws(DiscoveryError) -> any ServiceBrowser = {
            logger throws(DiscoveryError) in try AvahiServiceBrowser(type: Advertisement.serviceType, logger: logger)
        }
    ) {
        stored = StoredPairings(store)
        self.dialer = dialer
        self.timing = timing
        self.clock = clock
        self.makeBrowser = makeBrowser
        self.logger = logger
    }

    deinit {
        guard let browser = browser.withLock({ $0 }) else { return }
        Task { await browser.stop() }
    }

    // MARK: Discovery

    /// Returns a stream of the accessories that mDNS finds: the current list, and a new list after each change.
    ///
    /// A slow reader skips lists, but always gets the newest one. The controller uses the system's avahi-daemon; while
    /// the daemon isn't running, nothing is found.
    ///
    /// - Returns: A stream of lists, each with all accessories on the network, ordered by name.
    /// - Throws: ``ControllerError`` with `discoveryUnavailable`.
    public func discoveries() throws(ControllerError) -> AsyncStream<[FoundAccessory]> {
        let snapshots = try sharedBrowser().snapshots()
        let (stream, continuation) = AsyncStream.makeStream(
            of: [FoundAccessory].self, bufferingPolicy: .bufferingNewest(1))
        let task = Task {
            for await snapshot in snapshots { continuation.yield(snapshot.accessories.map(FoundAccessory.init)) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func sharedBrowser() throws(ControllerError) -> AccessoryServerBrowser {
        do {
            return try browser.withLock { browser in
                if let browser { return browser }
                let made = AccessoryServerBrowser(try makeBrowser(logger))
                try made.start()
                browser = made
                return made
            }
        } catch {
            throw ControllerError(.discoveryUnavailable, "\(error)")
        }
    }

    // MARK: Pairing

    /// Pairs with a discovered accessory.
    ///
    /// Pairing takes a few seconds, or half a minute with a slow accessory. After an error, the store has no pairing
    /// with the accessory, and the accessory is unchanged if it is still reachable. The only exception is `canceled`:
    /// the store may then contain a pairing, which ``pairedAccessories`` lists.
    ///
    /// - Parameters:
    ///   - accessory: An accessory without a pairing.
    ///   - code: The setup code on the accessory's label; `SetupPayload` parses the text of a QR code.
    /// - Returns: The device id, which identifies the accessory from now on.
    /// - Throws: ``ControllerError``.
    public func pair(with accessory: FoundAccessory, code: SetupCode) async throws(ControllerError) -> DeviceID {
        try await pair { setup throws(SetupError) in try await setup.pair(with: accessory.discovered, code: code) }
    }

    /// Pairs with the accessory at an address, and stores the address with the pairing.
    ///
    /// Use this method on networks without mDNS.
    ///
    /// - Parameters:
    ///   - endpoint: The address.
    ///   - code: The setup code on the accessory's label.
    /// - Returns: The device id, which identifies the accessory from now on.
    /// - Throws: ``ControllerError``.
    public func pair(at endpoint: AccessoryEndpoint, code: SetupCode) async throws(ControllerError) -> DeviceID {
        let id = try await pair { setup throws(SetupError) in try await setup.pair(at: endpoint, code: code) }
        try await use { try await $0.keep(endpoint, of: id) }
        return id
    }

    private func pair(
        _ body: (AccessorySetup) async throws(SetupError) -> AccessorySetup.Added
    ) async throws(ControllerError) -> DeviceID {
        do throws(SetupError) {
            let id = try await body(setup).pairing.deviceID
            counts.count(\.pairings)
            return id
        } catch {
            counts.count(\.failedPairings)
            throw ControllerError(error).unlessCanceled
        }
    }

    /// Makes an accessory without a pairing identify itself, for example by blinking.
    ///
    /// - Throws: ``ControllerError``; `alreadyPaired` if the accessory has a pairing.
    public func identify(_ accessory: FoundAccessory) async throws(ControllerError) {
        do throws(SetupError) {
            try await setup.identify(accessory.discovered)
        } catch {
            throw ControllerError(error).unlessCanceled
        }
    }

    /// The device ids of all paired accessories, the oldest pairing first.
    public var pairedAccessories: [DeviceID] {
        get async throws(ControllerError) { try await use { try await $0.pairings() }.map(\.deviceID) }
    }

    /// Removes a pairing from the store, without contacting the accessory.
    ///
    /// Use this method only for an accessory that no longer exists, otherwise ``ConnectedAccessory/unpair()``. A
    /// forgotten accessory must be reset before a controller can pair with it again.
    ///
    /// - Throws: ``ControllerError`` with `storeUnusable`.
    public func forget(_ id: DeviceID) async throws(ControllerError) { try await use { try await $0.forget(id) } }

    private var setup: AccessorySetup {
        AccessorySetup(dialer: dialer, vault: stored, timing: timing, clock: clock, counts: counts, logger: logger)
    }

    /// Calls `body` with the store, and converts its errors.
    private func use<Value: Sendable>(
        _ body: (StoredPairings) async throws -> Value
    ) async throws(ControllerError) -> Value {
        do {
            return try await body(stored)
        } catch is StoredPairings.Damaged {
            throw ControllerError(.storeUnusable, "the store's content isn't valid")
        } catch {
            throw ControllerError(.storeUnusable, "the store can't be used: \(error)")
        }
    }

    // MARK: Statistics

    /// The counts of this controller since its creation.
    ///
    /// Reading this property is cheap, so read it whenever your metrics are collected.
    public var statistics: ControllerStatistics { counts.statistics }

    // MARK: Sessions

    /// Keeps a session with an accessory while `body` runs, and reconnects after a lost connection.
    ///
    /// Each call has a separate session. Calls for the same accessory can overlap.
    ///
    /// - Parameters:
    ///   - id: A paired accessory.
    ///   - endpoint: The address; if `nil`, the address that was stored when pairing or, if there is none, the address
    ///     that mDNS finds.
    ///   - body: A closure that uses the accessory, in the caller's isolation. It starts immediately, before there is a
    ///     session.
    /// - Returns: The result of `body`.
    /// - Throws: The errors of `body`, or ``ControllerError`` with `notPaired`, `storeUnusable` or
    ///   `discoveryUnavailable`.
    public func withAccessory<Value>(
        _ id: DeviceID, at endpoint: AccessoryEndpoint? = nil,
        _ body: (ConnectedAccessory) async throws -> Value
    ) async throws -> Value {
        guard let entry = try await use({ try await $0.entry(id) }) else {
            throw ControllerError(.notPaired, "not paired with \(id)")
        }
        let link = AccessoryLink(
            entry.pairing, as: try await use { try await $0.identity() }, dialer: dialer, timing: timing,
            clock: clock, counts: counts, logger: logger)
        let fixed = endpoint ?? entry.endpoint
        let accessory = ConnectedAccessory(link, at: fixed) { [stored] in try await stored.forget(id) }
        let browser = fixed == nil ? try sharedBrowser() : nil
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { await link.run() }
            group.addTask { await accessory.follow() }
            if let browser {
                group.addTask { for await look in browser.snapshots() { await link.appeared(look[id]) } }
            }
            return try await body(accessory)
        }
    }
}

extension AccessoryEndpoint {
    /// Creates an endpoint from a numeric IP address, such as `192.168.1.7` or `fe80::1%eth0`; doesn't resolve names.
    ///
    /// - Parameters:
    ///   - host: The address; the result is `nil` if it is invalid.
    ///   - port: The TCP port, 1 to 65535; the result is `nil` for other numbers.
    public init?(host: String, port: Int) {
        guard let port = UInt16(exactly: port) else { return nil }
        let parts = host.split(separator: "%", maxSplits: 1).map(String.init)
        guard let text = parts.first else { return nil }
        let scope = parts.count == 2 ? UInt32(parts[1]) ?? if_nametoindex(parts[1]) : 0
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(address: Array(bytes.prefix(4)), port: port)
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(address: bytes, scope: scope, port: port)
        } else {
            return nil
        }
    }
}
