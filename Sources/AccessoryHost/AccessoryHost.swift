internal import DaemonKit
internal import Discovery
package import HAPAccessory
package import HAPModel
internal import HAPProtocol
internal import HAPTransport
package import Logging
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle
internal import UnixSignals

/// An accessory server as a program, with its own identity, database, port and mDNS record: a stand-alone accessory, or a
/// bridge with what is behind it.
///
/// ```swift
/// let host = try await AccessoryHost(profile, functions: functions, directory: directory, logger: logger)
/// try await host.run {
///     await host.update(.currentTemperature, to: .float(21.5))
/// }
/// ```
package final class AccessoryHost: Sendable {
    /// Marks the database as that of a stand-alone accessory: "HAPA" in ASCII.
    private static let applicationID: Int32 = 0x4841_5041

    private let profile: AccessoryProfile
    private let identity: AccessoryIdentity
    private let server: AccessoryServer
    private let listener: AccessoryListener
    /// The first characteristic of each type of accessory 1.
    private let places: [CharacteristicType: InstanceID]
    private let file: DatabaseFile
    private let loops: MultiThreadedEventLoopGroup
    private let logger: Logger

    /// Opens the memory of a stand-alone accessory, or begins a new one, and listens; mDNS shows it only when it runs.
    ///
    /// - Parameters:
    ///   - profile: what the accessory is.
    ///   - functions: what it can do, the primary one first.
    ///   - source: takes what controllers write; `nil` for an accessory that can only be read.
    ///   - directory: where identity and pairings are kept; one directory is one accessory.
    ///   - logger: where it logs.
    /// - Throws: `DatabaseFileError`, `ListenerError`, or `ComplianceError` if controllers would refuse the accessory.
    package convenience init(
        _ profile: AccessoryProfile, functions: [PrimaryAccessory.Function], source: (any AccessorySource)? = nil,
        directory: String, logger: Logger
    ) async throws {
        try await self.init(profile, source: source, directory: directory, logger: logger) { ids in
            let primary = PrimaryAccessory(profile.information, functions: functions, ids: ids)
            ids = primary.ids
            return [primary.accessory]
        }
    }

    /// Opens the memory of an accessory server, or begins a new one, and listens; mDNS shows it only when it runs.
    ///
    /// - Parameters:
    ///   - profile: what the server is.
    ///   - source: takes what controllers write; `nil` if all can only be read.
    ///   - directory: where identity and pairings are kept; one directory is one server.
    ///   - setupCode: the code that it has from its first start on; drawn if `nil`.
    ///   - logger: where it logs.
    ///   - accessories: makes the accessories, the server's own first, from the iids given to that one so far, and notes
    ///     those it gives.
    /// - Throws: `DatabaseFileError`, `ListenerError`, or `ComplianceError` if controllers would refuse an accessory.
    package init(
        _ profile: AccessoryProfile, source: (any AccessorySource)?, directory: String, setupCode: SetupCode? = nil,
        logger: Logger, accessories: (inout InstanceIDs) -> [Accessory]
    ) async throws {
        self.profile = profile
        self.logger = logger
        file = try DatabaseFile(
            path: directory + "/accessory.sqlite", migrator: ServerDatabase.migrator,
            applicationID: Self.applicationID, logger: logger)
        let database = ServerDatabase(file.queue)
        var stored = try await database.load()
        if let setupCode, setupCode != stored.setupCode {
            stored.setupCode = setupCode
            try await database.save(setupCode: setupCode)
        }
        identity = stored.identity

        loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = loops.next()
        let (executor, scheduler) = (EventLoopExecutor(loop), EventLoopScheduler(loop))
        server = AccessoryServer(
            executor: executor, scheduler: scheduler, store: database, stored: stored, profile: profile,
            eventWindow: .milliseconds(250), logger: logger)

        var ids = stored.instanceIDs
        let accessories = accessories(&ids)
        if ids != stored.instanceIDs { try await database.save(instanceIDs: ids) }
        places = Dictionary(
            accessories.first.map { $0.services.flatMap(\.characteristics).map { ($0.type, $0.iid) } } ?? [],
            uniquingKeysWith: { first, _ in first })
        for accessory in accessories { try await server.set(accessory, source: source, isReachable: true) }
        await server.reconcileStructure()
        await server.start()
        listener = try await Self.listen(database) { [server] port throws(ListenerError) in
            try await AccessoryListener(port: port, on: loop, for: server, logger: logger)
        }
    }

    /// Listens on the port of the last run, or on another one if that is taken.
    private static func listen(
        _ database: ServerDatabase, _ listen: (Int) async throws(ListenerError) -> AccessoryListener
    ) async throws -> AccessoryListener {
        if let port = try await database.port() {
            do { return try await listen(port) } catch ListenerError.portTaken {}
        }
        let listener = try await listen(0)
        try await database.save(port: listener.port)
        return listener
    }

    /// Shows the accessory in mDNS and serves it until SIGTERM or SIGINT, or until `work` throws.
    ///
    /// - Parameter work: what the accessory does all the time, such as measuring; cancelled at the end.
    /// - Throws: what `work` throws, or `DiscoveryError` if there is no mDNS.
    package func run(_ work: @escaping @Sendable () async throws -> Void) async throws {
        // They end in the reverse order: mDNS first, so that no controller is led to an accessory that has stopped.
        let services: [any ServiceLifecycle.Service] = [
            Part {
                try await cancelWhenGracefulShutdown {
                    try await work()
                    try? await gracefulShutdown()
                }
            }, Part(run: serve), Part(run: publish),
        ]
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        do {
            try await group.run()
        } catch is CancellationError {}
        try await loops.shutdownGracefully()
        try file.close()
    }

    /// Shows the setup code on standard output, as long as no controller has paired; a log never sees it.
    package func printSetupCode() async {
        guard await !server.isPaired, let code = await server.setupPayload.code else { return }
        StandardStreams.printLine("setup code: \(code.text)")
    }

    /// Says what a characteristic of the accessory has for a value now; subscribers get an event if it is another one.
    ///
    /// - Parameters:
    ///   - type: a characteristic of the accessory's functions; others are passed over.
    ///   - value: the value, forced into the characteristic's limits.
    package func update(_ type: CharacteristicType, to value: CharacteristicValue) async {
        guard let iid = places[type] else { return }
        await update(.bridge, [(iid, value)])
    }

    /// Says what characteristics of an accessory have for values now; subscribers get an event of those that are others.
    ///
    /// - Parameters:
    ///   - aid: the accessory.
    ///   - values: by iid, forced into the characteristics' limits; of a press each is an event.
    package func update(_ aid: AccessoryID, _ values: [(InstanceID, CharacteristicValue)]) async {
        await server.update(aid, values)
    }

    /// Says whether an accessory's device can be reached; what is written to one that cannot is refused.
    package func setReachable(_ isReachable: Bool, _ aid: AccessoryID) async {
        await server.setReachable(isReachable, aid)
    }

    /// All accessories, with what they show now.
    package var accessories: [Accessory] { get async { await server.accessories } }

    // MARK: Parts

    private struct Part: ServiceLifecycle.Service {
        let body: @Sendable () async throws -> Void

        init(run body: @escaping @Sendable () async throws -> Void) { self.body = body }

        func run() async throws { try await body() }
    }

    private func serve() async throws {
        try? await gracefulShutdown()
        await listener.close()
        await server.stop()
    }

    private func publish() async throws {
        let publisher = try AvahiServicePublisher(logger: logger)
        try publisher.start()
        let name = ServiceRecord.instanceName(profile.information.name, suffix: identity.deviceID.suffix)
        await cancelWhenGracefulShutdown { [server, listener] in
            for await advertisement in server.advertisements {
                publisher.publish(
                    ServiceRecord(
                        name: name, type: Advertisement.serviceType, port: UInt16(listener.port),
                        txt: TXTRecord(advertisement.txt.map { ($0.key, $0.value) })))
            }
        }
        await publisher.stop()
    }
}
