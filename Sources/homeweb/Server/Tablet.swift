import HTTPTypes
import Hummingbird
import HummingbirdCore

/// The setting that makes a browser a wall tablet, which is kept in a cookie.
///
/// `?tablet=1` in the address of any page turns the setting on, and `?tablet=0` turns it off. The page then has larger
/// tiles, and shows and controls the home without changing it.
struct Tablet: RouterMiddleware {
    typealias Context = WebContext

    private static let cookie = "tablet"
    private static let field = "tablet"
    /// The number of days for which a browser stays a wall tablet; the longest time that browsers allow.
    private static let days = 400

    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        let query = Query(request.uri.query ?? "")
        guard request.method == .get, let setting = query[Self.field], Self.isOfThisPage(request) else {
            return try await next(request, context)
        }
        var response = Response.seeOther(request.uri.path + query.without(Self.field).text)
        let isOn = setting == "1"
        // Not a secret, so the setting outlives a change to HTTP.
        response.setCookie(
            Cookie(
                name: Self.cookie, value: isOn ? "1" : "", maxAge: isOn ? Self.days * 86400 : 0, path: "/",
                httpOnly: true, sameSite: .strict))
        return response
    }

    /// Returns whether the browser that sent a request is a wall tablet.
    static func isTablet(_ request: Request) -> Bool { request.cookies[cookie]?.value == "1" }

    /// Returns whether a request comes from this page or the address bar, and not from a link on another site.
    private static func isOfThisPage(_ request: Request) -> Bool {
        request.headers[Guard.name("Sec-Fetch-Site")] != "cross-site"
    }
}
