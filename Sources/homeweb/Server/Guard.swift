import HTTPTypes
import HomeModel
import Hummingbird
import HummingbirdCore
import Logging

/// Lets nothing in that another page could have sent, and tells browsers to take nothing from elsewhere.
///
/// - A name in `Host` that is not ours is what DNS rebinding sends, so it is refused; an address cannot be rebound.
/// - Whatever changes something is a POST, and comes from a page of ours: browsers say so in `Origin`.
struct Guard: RouterMiddleware {
    typealias Context = WebContext

    /// Names under which the page may be asked for, beside addresses.
    let names: Set<String>
    let isEncrypted: Bool

    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do throws(WebError) {
            try check(request)
            response = try await Self.answer(request, context, next)
        } catch {
            response = error.response(to: request, context)
        }
        for (name, value) in Self.headers where response.headers[name] == nil { response.headers[name] = value }
        if isEncrypted { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        return response
    }

    private static func answer(
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
                error.status, error.status == .notFound ? "There is no such page." : "The request is not understood.")
        } catch is CancellationError {
            throw WebError(.serviceUnavailable, "The page is going down.")
        } catch {
            context.logger.error("request failed", metadata: ["error": "\(error)"])
            throw WebError(.internalServerError, "Something went wrong here; the log says what.")
        }
    }

    private func check(_ request: Request) throws(WebError) {
        guard let host = request.head.authority.flatMap(Self.hostName), isOurs(host) else {
            throw WebError(
                .misdirectedRequest,
                "This page is not known by that name. Use its address, or start homeweb with --name.")
        }
        switch request.method {
        case .get, .head: return
        case .post: break
        default: throw WebError(.methodNotAllowed, "The page takes GET and POST.")
        }
        let scheme = isEncrypted ? "https" : "http"
        let origin = request.headers[.origin]
        guard origin == "\(scheme)://\(request.head.authority ?? "")" else {
            throw WebError(
                .forbidden,
                "Changes are taken from this page alone: the request says it comes from \(origin.map { "\"\($0.prefix(100))\"" } ?? "nowhere")."
            )
        }
    }

    private func isOurs(_ host: String) -> Bool { IPAddressText.isAddress(host) || names.contains(host.lowercased()) }

    /// The host of `host:port`, an IPv6 address without its brackets.
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

    private static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no name of a header.") }
        return name
    }

    private static let headers: [(HTTPField.Name, String)] = [
        (
            .contentSecurityPolicy,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
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
