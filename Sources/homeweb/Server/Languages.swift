import HTTPTypes
import Hummingbird
import HummingbirdCore
import Texts

/// Answers requests in the best language that the browser accepts and the page has; English is the default.
struct Languages: RouterMiddleware {
    typealias Context = WebContext

    /// The catalogs by language, which are part of the program.
    ///
    /// English is the language of the keys and needs no catalog.
    static let catalogs = ["de": catalog("de", PackageResources.de_po)]

    /// The language of the current request, as in HTML's `lang`.
    static var current: String { TextCatalog.current?.language ?? "en" }

    private static func catalog(_ language: String, _ bytes: [UInt8]) -> TextCatalog {
        do { return try TextCatalog(language: language, parsing: bytes) } catch {
            preconditionFailure("Invalid catalog \(language).po: \(error)")
        }
    }

    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        let catalog = TextCatalog.best(for: request.headers[.acceptLanguage], among: Self.catalogs)
        var response = try await TextCatalog.$current.withValue(catalog) { try await next(request, context) }
        // Other assets are the same in all languages.
        let path = request.uri.path
        if !path.hasPrefix("/assets/") || path.hasSuffix(".html") { response.vary(by: "Accept-Language") }
        return response
    }
}

extension Response {
    /// Adds a request header on which the response depends.
    mutating func vary(by header: String) {
        headers[.vary] = headers[.vary].map { "\($0), \(header)" } ?? header
    }
}
