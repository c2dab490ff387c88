import AsyncKit
import HAPModel
import HTTPTypes
import HomeClient
import HomeModel
import HomePresentation
import Hummingbird
import HummingbirdCore
import NIOCore
import Texts

/// The pages and their live updates.
enum Pages {
    /// The time for which a page waits for accessories before it shows the last known state.
    private static let readTimeout = Duration.milliseconds(1500)

    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        for path in [
            "/", "/status/:topic", "/rooms", "/rooms/:id", "/rooms/:id/order", "/favorites/:id/order", "/services/:id",
            "/accessories/:id", "/scenes", "/scenes/:id", "/activity", "/more",
            "/names", "/accessories", "/add", "/add/:id", "/automations", "/automations/:id", "/people",
        ] {
            router.get(RouterPath(path)) { request, context in
                let visitor = try context.visitor
                guard let page = await page(request.uri.description, visitor, site) else {
                    throw WebError(.notFound, localized("This page doesn't exist."))
                }
                let toast = await site.undos.toast(for: request, visitor)
                return try await response(page, site, visitor, toast: toast)
            }
        }
        router.get("/accessories/:id/remove") { _, context in try await removal(context, site) }
        router.get("/live") { request, context in try await live(request, context, site) }
    }

    /// Returns the page at a path, or `nil` if it doesn't exist or isn't available to the visitor.
    static func page(_ address: String, _ visitor: Visitor, _ site: Site) async -> (any LivePage)? {
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = Query(parts.count > 1 ? parts[1] : "")
        let words = parts[0].split(separator: "/").map(String.init)
        switch (words.first, words.count) {
        case (nil, 0):
            return HomePage(
                path: "/" + query.text, query: query, bridgeSocket: site.bridgeSocket, displays: site.displays)
        case ("status", 2):
            return HomeStatus.Topic(rawValue: words[1]).map {
                StatusPage(topic: $0, choice: query.home)
            }
        case ("rooms", 2):
            return Room.ID(words[1]).map { RoomPage(room: $0, displays: site.displays) }
        case ("services", 2): return Service.ID(words[1]).map(ServicePage.init)
        case ("accessories", 2): return Accessory.ID(words[1]).map(AccessoryPage.init)
        case ("scenes", 1): return ScenesPage(path: "/scenes" + query.text, choice: query.home)
        case ("scenes", 2): return ActionSet.ID(words[1]).map(ScenePage.init)
        case ("activity", 1): return ActivityPage(manager: site.manager, feed: site.activity, query: query)
        case ("automations", 1) where visitor.seesAllRooms:
            return AutomationsPage(manager: site.manager, path: "/automations" + query.text, choice: query.home)
        case ("automations", 2) where visitor.seesAllRooms:
            let isChecked = query["check"] == "1"
            return Trigger.ID(words[1]).map {
                AutomationPage(manager: site.manager, trigger: $0, isChecked: isChecked)
            }
        case ("search", 1): return SearchPage(query: query)
        case ("more", 1): return MorePage()
        default: break
        }
        guard visitor.isEditor else { return nil }
        switch (words.first, words.count) {
        case ("rooms", 1):
            return RoomsPage(path: "/rooms" + query.text, choice: query.home, displays: site.displays)
        case ("rooms", 3) where words[2] == "order":
            return Room.ID(words[1]).map { OrderPage(list: .room($0), displays: site.displays) }
        case ("favorites", 3) where words[2] == "order":
            return Home.ID(words[1]).map { OrderPage(list: .favorites($0), displays: site.displays) }
        case ("accessories", 1): return SelectionPage(path: "/accessories" + query.text, choice: query.home)
        case ("names", 1): return NamesPage(path: "/names" + query.text, choice: query.home)
        case ("people", 1):
            return PeoplePage(manager: site.manager, path: "/people" + query.text, choice: query.home)
        case ("add", 1):
            return BeginPage(path: "/add" + query.text, choice: query.home, bridgeSocket: site.bridgeSocket)
        case ("add", 2):
            guard let id = AccessorySetupSession.ID(words[1]) else { return nil }
            return await site.manager.setup(id).map { AddPage(session: $0) }
        default: return nil
        }
    }

    /// Returns the page in its current state.
    ///
    /// The page of a single service or accessory reads its values first. A home's page shows the known values and reads
    /// them while it is open.
    static func response(
        _ page: any LivePage, _ site: Site, _ visitor: Visitor, status: HTTPResponse.Status = .ok,
        message: String? = nil, toast: Toast? = nil
    ) async throws -> Response {
        var moment = try await site.moment(visitor, choice: page.choice)
        if page is ServicePage || page is AccessoryPage {
            let values = await page.content(moment).values
            await read(values, page.home(moment)?.readable(values) ?? [], site)
            moment = try await site.moment(visitor, choice: page.choice)
        }
        if status == .ok, message == nil, let title = page.title(moment) {
            var beginning = page.frame(title, moment)
            beginning.toast = toast
            return .page(beginning) { [moment] in page.layout(await page.content(moment), moment) }
        }
        let content = await page.content(moment)
        if let successor = content.successor { return .seeOther(successor) }
        var layout = page.layout(content, moment)
        layout.message = message
        layout.toast = toast
        return .page(layout, status: content.isMissing ? .notFound : status)
    }

    /// Observes and reads values until the page's own stream takes over.
    private static func read(
        _ values: Set<Characteristic.ID>, _ readable: Set<Characteristic.ID>, _ site: Site
    ) async {
        guard !readable.isEmpty else { return }
        let watching = Watching(site: site)
        // After the timeout, the page is sent without the new values, and the read continues in the background.
        let (answers, answered) = AsyncStream.makeStream(of: Void.self)
        Task {
            await watching.watch(values, reading: readable)
            answered.finish()
            await watching.end(after: Watching.linger)
        }
        _ = try? await withTimeLimit(readTimeout) { for await _ in answers {} }
    }

    private static func removal(_ context: WebContext, _ site: Site) async throws -> Response {
        let visitor = try context.editor
        let moment = try await site.moment(visitor)
        guard let id = context.parameters.get("id").flatMap({ Accessory.ID($0) }),
            let accessory = moment.home(where: { $0.accessory(id) != nil })?.accessory(id), accessory.bridge == nil
        else {
            throw WebError(
                .notFound, localized("This accessory doesn't exist, or can be removed only with its bridge."))
        }
        let behind = accessory.bridgedAccessories?.count ?? 0
        return .confirmation(
            of: localized("Remove \(accessory.name)?"),
            about: (behind > 0
                ? localized("This also removes the accessories connected through it (\(behind)).") + " " : "")
                + localized("Its room, names and scene actions are lost. You can add it again later."),
            button: localized("Remove accessory"), action: "/accessories/\(id)/remove",
            back: ("/accessories/\(id)", accessory.name), place: "/", visitor)
    }

    // MARK: Live updates

    /// Prevents nginx from buffering events.
    private static let noBuffering = Guard.name("X-Accel-Buffering")

    private static func live(_ request: Request, _ context: WebContext, _ site: Site) async throws -> Response {
        let visitor = try context.visitor
        let query = Query(request.uri.query ?? "")
        guard let page = await page((query["page"] ?? "/").localPath, visitor, site) else {
            throw WebError(.notFound, localized("This page doesn't exist."))
        }
        let stream = LiveStream(site: site, page: page, visitor: visitor, mark: query["mark"])
        guard let place = site.listeners.enter("\(visitor.shownName) at \(context.peer)", end: stream.stop) else {
            let error = WebError(
                .serviceUnavailable, localized("\(ListenerLimit.most) pages are already open. Close some."))
            var refusal = error.response(to: request, context)
            refusal.headers[.retryAfter] = "10"
            return refusal
        }
        let language = TextCatalog.current
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", noBuffering: "no"],
            body: ResponseBody { writer in
                defer { withExtendedLifetime(place) {} }
                let output = EventWriter(writer)
                try await request.body.consumeWithInboundCloseHandler { _ in
                    // The server writes the body after the request has left its language.
                    try await TextCatalog.$current.withValue(language) {
                        try await stream.run { try await output.write($0) }
                    }
                } onInboundClosed: {
                    stream.stop()
                }
                try await writer.finish(nil)
            })
    }
}

