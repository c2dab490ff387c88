/// The pairings of an accessory server, in the order in which they were made.
package struct PairingList: Equatable, Sendable {
    package private(set) var pairings: [Pairing] = []

    package init(_ pairings: [Pairing] = []) { self.pairings = pairings }

    package subscript(controller: ControllerID) -> Pairing? { pairings.first { $0.controller == controller } }

    package var isEmpty: Bool { pairings.isEmpty }
    package var isFull: Bool { pairings.count >= Self.maximum }
    package var hasAdmin: Bool { pairings.contains(where: \.isAdmin) }

    /// Adds a pairing or replaces the one of the same controller in its place.
    package mutating func set(_ pairing: Pairing) {
        if let index = pairings.firstIndex(where: { $0.controller == pairing.controller }) {
            pairings[index] = pairing
        } else {
            pairings.append(pairing)
        }
    }

    /// Removes a pairing and, if no admin is left, all others with it (HAP 6.5).
    package mutating func remove(_ controller: ControllerID) {
        pairings.removeAll { $0.controller == controller }
        purgeWithoutAdmin()
    }

    /// Without an admin no controller could ever manage the rest.
    package mutating func purgeWithoutAdmin() {
        if !hasAdmin { pairings = [] }
    }
}
