import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// Shows a rejected form again on its page, with the typed values and the reason.
///
/// Scripts get the reason instead, and keep the form themselves.
struct KeptForms: RouterMiddleware {
    typealias Context = WebContext

    /// The pages that forms are on.
    let pages: RouterResponder<WebContext>

    @concurrent func handle(
        _ request: Request, context: WebContext, next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        guard request.method == .post, !request.isFromScript, context.person != nil,
            request.headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true,
            let length = request.headers[.contentLength].flatMap({ Int($0) }), length <= context.maxUploadSize
        else { return try await next(request, context) }
        var request = request
        let bytes = try await request.bytes(upTo: context.maxUploadSize)
        request.body = RequestBody(buffer: bytes)
        do throws(WebError) { return try await Guard.answer(request, context, next) } catch {
            // A form with more fields would lose some of them.
            guard bytes.readableBytesView.count(where: { $0 == UInt8(ascii: "&") }) < Query.defaultLimit else {
                throw error
            }
            let all = Query(String(buffer: bytes))
            guard let page = (all[KeptForm.pageField] ?? request.localReferrer)?.localPath else { throw error }
            let form = KeptForm(
                action: request.uri.path, fields: all.without(KeptForm.pageField), page: page)
            guard let response = await response(to: request, context, form, error) else { throw error }
            return response
        }
    }

    private func response(
        to request: Request, _ context: WebContext, _ form: KeptForm, _ refusal: WebError
    ) async -> Response? {
        var head = request.head
        head.method = .get
        head.path = form.page
        for name in [HTTPField.Name.acceptEncoding, .contentLength, .contentType] { head.headerFields[name] = nil }
        guard
            let page = try? await pages.respond(
                to: Request(head: head, body: RequestBody(buffer: ByteBuffer())), context: context),
            // Other responses, such as a live stream, may not end, or can't be part of another request.
            page.status == .ok, page.headers[.contentType]?.hasPrefix("text/html") == true,
            let html = try? await String(buffer: page.body.collected()),
            let filled = form.filling(html),
            let place = filled.utf8.firstRange(of: #"<div id="toasts""#.utf8)
        else { return nil }
        var values: Templates.Values = ["message": refusal.message]
        if !refusal.suggestions.isEmpty { values["suggestions"] = refusal.suggestions }
        return .html(
            String(filled[..<place.lowerBound]) + Templates.render("message", values)
                + String(filled[place.lowerBound...]),
            status: refusal.status)
    }
}
