import HAPModel
public import HomeModel

/// The parts of a displayed home that need an update.
@nonexhaustive
public enum Redraw: Sendable, Hashable {
    /// No part has changed.
    case nothing
    /// Some rows have changed. All others, and all positions, are the same.
    case rows(Set<Service.ID>)
    /// The set of objects, a name or a position has changed.
    case everything
}

extension Home {
    /// Returns the parts of the display that must be redrawn to show this home.
    ///
    /// - Parameter old: The home as it's currently displayed; `nil` if nothing is displayed yet.
    /// - Returns: The row of a changed value, the rows of an accessory that changed as a whole, or everything if the
    ///   structure has changed or this is a different home.
    public func redraw(since old: Home?) -> Redraw {
        guard let old, isBuilt(like: old) else { return .everything }
        var rows: Set<Service.ID> = []
        for (old, new) in zip(old.accessories, accessories) where old != new {
            let changed = zip(old.services, new.services).filter { $0.0 != $0.1 }.map(\.1)
            // The rows of other services show the values of a battery or a television's input.
            let concernsAll =
                (old.isReachable, old.isBlocked, old.fault) != (new.isReachable, new.isBlocked, new.fault)
                || changed.contains { !$0.isUserInteractive || $0.type == .inputSource }
            rows.formUnion((concernsAll ? new.services : changed).filter(\.isUserInteractive).map(\.id))
        }
        return rows.isEmpty ? .nothing : .rows(rows)
    }

    /// Returns a Boolean value that indicates whether the homes have the same objects with the same names in the same
    /// places.
    private func isBuilt(like old: Home) -> Bool {
        (id, name, isPrimary) == (old.id, old.name, old.isPrimary) && (rooms, zones) == (old.rooms, old.zones)
            && serviceGroups == old.serviceGroups
            && actionSets.elementsEqual(old.actionSets) { ($0.id, $0.name) == ($1.id, $1.name) }
            && accessories.elementsEqual(old.accessories) { $0.isBuilt(like: $1) }
    }
}

extension Accessory {
    fileprivate func isBuilt(like old: Accessory) -> Bool {
        (id, name, room, category) == (old.id, old.name, old.room, old.category)
            && services.elementsEqual(old.services) {
                ($0.id, $0.name, $0.isFavorite, $0.associatedServiceType)
                    == ($1.id, $1.name, $1.isFavorite, $1.associatedServiceType)
            }
    }
}
