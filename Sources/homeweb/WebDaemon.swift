import DaemonKit
import Glibc
import HomeClient
import Hummingbird
import HummingbirdCore
import LineRPC
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import SystemKit
import TerminalKit
import UnixSignals
import WebAccess

/// The composition root: the app's connection to the home hub, and the web server.
struct WebDaemon {
    let settings: WebServer.Settings
    let stateDirectory: String
    let isTokenNeeded: Bool
    let hubSocket: String?
    let bridgeSocket: SocketLocation
    let notifier: ServiceNotifier?
    let logger: Logger

    /// Runs until a graceful shutdown.
    ///
    /// - Throws: The error that prevents serving the page.
    func run() async throws {
        try ServiceDirectory.makeStateDirectory(stateDirectory)
        let file = PeopleFile(directory: stateDirectory)
        if try file.read() == nil { try file.write(PeopleFile.Content(people: [Person(name: "owner", role: .owner)])) }
        let manager = HomeManager(HomeApp.declaration, socket: hubSocket, logger: logger)
        let people = People(file: file, isTokenNeeded: isTokenNeeded, logger: logger)
        let site = Site(
            manager: manager, freshness: Freshness(manager), people: people,
            displays: HomeDisplays(directory: stateDirectory, logger: logger), bridgeSocket: bridgeSocket,
            hubSocket: hubSocket, logger: logger)
        let (ports, portSink) = AsyncStream.makeStream(of: Int.self)
        let server = try WebServer.make(settings, site) { port in
            let address = address(port)
            keep(address, in: file)
            portSink.yield(port)
            logger.notice("page ready", metadata: ["address": "\(address)"])
            if settings.tls == nil, !IPAddressText.isLoopback(settings.host) {
                logger.warning("page is not encrypted", metadata: ["address": "\(address)"])
            }
            notifier?.ready()
        }
        var lifecycle = ServiceGroupConfiguration(
            services: [
                HomeService(site: site), server,
                AddressService(ports: ports) { keep(address($0), in: file) },
                CertificateService(path: settings.tls?.certificate, logger: logger),
                ServiceManagerService(
                    notifier: notifier, pulse: { _ = await manager.isConnected },
                    status: {
                        await manager.isConnected ? "Connected to the home hub." : "The home hub isn't responding."
                    }),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        lifecycle.maximumGracefulShutdownDuration = .seconds(4)
        lifecycle.maximumCancellationDuration = .seconds(2)
        do {
            try await ServiceGroup(configuration: lifecycle).run()
        } catch let error as IOError {
            throw TerminalError(
                code: error.errnoCode == EACCES ? 77 : 69,
                message:
                    "can't listen on \(settings.host):\(settings.port): \(SystemError(code: error.errnoCode).reason); "
                    + "choose another address or port with --listen")
        }
        logger.notice("page stopped")
    }

    /// Stores the page's address for links.
    private func keep(_ address: String, in file: PeopleFile) {
        do {
            if try file.read()?.address != address { _ = try file.change { $0.address = address } }
        } catch {
            logger.error("address not kept", metadata: ["error": "\(error)"])
        }
    }

    /// Returns the page's address for links.
    ///
    /// It contains the page's name, or if the page listens on all interfaces, an address that other computers can reach.
    /// Without a network, that is the loopback address.
    private func address(_ port: Int) -> String {
        if let origin = settings.publicNames.first?.origin { return origin + "/" }
        let isEverywhere = ["0.0.0.0", "::"].contains(settings.host)
        let known =
            settings.publicNames.first?.host
            ?? (isEverywhere ? IPAddressText.ofThisComputer ?? "127.0.0.1" : settings.host)
        let host = known.contains(":") ? "[\(known)]" : known
        return "\(settings.tls == nil ? "http" : "https")://\(host):\(port)/"
    }
}

/// Updates the stored address of the page when that of the computer changes, for example because the page was started
/// before the network.
private struct AddressService: ServiceLifecycle.Service {
    private static let interval = Duration.seconds(10)

    let ports: AsyncStream<Int>
    let update: @Sendable (Int) -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await port in ports {
                while (try? await Task.sleep(for: Self.interval)) != nil { update(port) }
            }
        }
    }
}

/// Logs a warning each day from 30 days before the certificate expires.
private struct CertificateService: ServiceLifecycle.Service {
    private static let warningDays = 30.0

    /// The path of the certificate, or `nil` without TLS.
    let path: String?
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { check() } while (try? await Task.sleep(for: .seconds(86400))) != nil
        }
    }

    private func check() {
        guard let path, let chain = try? NIOSSLCertificate.fromPEMFile(path),
            let end = chain.map(\.notValidAfter).min()
        else { return }
        let days = (Double(end - time(nil)) / 86400).rounded(.down)
        if days < Self.warningDays { logger.warning("certificate expires", metadata: ["days": "\(Int(days))"]) }
    }
}

/// The connection to the home hub, and the changes of the activity.
private struct HomeService: ServiceLifecycle.Service {
    let site: Site

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    do { try await site.manager.run() } catch {
                        site.logger.error("home hub lost", metadata: ["error": "\(error)"])
                    }
                }
                group.addTask { await site.activity.follow(site.manager) }
            }
        }
    }
}