extension WebContext {
    /// The requester, who must be an owner.
    var owner: Visitor {
        get throws(WebError) {
            let visitor = try editor
            guard visitor.isOwner else { throw WebError(.forbidden, localized("Only owners can do this.")) }
            return visitor
        }
    }

    /// The requester, who must be an owner or a member.
    var editor: Visitor {
        get throws(WebError) {
            let visitor = try visitor
            guard !visitor.isTablet else {
                throw WebError(
                    .forbidden, localized("This browser is a wall tablet. Leave wall tablet mode to do this."))
            }
            guard visitor.isEditor else {
                throw WebError(.forbidden, localized("Guests can only view and control accessories."))
            }
            return visitor
        }
    }

    /// The requester, who must be signed in.
    var visitor: Visitor {
        get throws(WebError) {
            guard let person else { throw WebError(.unauthorized, localized("Sign in first.")) }
            return person
        }
    }

    func id<Entity>() throws(WebError) -> Identifier<Entity> {
        guard let id = parameters.get("id").flatMap({ Identifier<Entity>($0) }) else { throw ValueActions.notFound }
        return id
    }
}

/// Writes the events of an open page.
///
/// Only one task writes, but the server's writer isn't `Sendable`.
private final class EventWriter: @unchecked Sendable {
    private var writer: any ResponseBodyWriter

    init(_ writer: any ResponseBodyWriter) { self.writer = writer }

    @concurrent func write(_ event: String) async throws { try await writer.write(ByteBuffer(string: event)) }
}
