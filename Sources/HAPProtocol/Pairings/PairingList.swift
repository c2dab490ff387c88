/// The pairings of an accessory server, in order of creation.
package struct PairingList: Equatable, Sendable {
    package private(set) var pairings: [Pairing] = []

    package init(_ pairings: [Pairing] = []) { self.pairings = pairings }

    package subscript(controller: ControllerID) -> Pairing? { pairings.first { $0.controller == controller } }

    package var isEmpty: Bool { pairings.isEmpty }
    package var isFull: Bool { pairings.count >= Self.maximum }
    package var hasAdmin: Bool { pairings.contains(where: \.isAdmin) }

    /// Adds a pairing.
    ///
    /// If the controller already has a pairing, replaces that pairing in place.
    package mutating func set(_ pairing: Pairing) {
        if let index = pairings.firstIndex(where: { $0.controller == pairing.controller }) {
            pairings[index] = pairing
        } else {
            pairings.append(pairing)
        }
    }

    /// Removes a pairing.
    ///
    /// If no admin is left, removes all other pairings, too (HAP 6.5).
    package mutating func remove(_ controller: ControllerID) {
        pairings.removeAll { $0.controller == controller }
        purgeWithoutAdmin()
    }

    /// Removes all pairings if none is an admin, because no controller could manage them.
    package mutating func purgeWithoutAdmin() {
        if !hasAdmin { pairings = [] }
    }
}
