/// The homes without their accessories, which follow page by page, because a line has its limits.
package struct HomesReply: HomeMessage {
    package var homes: [Home]

    package init(homes: [Home]) {
        self.homes = homes
        for index in homes.indices { self.homes[index].accessories = [] }
    }
}

/// Asks for some accessories of a home, as they were at a revision.
package struct AccessoryBatchRequest: HomeMessage {
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
}

/// Some accessories of a home.
package struct AccessoryBatch: HomeMessage {
    package var accessories: [Accessory]
    /// Where the next page begins; `nil` after the last.
    package var next: Int?

    package init(accessories: [Accessory], next: Int?) {
        self.accessories = accessories
        self.next = next
    }
}

extension HomeGraph {
    /// The page that is asked for.
    ///
    /// - Throws: 2 if there is no such home, 15 if it has changed since the first page; the reader begins anew.
    package func page(_ request: AccessoryBatchRequest) throws(HomeError) -> AccessoryBatch {
        let home = try existing(request.home)
        guard home.revision == request.revision else { throw HomeError(.operationInProgress) }
        guard request.offset >= 0 else { throw HomeError(.invalidParameter) }
        let rest = home.accessories.dropFirst(request.offset)
        let page = Array(rest.prefix(AccessoryBatch.size))
        return AccessoryBatch(
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
    enum CodingKeys: String, OmittingKey {
        case transaction
        case result = "_0"
        case stale
    }
}

extension HomeCommit.Result {
    enum CodingKeys: String, CodingKey {
        case nothing = "_0"
        case home, room, zone, actionSet, serviceGroup, accessories
    }
}
