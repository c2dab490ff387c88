package import AsyncKit
internal import HAPModel
internal import HAPProtocol

/// The updates of a link for a single listener, merged while the listener is slow.
package typealias LinkUpdates = Mailbox<PendingUpdates>

/// The updates that the listener hasn't received yet.
///
/// They are merged, so a slow listener needs memory for at most one value per characteristic.
package struct PendingUpdates: MailboxBuffer, Equatable {
    /// The maximum number of pending occurrences.
    ///
    /// When the limit is exceeded, the oldest occurrences are dropped.
    static let maximumOccurrences = 64

    private var state: LinkState?
    private var database: LinkUpdate?
    private var values: [CharacteristicID: Reading] = [:]
    private var occurrences: [LinkUpdate] = []

    package init() {}

    package mutating func add(_ update: LinkUpdate) {
        switch update {
        case .state(let state): self.state = state
        case .database:
            database = update
            // The old values may belong to removed characteristics, and the database contains newer ones.
            values = [:]
        case .values(let values): self.values.merge(values) { $1 }
        case .occurrence:
            if occurrences.count == Self.maximumOccurrences { occurrences.removeFirst() }
            occurrences.append(update)
        }
    }

    /// Removes and returns all updates: first the database, then values, and the state last.
    ///
    /// Returns `nil` if there are no updates.
    package mutating func take() -> [LinkUpdate]? {
        defer { self = PendingUpdates() }
        var updates = database.map { [$0] } ?? []
        if !values.isEmpty { updates.append(.values(values)) }
        updates += occurrences
        if let state { updates.append(.state(state)) }
        return updates.isEmpty ? nil : updates
    }
}
