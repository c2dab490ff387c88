import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import SystemKit
import TerminalKit

struct WebServer {
    /// The address and the options of the server.
    struct Settings {
        var host: String
        var port: Int
        /// The hosts under which browsers may request the page, in addition to addresses.
        var names: Set<String>
        /// The names of `--name`.
        ///
        /// Links contain the first name.
        var publicNames: [PageName] = []
        /// The reverse proxies in front of the page.
        var proxies = ReverseProxies(networks: [])
        /// The files of the certificate and its key, or `nil` without TLS.
        var tls: TLSFiles?
    }

    /// The files of a certificate and its key, in PEM format.
    struct TLSFiles {
        var certificate: String
        var key: String
        /// Whether the certificate is the page's self-signed one.
        var isOwn = false
    }

    /// The maximum number of open connections.
    private static let connections = 512
    /// The maximum idle time of a connection.
    private static let idleTimeout = TimeAmount.seconds(60)

    /// Creates the server, which runs until a graceful shutdown.
    ///
    /// `onListening` receives the port once the server listens.
    ///
    /// - Throws: `TerminalError` if the certificate or its key is unusable.
    static func make(
        _ settings: Settings, _ site: Site, onListening: @escaping @Sendable (Int) async -> Void
    ) throws -> some ApplicationProtocol {
        let limit = ConnectionLimit(most: connections)
        var decoder = HTTP1Channel.Configuration.DecoderConfiguration()
        decoder.maxHeaderFieldSize = 8 << 10
        decoder.maxHeaderListSize = 16 << 10
        decoder.maxHeaderFieldCount = 100
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionLimit.Handler(limit)], idleTimeout: idleTimeout,
            httpDecoderConfiguration: decoder)
        var server = HTTPServerBuilder.http1(configuration: channel)
        if let tls = settings.tls {
            server = try .tls(server, tlsConfiguration: configuration(tls))
        }
        return Application(
            router: router(settings, site), server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(settings.host, port: settings.port), backlog: 1024, reuseAddress: true),
            onServerRunning: { await onListening($0.localAddress?.port ?? settings.port) },
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), logger: site.logger)
    }

    private static func configuration(_ tls: TLSFiles) throws -> TLSConfiguration {
        func read<Value>(_ noun: String, _ path: String, _ body: () throws -> Value) throws -> Value {
            do { return try body() } catch {
                let reason = access(path, R_OK) == 0 ? "it isn't valid PEM" : SystemError.last.reason
                throw TerminalError(code: 66, message: "can't use the \(noun) \(path): \(reason)")
            }
        }
        let chain = try read("certificate", tls.certificate) {
            try NIOSSLCertificate.fromPEMFile(tls.certificate)
        }
        let key = try read("key", tls.key) { try NIOSSLPrivateKey(file: tls.key, format: .pem) }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        // RFC 9325: with TLS 1.2, only cipher suites with forward secrecy and authenticated encryption.
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        return configuration
    }

    static func router(_ settings: Settings, _ site: Site) -> Router<WebContext> {
        routes(settings, site, KeptForms(pages: routes(settings, site, nil).buildResponder()))
    }

    private static func routes(_ settings: Settings, _ site: Site, _ kept: KeptForms?) -> Router<WebContext> {
        let router = Router(context: WebContext.self)
        router.add(middleware: Gzip())
        router.add(middleware: Languages())
        router.add(middleware: Guard(settings))
        router.add(middleware: Tablet())
        router.add(middleware: Entrance(site: site))
        if let kept { router.add(middleware: kept) }
        router.get("/assets/:name") { request, context in
            try Assets.response(context.parameters.get("name") ?? "", isVersioned: request.uri.query == Assets.version)
        }
        Entrance.add(to: router, site)
        let pages = router.group()
        Pages.add(to: pages, site)
        ValueActions.add(to: pages, site)
        OrderActions.add(to: pages, site)
        HomeActions.add(to: pages, site)
        OffActions.add(to: pages, site)
        UndoActions.add(to: pages, site)
        SearchPage.add(to: pages, site)
        SelectionPage.add(to: pages, site)
        AutomationActions.add(to: pages, site)
        PeopleActions.add(to: pages, site)
        SetupActions.add(to: pages, site)
        ArrangePage.add(to: pages, site)
        SceneActions.add(to: pages, site)
        GraphPage.add(to: pages, site)
        AccessPage.add(to: pages, site)
        PrivacyPage.add(to: pages, site)
        HistoryRemoval.add(to: pages, site)
        BridgePage.add(to: pages, site)
        BridgeWarningsPage.add(to: pages, site)
        BridgePairingsPage.add(to: pages, site)
        BridgeSystemPages.add(to: pages, site)
        BridgeBackupPage.add(to: pages, site)
        BridgeChanges.add(to: pages, site)
        return router
    }
}
