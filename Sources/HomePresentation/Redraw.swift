import HAPModel
public import HomeModel

// HAPModel has types with these names, too.
public import struct HomeModel.Accessory
public import struct HomeModel.Service

/// What of a picture of a home is not true any more.
@nonexhaustive
public enum Redraw: Sendable, Hashable {
    /// It is as it was.
    case nothing
    /// Some rows are other than they were; all others, and where they stand, are as they were.
    case rows(Set<Service.ID>)
    /// What there is, what it is called or where it stands has changed.
    case everything
}

extension Home {
    /// What has to be drawn anew where this home is shown.
    ///
    /// - Parameter old: the home that is drawn; `nil` before the first.
    /// - Returns: a value's row, an accessory's rows if it concerns the whole of it, everything if the home's structure is
    ///   another or this is another home.
    public func redraw(since old: Home?) -> Redraw {
        guard let old, isBuilt(like: old) else { return .everything }
        var rows: Set<Service.ID> = []
        for (old, new) in zip(old.accessories, accessories) where old != new {
            let changed = zip(old.services, new.services).filter { $0.0 != $0.1 }.map(\.1)
            // A battery and a television's inputs are told of in other rows.
            let concernsAll =
                (old.isReachable, old.isBlocked, old.fault) != (new.isReachable, new.isBlocked, new.fault)
                || changed.contains { !$0.isUserInteractive || $0.type == .inputSource }
            rows.formUnion((concernsAll ? new.services : changed).filter(\.isUserInteractive).map(\.id))
        }
        return rows.isEmpty ? .nothing : .rows(rows)
    }

    /// Whether there are the same things, called the same, in the same places.
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
