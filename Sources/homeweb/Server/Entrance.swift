import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import WebAccess

/// Lets in who has a token, and who sits at this computer if that is enough.
struct Entrance: RouterMiddleware {
    typealias Context = WebContext

    static let cookie = "lamplighter"

    let site: Site

    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.person = visitor(request, context)
        let path = request.uri.path
        guard context.person == nil, path != "/enter", !path.hasPrefix("/assets/") else {
            return try await next(request, context)
        }
        guard request.method == .get, !request.isFromScript, path != "/live" else {
            throw WebError(.unauthorized, "You are not let in here any more. Open the page again.")
        }
        return Response.seeOther("/enter")
    }

    private func visitor(_ request: Request, _ context: WebContext) -> Visitor? {
        if let token = request.cookies[Self.cookie].flatMap({ AccessToken($0.value) }),
            let visitor = site.people.visitor(token)
        {
            return visitor
        }
        // What somebody else's proxy passes on comes from this computer, but is not of it.
        let isPassedOn = Self.proxyHeaders.contains { request.headers[$0] != nil }
        return context.isLocal && !isPassedOn && !site.people.isTokenNeeded ? .local : nil
    }

    private static let proxyHeaders = ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"]
        .compactMap { HTTPField.Name($0) }

    // MARK: The page

    static func page(refusal: String? = nil, status: HTTPResponse.Status = .ok) -> Response {
        var values: Templates.Values = [:]
        if let refusal { values["refusal"] = refusal }
        return Response.page(Layout(title: "Come in", content: Templates.render("enter", values)), status: status)
    }

    static func add(to router: Router<WebContext>, _ site: Site, isEncrypted: Bool) {
        router.get("/enter") { _, context in context.person == nil ? page() : Response.seeOther("/") }
        router.post("/enter") { request, context in
            let form = try await request.form(context)
            guard site.attempts.begin(context.peer) else {
                var response = page(refusal: "Too many tokens that are none. Wait a minute.", status: .tooManyRequests)
                response.headers[.retryAfter] = "60"
                return response
            }
            guard let token = form["token"].flatMap({ AccessToken($0) }), let visitor = site.people.visitor(token)
            else {
                site.logger.notice("token refused", metadata: ["peer": "\(context.peer)"])
                return page(refusal: "That is no token of this page. \"homehub web\" shows it.", status: .forbidden)
            }
            site.attempts.succeeded(context.peer)
            site.logger.info(
                "visitor came in", metadata: ["person": "\(visitor.shownName)", "peer": "\(context.peer)"])
            var response = Response.seeOther("/")
            response.setCookie(
                Cookie(
                    name: cookie, value: token.secret, maxAge: 365 * 86400, path: "/", secure: isEncrypted,
                    httpOnly: true, sameSite: .strict))
            return response
        }
        router.post("/leave") { _, _ in
            var response = Response.seeOther("/enter")
            response.setCookie(
                Cookie(
                    name: cookie, value: "", maxAge: 0, path: "/", secure: isEncrypted, httpOnly: true,
                    sameSite: .strict))
            return response
        }
    }
}

extension Request {
    /// How long a form may take to come.
    private static var formTimeout: Duration { .seconds(10) }

    /// What a form sent.
    func form(_ context: WebContext) async throws -> Query {
        guard headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true else {
            throw WebError(.unsupportedMediaType, "The page takes what its forms send.")
        }
        return Query(String(buffer: try await bytes(upTo: context.maxUploadSize)))
    }

    /// The whole body, if it comes in time.
    ///
    /// - Throws: `WebError` if it is longer than that, or takes too long.
    func bytes(upTo limit: Int) async throws -> ByteBuffer {
        let body = body
        return try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
            group.addTask {
                do { return try await body.collect(upTo: limit) } catch {
                    throw WebError(.contentTooLarge, "That is more than a form of this page sends.")
                }
            }
            group.addTask {
                try await Task.sleep(for: Self.formTimeout)
                throw WebError(.requestTimeout, "The form did not come whole in time.")
            }
            defer { group.cancelAll() }
            return try await group.next() ?? ByteBuffer()
        }
    }
}
