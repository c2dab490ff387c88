package import AsyncKit
internal import HAPModel
internal import HAPProtocol

/// The updates of a link, for one listener; what it does not take in time is folded together.
package typealias LinkUpdates = Mailbox<PendingUpdates>

/// Updates that the listener has not taken yet, folded together so that a slow one costs no more than one entry a
/// characteristic.
package struct PendingUpdates: MailboxBuffer, Equatable {
    /// The most occurrences kept; of more, the oldest go.
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
            // They may be of characteristics that are gone; the database holds newer ones.
            values = [:]
        case .values(let values): self.values.merge(values) { $1 }
        case .occurrence:
            if occurrences.count == Self.maximumOccurrences { occurrences.removeFirst() }
            occurrences.append(update)
        }
    }

    /// Takes everything: what the accessory consists of before its values, and how things stand last; `nil` if there is
    /// nothing.
    package mutating func take() -> [LinkUpdate]? {
        defer { self = PendingUpdates() }
        var updates = database.map { [$0] } ?? []
        if !values.isEmpty { updates.append(.values(values)) }
        updates += occurrences
        if let state { updates.append(.state(state)) }
        return updates.isEmpty ? nil : updates
    }
}
