import AsyncKit
import HTTPTypes
import HomeClient
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import SystemKit
import Texts
import WebAccess

/// Admits visitors with a token and, without `--require-token`, the browser of the user who runs the page.
struct Entrance: RouterMiddleware {
    typealias Context = WebContext

    /// The names of the session's cookie over HTTP and over HTTPS.
    ///
    /// A browser doesn't send a cookie from HTTPS over HTTP, and doesn't replace it there. The prefix keeps other hosts of
    /// the domain from setting the cookie (RFC 6265bis 4.1.3.2).
    private static let cookies = (plain: "lamplighter", encrypted: "__Host-lamplighter")
    /// The number of days without a visit after which a browser is signed out.
    private static let sessionDays = 90

    let site: Site

    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        // Browsers and proxies cache assets, so they must not contain a cookie. They are the same for all visitors, and the
        // first paint waits for them.
        if path.hasPrefix("/assets/") { return try await next(request, context) }
        var context = context
        context.person = visitor(request, context)
        context.person?.isTablet = Tablet.isTablet(request)
        guard context.person == nil, path != "/enter" else {
            let admitted = context
            // The home hub records the person with each change that the request makes.
            var response = try await HomeManager.acting(for: context.person?.name) {
                try await next(request, admitted)
            }
            if let token = context.person?.token, response.headers[.contentType]?.hasPrefix("text/html") == true {
                Self.setCookie(token.secret, days: Self.sessionDays, in: &response, request, context)
            }
            return response
        }
        guard request.method == .get, !request.isFromScript, path != "/live" else {
            throw WebError(.unauthorized, localized("You are signed out. Open the page again."))
        }
        return Response.seeOther("/enter")
    }

    private func visitor(_ request: Request, _ context: WebContext) -> Visitor? {
        for name in [Self.cookies.encrypted, Self.cookies.plain] {
            if let token = request.cookies[name].flatMap({ AccessToken($0.value) }),
                let visitor = site.people.visitor(token)
            {
                return visitor
            }
        }
        return !site.people.isTokenNeeded && isOfThisComputer(request, context) ? .local : nil
    }

    /// Returns whether a request comes from a browser on this computer, run by the user who runs the page.
    ///
    /// A reverse proxy also connects over the loopback interface, and may not forward the name and the address that its
    /// client used. But it runs as another user, which the kernel knows.
    private func isOfThisComputer(_ request: Request, _ context: WebContext) -> Bool {
        request.head.authority.flatMap(Guard.hostName).map(IPAddressText.isLoopback) == true
            && !ReverseProxies.hasForwarded(request.headers) && context.isFromSameUser
    }

    // MARK: Sign-in page

    static func page(refusal: String? = nil, status: HTTPResponse.Status = .ok) -> Response {
        var values: Templates.Values = ["command": "\(ShellCommand.homehubAsRoot) web"]
        if let refusal { values["refusal"] = refusal }
        return Response.page(
            Layout(title: localized("Sign in"), content: Templates.render("enter", values)), status: status)
    }

    static func add(to router: Router<WebContext>, _ site: Site) {
        router.get("/enter") { _, context in context.person == nil ? page() : Response.seeOther("/") }
        router.post("/enter") { request, context in
            let form = try await request.form(context)
            guard site.attempts.begin(context.peer) else {
                var response = page(
                    refusal: localized("Too many wrong tokens. Try again in a minute."), status: .tooManyRequests)
                response.headers[.retryAfter] = "60"
                return response
            }
            guard let token = form["token"].flatMap({ AccessToken($0) }),
                let visitor = site.people.visitor(token) ?? site.people.redeem(token)
            else {
                site.logger.notice("token refused", metadata: ["peer": "\(context.peer)"])
                return page(
                    refusal: localized("Wrong token. To see the current token, run \(ShellCommand.homehubAsRoot) web."),
                    status: .forbidden)
            }
            site.attempts.succeeded(context.peer)
            site.logger.info(
                "visitor signed in", metadata: ["person": "\(visitor.shownName)", "peer": "\(context.peer)"])
            var response = Response.seeOther("/")
            setCookie((visitor.token ?? token).secret, days: sessionDays, in: &response, request, context)
            return response
        }
        router.post("/leave") { request, context in
            var response = Response.seeOther("/enter")
            setCookie("", days: 0, in: &response, request, context)
            return response
        }
    }

    /// Signs a browser in.
    static func setCookie(_ token: String, in response: inout Response, _ request: Request, _ context: WebContext) {
        setCookie(token, days: sessionDays, in: &response, request, context)
    }

    private static func setCookie(
        _ value: String, days: Int, in response: inout Response, _ request: Request, _ context: WebContext
    ) {
        // If a proxy doesn't forward the scheme, the form's origin determines it, and cookies aren't renewed.
        let origin = request.headers[.origin]
        guard let isEncrypted = context.isEncrypted ?? origin?.hasPrefix("https:") else { return }
        // Signing out also removes a cookie from HTTP.
        var names = [isEncrypted ? cookies.encrypted : cookies.plain]
        if isEncrypted, value.isEmpty { names.append(cookies.plain) }
        for name in names {
            response.setCookie(
                Cookie(
                    name: name, value: value, maxAge: days * 86400, path: "/", secure: isEncrypted, httpOnly: true,
                    sameSite: .strict))
        }
    }
}

extension Request {
    /// The longest time that a form may take to arrive.
    private static var formTimeout: Duration { .seconds(10) }

    /// Reads a form.
    ///
    /// - Parameters:
    ///   - context: The request's context.
    ///   - limit: The maximum size in bytes; `nil` for that of most forms.
    ///   - fields: The maximum number of fields.
    /// - Returns: The fields.
    /// - Throws: `WebError` for a different type of content, and the errors of ``bytes(upTo:)``.
    func form(
        _ context: WebContext, limit: Int? = nil, fields: Int = Query.defaultLimit
    ) async throws -> Query {
        guard headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true else {
            throw WebError(.unsupportedMediaType, localized("This page accepts only its own forms."))
        }
        let query = Query(String(buffer: try await bytes(upTo: limit ?? context.maxUploadSize)), limit: fields)
        return query.without(KeptForm.pageField)
    }

    /// Reads the entire body.
    ///
    /// - Throws: `WebError` if it exceeds the limit or takes more than 10 seconds.
    func bytes(upTo limit: Int) async throws -> ByteBuffer {
        let bytes = try await withTimeLimit(Self.formTimeout) { [body] in
            do { return try await body.collect(upTo: limit) } catch {
                throw WebError(.contentTooLarge, localized("The form is too large."))
            }
        }
        guard let bytes else {
            throw WebError(.requestTimeout, localized("The form took too long to arrive. Send it again."))
        }
        return bytes
    }
}
