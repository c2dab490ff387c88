import BoundedJSON
import HTTPTypes
import HomeModel
import HomePresentation
import Hummingbird
import HummingbirdCore
import NIOCore
import TerminalKit
import Texts

/// The reason why a request failed, for the visitor.
struct WebError: Error {
    var status: HTTPResponse.Status
    var message: String
    /// Available names that the visitor can use instead of the rejected name.
    var suggestions: [String] = []

    init(_ status: HTTPResponse.Status, _ message: String) {
        self.status = status
        self.message = message.sanitizedForPage
    }

    init(_ error: HomeError) {
        // Most messages of the hub are constant texts. Others are in English.
        message =
            [error.localizedProblem, error.effectiveRemedy.map { localized(key: $0) }].compactMap { $0 }.sentence
            .sanitizedForPage
        suggestions = error.suggestions
        status =
            switch error.code {
            case .notFound: .notFound
            case .homeAccessNotAuthorized, .insufficientPrivileges, .accessDenied: .forbidden
            case .alreadyExists, .objectWithSimilarNameExistsInHome, .operationInProgress: .conflict
            case .daemonUnavailable, .operationCancelled, .storageFailed: .serviceUnavailable
            case .accessoryNotReachable, .bridgedAccessoryNotReachable, .operationTimedOut,
                .timedOutWaitingForAccessory, .communicationFailure, .accessoryCommunicationFailure:
                .gatewayTimeout
            default: .badRequest
            }
    }

    func response(to request: Request, _ context: WebContext) -> Response {
        if request.isFromScript {
            var json: JSONObject = ["message": .string(message)]
            if !suggestions.isEmpty { json["suggestions"] = .array(suggestions.map(JSONValue.string)) }
            return Response.json(.object(json), status: status)
        }
        let heading = status == .notFound ? localized("Not found") : localized("That didn't work")
        let content = Templates.render(
            "problem",
            [
                "heading": heading, "message": message, "suggestions": suggestions,
                "back": request.localReferrer ?? "/",
            ])
        return Response.page(Layout(title: heading, content: content, visitor: context.person), status: status)
    }
}

extension Request {
    /// Whether the request comes from the page's script, which expects JSON.
    var isFromScript: Bool { headers[.accept]?.contains("application/json") == true }

    /// The path of the page that the request comes from, if the page is on this server.
    var localReferrer: String? {
        guard let text = headers[.referer], let authority = head.authority,
            let range = text.firstRange(of: "//\(authority)/")
        else { return nil }
        return String(text[text.index(before: range.upperBound)...]).localPath
    }
}

extension Response {
    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.encoded)))
    }

    static func html(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    static func page(_ layout: Layout, status: HTTPResponse.Status = .ok) -> Response {
        .html(layout.html, status: status)
    }

    /// Sends the beginning of a page at once, so that the browser shows it while the content is rendered.
    static func page(_ frame: Layout, then whole: @Sendable @escaping () async -> Layout) -> Response {
        let beginning = frame.beginning
        let language = TextCatalog.current
        var response = html("")
        response.body = ResponseBody { writer in
            try await writer.write(ByteBuffer(string: beginning))
            // The server writes the body after the request has left its language.
            let ending = await TextCatalog.$current.withValue(language) { await whole().ending }
            try await writer.write(ByteBuffer(string: ending))
            try await writer.finish(nil)
        }
        return response
    }

    /// Redirects a browser to a page on this server.
    static func seeOther(_ path: String) -> Response {
        Response(status: .seeOther, headers: [.location: path.localPath])
    }
}

extension String {
    /// The path if it leads to a page on this server, or else `/`, so that browsers aren't redirected elsewhere.
    var localPath: String {
        hasPrefix("/") && !hasPrefix("//") && !hasPrefix("/\\") && utf8.count <= 500
            && utf8.allSatisfy { (0x21...0x7E).contains($0) } ? self : "/"
    }
}
