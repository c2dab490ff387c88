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

/// A stand-alone accessory as a program: one accessory with its own identity, database, port and mDNS record.
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
    private let primary: PrimaryAccessory
    private let identity: AccessoryIdentity
    private let server: AccessoryServer
    private let listener: AccessoryListener
    private let file: DatabaseFile
    private let loops: MultiThreadedEventLoopGroup
    private let logger: Logger

    /// Opens the accessory's memory, or begins a new one, and listens; mDNS shows it only when it runs.
    ///
    /// - Parameters:
    ///   - profile: what the accessory is.
    ///   - functions: what it can do, the primary one first.
    ///   - source: takes what controllers write; `nil` for an accessory that can only be read.
    ///   - directory: where identity and pairings are kept; one directory is one accessory.
    ///   - logger: where it logs.
    /// - Throws: `DatabaseFileError`, `ListenerError`, or `ComplianceError` if controllers would refuse the accessory.
    package init(
        _ profile: AccessoryProfile, functions: [PrimaryAccessory.Function], source: (any AccessorySource)? = nil,
        directory: String, logger: Logger
    ) async throws {
        self.profile = profile
        self.logger = logger
        file = try DatabaseFile(
            path: directory + "/accessory.sqlite", migrator: ServerDatabase.migrator,
            applicationID: Self.applicationID, logger: logger)
        let database = ServerDatabase(file.queue)
        let stored = try await database.load()
        identity = stored.identity

        loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = loops.next()
        let (executor, scheduler) = (EventLoopExecutor(loop), EventLoopScheduler(loop))
        server = AccessoryServer(
            executor: executor, scheduler: scheduler, store: database, stored: stored, profile: profile,
            eventWindow: .milliseconds(250), logger: logger)

        primary = PrimaryAccessory(profile.information, functions: functions, ids: stored.instanceIDs)
        if primary.ids != stored.instanceIDs { try await database.save(instanceIDs: primary.ids) }
        try await server.set(primary.accessory, source: source, isReachable: true)
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
        guard let iid = primary.id(of: type) else { return }
        await server.update(.bridge, [(iid, value)])
    }

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
