package import BoundedJSON

/// The homes without their accessories, which follow page by page, because a line has its limits.
package struct HomesReply: HomeMessage {
    package var homes: [Home]

    package init(homes: [Home]) {
        self.homes = homes
        for index in homes.indices { self.homes[index].accessories = [] }
    }

    package init(json: JSONValue) throws(HomeError) { self.init(homes: try json.messages("homes")) }

    package var json: JSONValue { ["homes": homes.json] }
}

/// Asks for some accessories of a home, as they were at a revision.
package struct AccessoryPageRequest: HomeMessage {
    package var home: Home.ID
    /// The revision of the home that the other pages are of.
    package var revision: UInt64
    /// How many accessories were received already.
    package var offset: Int

    package init(home: Home.ID, revision: UInt64, offset: Int) {
        self.home = home
        self.revision = revision
        self.offset = offset
    }

    package init(json: JSONValue) throws(HomeError) {
        self.init(
            home: try json.id("home"), revision: try json.value("revision", \.unsignedInteger),
            offset: try json.value("offset", \.int))
    }

    package var json: JSONValue {
        ["home": home.json, "revision": .unsignedInteger(revision), "offset": .integer(Int64(offset))]
    }
}

/// Some accessories of a home.
package struct AccessoryPage: HomeMessage {
    package var accessories: [Accessory]
    /// Where the next page begins; `nil` after the last.
    package var next: Int?

    package init(accessories: [Accessory], next: Int?) {
        self.accessories = accessories
        self.next = next
    }

    package init(json: JSONValue) throws(HomeError) {
        self.init(accessories: try json.messages("accessories"), next: try json.optional("next", \.int))
    }

    package var json: JSONValue {
        .object(
            JSONObject(present: ["accessories": accessories.json, "next": next.map { .integer(Int64($0)) }]))
    }
}

extension HomeGraph {
    /// The page that is asked for.
    ///
    /// - Throws: 2 if there is no such home, 15 if it has changed since the first page; the reader begins anew.
    package func page(_ request: AccessoryPageRequest) throws(HomeError) -> AccessoryPage {
        let home = try existing(request.home)
        guard home.revision == request.revision else { throw HomeError(.operationInProgress) }
        guard request.offset >= 0 else { throw HomeError(.invalidParameter) }
        let rest = home.accessories.dropFirst(request.offset)
        let page = Array(rest.prefix(AccessoryPage.size))
        return AccessoryPage(
            accessories: page, next: rest.count > page.count ? request.offset + page.count : nil)
    }

    /// The homes put together again of ``HomesReply`` and all pages.
    package init(_ reply: HomesReply, accessories: [Home.ID: [Accessory]]) {
        var homes = reply.homes
        for index in homes.indices { homes[index].accessories = accessories[homes[index].id] ?? [] }
        self.init(homes: homes)
    }
}

extension HomeCommit: HomeMessage {
    package init(json: JSONValue) throws(HomeError) {
        let result: Result
        if let id: Home.ID = try json.optional("home", { $0.identifier() }) {
            result = .home(id)
        } else if let id: Room.ID = try json.optional("room", { $0.identifier() }) {
            result = .room(id)
        } else if let id: Zone.ID = try json.optional("zone", { $0.identifier() }) {
            result = .zone(id)
        } else if let id: ActionSet.ID = try json.optional("actionSet", { $0.identifier() }) {
            result = .actionSet(id)
        } else if let ids: [Accessory.ID] = try json.optional("accessories", { $0.elements { $0.identifier() } }) {
            result = .accessories(ids)
        } else {
            result = .nothing
        }
        self.init(
            result: result, transaction: json["transaction"] == nil ? nil : try json.message("transaction"),
            stale: try json.optional("stale") { $0.elements { $0.identifier() } } ?? [])
    }

    package var json: JSONValue {
        var object = JSONObject(present: ["transaction": transaction?.json])
        switch result {
        case .nothing: break
        case .home(let id): object["home"] = id.json
        case .room(let id): object["room"] = id.json
        case .zone(let id): object["zone"] = id.json
        case .actionSet(let id): object["actionSet"] = id.json
        case .accessories(let ids): object["accessories"] = .array(ids.map(\.json))
        }
        if !stale.isEmpty { object["stale"] = .array(stale.map(\.json)) }
        return .object(object)
    }
}
