internal import Discovery
internal import Glibc
public import HAPModel
public import HAPProtocol
internal import HAPTransport
public import Logging
internal import NIOPosix
internal import Synchronization

/// A HomeKit controller of your own: it finds accessories, pairs with them and talks to them.
///
/// ```swift
/// let controller = Controller(store: FilePairingStore(path: "pairings"))
/// let id = try await controller.pair(with: found, code: code)
/// try await controller.withAccessory(id) { accessory in
///     print(try await accessory.accessories())
/// }
/// ```
///
/// One store belongs to one controller at a time. Most apps want no controller of their own but the home that all apps share:
/// the library `HomeClient`.
public final class Controller: Sendable {
    private let stored: StoredPairings
    private let dialer: any AccessoryDialer
    private let timing: ControllerTiming
    private let logger: Logger
    private let browser = Mutex<AccessoryServerBrowser?>(nil)

    /// Makes a controller; it reads its store when it is used for the first time.
    ///
    /// - Parameters:
    ///   - store: where its key and its pairings are kept.
    ///   - logger: where it logs; no secrets go there.
    public convenience init(store: any PairingStore, logger: Logger = Logger(label: "controller")) {
        self.init(store: store, dialer: TCPDialer(MultiThreadedEventLoopGroup.singleton), logger: logger)
    }

    init(
        store: any PairingStore, dialer: any AccessoryDialer, timing: ControllerTiming = ControllerTiming(),
        logger: Logger
    ) {
        stored = StoredPairings(store)
        self.dialer = dialer
        self.timing = timing
        self.logger = logger
    }

    deinit {
        guard let browser = browser.withLock({ $0 }) else { return }
        Task { await browser.stop() }
    }

    // MARK: Finding

    /// What mDNS shows now, and every later change of it; a slow reader misses looks, but never the newest.
    ///
    /// mDNS is the host's Avahi. While it does not run nothing is found, and what comes later is.
    ///
    /// - Returns: all accessories on the network at a time, ordered by name.
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
                let made = AccessoryServerBrowser(
                    try AvahiServiceBrowser(type: Advertisement.serviceType, logger: logger))
                try made.start()
                browser = made
                return made
            }
        } catch {
            throw ControllerError(.discoveryUnavailable, "\(error)")
        }
    }

    // MARK: Pairing

    /// Pairs with an accessory that was found; it takes some seconds, and half a minute with a small device.
    ///
    /// After an error the accessory is unchanged, as far as it can still be reached, and the store has no pairing with it. Only
    /// after `canceled` the store may have one: ``pairedAccessories`` lists it.
    ///
    /// - Parameters:
    ///   - accessory: one that is not paired.
    ///   - code: what its user has read off it; `SetupPayload` reads it of a QR code.
    /// - Returns: its device id, by which it is known from now on.
    /// - Throws: ``ControllerError``.
    public func pair(with accessory: FoundAccessory, code: SetupCode) async throws(ControllerError) -> DeviceID {
        do throws(SetupError) {
            return try await setup.pair(with: accessory.discovered, code: code).pairing.deviceID
        } catch {
            throw ControllerError(error).unlessCanceled
        }
    }

    /// Pairs with whatever answers at an address, where there is no mDNS; the address is remembered.
    ///
    /// - Parameters:
    ///   - endpoint: where it is.
    ///   - code: what its user has read off it.
    /// - Returns: its device id, by which it is known from now on.
    /// - Throws: ``ControllerError``.
    public func pair(at endpoint: AccessoryEndpoint, code: SetupCode) async throws(ControllerError) -> DeviceID {
        let id: DeviceID
        do throws(SetupError) {
            id = try await setup.pair(at: endpoint, code: code).pairing.deviceID
        } catch {
            throw ControllerError(error).unlessCanceled
        }
        try await use { try await $0.keep(endpoint, of: id) }
        return id
    }

    /// Asks an accessory that is not paired to show which one it is: a lamp blinks.
    ///
    /// - Throws: ``ControllerError``; `alreadyPaired` if somebody has paired with it.
    public func identify(_ accessory: FoundAccessory) async throws(ControllerError) {
        do throws(SetupError) {
            try await setup.identify(accessory.discovered)
        } catch {
            throw ControllerError(error).unlessCanceled
        }
    }

    /// The device ids of all accessories that it is paired with, the oldest pairing first.
    public var pairedAccessories: [DeviceID] {
        get async throws(ControllerError) { try await use { try await $0.pairings() }.map(\.deviceID) }
    }

    /// Forgets a pairing without telling the accessory, which must be reset before anybody can pair with it again.
    ///
    /// ``ConnectedAccessory/unpair()`` is the right way; this is for an accessory that is gone.
    ///
    /// - Throws: ``ControllerError`` with `storeUnusable`.
    public func forget(_ id: DeviceID) async throws(ControllerError) { try await use { try await $0.forget(id) } }

    private var setup: AccessorySetup {
        AccessorySetup(dialer: dialer, vault: stored, timing: timing, logger: logger)
    }

    /// Uses the store.
    private func use<Value: Sendable>(
        _ body: (StoredPairings) async throws -> Value
    ) async throws(ControllerError) -> Value {
        do {
            return try await body(stored)
        } catch is StoredPairings.Damaged {
            throw ControllerError(.storeUnusable, "the store holds something else than pairings")
        } catch {
            throw ControllerError(.storeUnusable, "the store cannot be used: \(error)")
        }
    }

    // MARK: Talking

    /// Keeps a session with an accessory up for as long as `body` runs, and connects again when it is lost.
    ///
    /// - Parameters:
    ///   - id: one that it is paired with.
    ///   - endpoint: where it is. If `nil`, mDNS tells, and if it was paired at an address, that address.
    ///   - body: talks to the accessory, in the caller's isolation; it begins at once, before there is a session.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, or ``ControllerError`` with `notPaired`, `storeUnusable` or `discoveryUnavailable`.
    public func withAccessory<Value>(
        _ id: DeviceID, at endpoint: AccessoryEndpoint? = nil,
        _ body: (ConnectedAccessory) async throws -> Value
    ) async throws -> Value {
        guard let entry = try await use({ try await $0.entry(id) }) else {
            throw ControllerError(.notPaired, "there is no pairing with \(id)")
        }
        let link = AccessoryLink(
            entry.pairing, as: try await use { try await $0.identity() }, dialer: dialer, timing: timing,
            logger: logger)
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
    /// Reads an IP address in numbers, such as `192.168.1.7` or `fe80::1%eth0`; names are not looked up.
    ///
    /// - Parameters:
    ///   - host: the address; the result is `nil` if it is none.
    ///   - port: the TCP port, 1 to 65535; `nil` for others.
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
