/// The homes without their accessories.
///
/// The app requests the accessories in pages, because the length of a line is limited.
package struct HomesReply: HomeMessage {
    package var homes: [Home]

    package init(homes: [Home]) {
        self.homes = homes
        for index in homes.indices { self.homes[index].accessories = [] }
    }
}

/// A request for one page of a home's accessories at a given revision.
package struct AccessoryBatchRequest: HomeMessage {
    package var home: Home.ID
    /// The revision of the home that all pages must have.
    package var revision: UInt64
    /// The number of accessories already received.
    package var offset: Int

    package init(home: Home.ID, revision: UInt64, offset: Int) {
        self.home = home
        self.revision = revision
        self.offset = offset
    }
}

/// One page of a home's accessories.
package struct AccessoryBatch: HomeMessage {
    package var accessories: [Accessory]
    /// The offset of the next page; `nil` on the last page.
    package var next: Int?

    package init(accessories: [Accessory], next: Int?) {
        self.accessories = accessories
        self.next = next
    }
}

extension HomeGraph {
    /// Returns the requested page.
    ///
    /// - Throws: `HomeError` with code 2 if the home doesn't exist, 3 if the offset is negative, 15 if the home has
    ///   changed since the first page, in which case the app must request all pages again.
    package func page(_ request: AccessoryBatchRequest) throws(HomeError) -> AccessoryBatch {
        let home = try existing(request.home)
        guard home.revision == request.revision else { throw HomeError(.operationInProgress) }
        guard request.offset >= 0 else { throw HomeError(.invalidParameter) }
        let rest = home.accessories.dropFirst(request.offset)
        let page = Array(rest.prefix(AccessoryBatch.size))
        return AccessoryBatch(
            accessories: page, next: rest.count > page.count ? request.offset + page.count : nil)
    }

    /// Reassembles the homes from ``HomesReply`` and all pages.
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
        case home, room, zone, actionSet, serviceGroup, trigger, person, accessories
    }
}
