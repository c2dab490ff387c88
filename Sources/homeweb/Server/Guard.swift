import HTTPTypes
import HomeModel
import Hummingbird
import HummingbirdCore
import Logging
import TerminalKit
import Texts

/// Rejects requests that another page could have sent, and sets headers that prevent browsers from loading anything
/// from other sites.
///
/// - An unknown name in `Host` is rejected, because an attack by DNS rebinding sends such a name. An address can't be
///   rebound.
/// - All changes are POST requests whose `Origin` is this page.
struct Guard: RouterMiddleware {
    typealias Context = WebContext

    let settings: WebServer.Settings
    private var isEncrypted: Bool { settings.tls != nil }

    init(_ settings: WebServer.Settings) { self.settings = settings }

    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        let context = resolved(context, request)
        do throws(WebError) {
            try check(request, context)
            response = try await Self.answer(request, context, next)
        } catch {
            response = error.response(to: request, context)
        }
        for (name, value) in Self.headers where response.headers[name] == nil { response.headers[name] = value }
        // A browser that trusts a self-signed certificate must be able to return to HTTP.
        if let tls = settings.tls, !tls.isOwn { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        return request.method == .head ? response.createHeadResponse() : response
    }

    static func answer(
        _ request: Request, _ context: WebContext, _ next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws(WebError) -> Response {
        do {
            return try await next(request, context)
        } catch let error as WebError {
            throw error
        } catch let error as HomeError {
            throw WebError(error)
        } catch let error as HTTPError {
            throw WebError(
                error.status,
                error.status == .notFound
                    ? localized("This page doesn't exist.") : localized("This request is invalid."))
        } catch is CancellationError {
            throw WebError(.serviceUnavailable, localized("The page is shutting down."))
        } catch {
            context.logger.error("request failed", metadata: ["error": "\(error)"])
            throw WebError(.internalServerError, localized("An internal error occurred. See the log of homeweb."))
        }
    }

    /// Returns the context with the client's address and scheme from the reverse proxy, if there is a proxy.
    private func resolved(_ context: WebContext, _ request: Request) -> WebContext {
        var context = context
        context.isEncrypted = isEncrypted
        guard settings.proxies.contains(context.peer) else { return context }
        let client = settings.proxies.client(of: context.peer, request.headers)
        context.isProxied = true
        context.peer = client.address
        context.isEncrypted = client.isEncrypted
        return context
    }

    private func check(_ request: Request, _ context: WebContext) throws(WebError) {
        guard let authority = request.head.authority, isOurs(authority) else {
            throw WebError(
                .misdirectedRequest,
                localized(
                    "This page isn't available under that host name. Use its address, or start homeweb with --name."))
        }
        switch request.method {
        case .get, .head: return
        case .post: break
        default: throw WebError(.methodNotAllowed, localized("Only GET and POST are supported."))
        }
        let origin = request.headers[.origin] ?? ""
        guard origins(authority, request, context).contains(origin) else {
            let sender =
                origin.isEmpty
                ? localized("the request has no Origin")
                : localized("the request came from \"\(String(origin.prefix(100)).sanitized)\"")
            throw WebError(
                .forbidden,
                localized(
                    "Only this page can make changes, but \(sender). If homeweb is behind a proxy, start it with --behind-proxy and --name. Operation.md has examples."
                ))
        }
    }

    /// Returns the origins of this page for the browser that sent a request.
    ///
    /// A proxy may replace `Host` and omit the scheme, so the names of `--name` are also valid.
    private func origins(_ authority: String, _ request: Request, _ context: WebContext) -> Set<String> {
        let schemes = context.isEncrypted.map { [$0 ? "https" : "http"] } ?? ["http", "https"]
        var hosts = [authority]
        if context.isProxied {
            if let host = request.headers[Self.forwardedHost], isOurs(host) { hosts.append(host) }
            hosts += settings.publicNames.map(\.authority)
        }
        return Set(schemes.flatMap { scheme in hosts.map { "\(scheme)://\($0)" } })
    }

    private func isOurs(_ authority: String) -> Bool {
        guard let host = Self.hostName(authority) else { return false }
        return IPAddressText.isAddress(host) || settings.names.contains(host.lowercased())
    }

    private static let forwardedHost = name("X-Forwarded-Host")

    /// Returns the host of `host:port`.
    ///
    /// An IPv6 address has no brackets.
    static func hostName(_ authority: String) -> String? {
        guard authority.utf8.count <= 255 else { return nil }
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            return String(authority[authority.index(after: authority.startIndex)..<end])
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let name = parts.first, !name.isEmpty else { return nil }
        return String(name)
    }

    static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) isn't a header name.") }
        return name
    }

    private static let headers: [(HTTPField.Name, String)] = [
        (
            .contentSecurityPolicy,
            "default-src 'none'; script-src 'self'; style-src 'self' \(Assets.baseStyleSource); img-src 'self' blob:; connect-src 'self'; "
                + "manifest-src 'self'; media-src 'self' blob:; form-action 'self'; base-uri 'none'; "
                + "frame-ancestors 'none'"
        ),
        (.xContentTypeOptions, "nosniff"), (name("Referrer-Policy"), "same-origin"),
        (name("Cross-Origin-Opener-Policy"), "same-origin"),
        (name("Cross-Origin-Resource-Policy"), "same-origin"),
        (name("Permissions-Policy"), "camera=(self), microphone=(), geolocation=()"),
        (.cacheControl, "no-store"),
    ]
}
