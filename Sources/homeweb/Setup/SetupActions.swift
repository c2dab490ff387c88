import AsyncKit
import BoundedJSON
import HAPModel
import HomeClient
import HomeModel
import Hummingbird
import HummingbirdCore
import Texts

/// Handles the forms of the pages for adding an accessory.
enum SetupActions {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.post("/add") { request, context in
            _ = try context.editor
            let form = try await request.form(context)
            let home = form["home"].flatMap { Home.ID($0) }
            var setup = AccessorySetupRequest(home: home)
            if form["bridge"] != nil {
                _ = try context.owner
                setup.payload = try await BridgeOffer.payload(site)
            }
            let session = try await site.manager.beginSetup(setup, asksForDetails: false)
            return Response.seeOther("/add/\(session.id)")
        }
        addPictures(to: router)
        router.post("/add/:id") { request, context in
            let visitor = try context.editor
            let form = try await request.form(context)
            guard let session = try await session(context, site) else {
                throw WebError(.notFound, localized("This setup has ended. Start again."))
            }
            if form["cancel"] != nil {
                await session.cancel()
                return Response.seeOther("/add/\(session.id)")
            }
            // The form belongs to a previous question.
            guard form["step"] == AddPage.step(await session.state) else {
                return Response.seeOther("/add/\(session.id)")
            }
            do throws(WebError) {
                let answer = try answer(form)
                do throws(HomeError) { try await session.answer(answer) } catch { throw WebError(error) }
                await awaitNextStep(of: session, after: form["step"] ?? "")
                return Response.seeOther("/add/\(session.id)")
            } catch {
                return try await Pages.response(
                    AddPage(session: session), site, visitor, status: .badRequest, message: error.message)
            }
        }
    }

    /// Reads the QR code in a picture for browsers that can't.
    ///
    /// The picture isn't stored.
    private static func addPictures(to router: RouterGroup<WebContext>) {
        router.post("/read-code") { request, context in
            _ = try context.editor
            let query = Query(request.uri.query ?? "")
            let bytes = try await request.bytes(upTo: QRPicture.limit * QRPicture.limit)
            guard let width = query["width"].flatMap({ Int($0) }), let height = query["height"].flatMap({ Int($0) }),
                let picture = QRPicture(width: width, height: height, pixels: Array(bytes.readableBytesView))
            else { throw WebError(.badRequest, localized("This isn't a valid picture.")) }
            return Response.json(["text": .string(picture.text ?? "")])
        }
    }

    static func session(_ context: WebContext, _ site: Site) async throws -> AccessorySetupSession? {
        guard let id = context.parameters.get("id").flatMap({ AccessorySetupSession.ID($0) }) else { return nil }
        return await site.manager.setup(id)
    }

    private static func answer(_ form: Query) throws(WebError) -> AccessorySetupAnswer {
        if let text = form["code"] {
            switch try credentials(text) {
            case .code(let code): return .code(code)
            case .payload(let payload): return .payload(payload)
            }
        }
        if let device = form["device"] {
            guard let id = DeviceID(device) else {
                throw WebError(.badRequest, localized("This isn't a valid device ID."))
            }
            return .device(id)
        }
        throw WebError(.badRequest, localized("The form doesn't answer the current question. Reload the page."))
    }

    /// Parses a setup code or the text of a QR code.
    static func credentials(_ text: String) throws(WebError) -> AccessorySetupCredentials {
        let text = text.trimmed
        if let payload = AccessorySetupPayload(url: text.uppercased().hasPrefix("X-HM:") ? text.uppercased() : text) {
            return .payload(payload)
        }
        guard let code = SetupCode(typed: text) else {
            throw WebError(
                .badRequest,
                localized(
                    "A setup code has eight digits, such as 518-08-582. The text of a QR code starts with X-HM://."))
        }
        return .code(code)
    }

    /// Waits briefly for the next question, so that a browser without scripts shows it immediately.
    private static func awaitNextStep(of session: AccessorySetupSession, after step: String) async {
        _ = try? await withTimeLimit(.seconds(1)) {
            for await state in session.states where AddPage.step(state) != step {
                if case .connecting = state { continue }
                return
            }
        }
    }
}

extension String {
    var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
