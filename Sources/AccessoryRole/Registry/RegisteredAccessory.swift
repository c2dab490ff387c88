internal import HAPModel
internal import HAPProtocol

/// A registered accessory and its writes in flight.
///
/// An accessory is a plain object inside the server's actor, so that values change in place.
final class RegisteredAccessory {
    /// The location of a characteristic: the index of its service, and its index within the service.
    typealias Place = (service: Int, characteristic: Int)

    private(set) var accessory: AccessoryObject
    /// The accessory's implementation; `nil` if the accessory is read-only.
    var device: AccessoryDevice?
    var isReachable: Bool
    /// The cached JSON of the accessory; `nil` after a value has changed.
    var json: [UInt8]?
    /// The writes in flight, usually few.
    private var writesInFlight: [(iid: InstanceID, flight: WritesInFlight)] = []
    /// The changes of current states that arrived while their target states were being written.
    private var keptChanges: [CharacteristicChange] = []
    /// The characteristics, sorted by iid.
    ///
    /// A binary search among a dozen characteristics is faster than hashing.
    private let places: [(iid: InstanceID, place: Place)]

    init(_ accessory: AccessoryObject, device: AccessoryDevice?, isReachable: Bool) {
        self.accessory = accessory
        self.device = device
        self.isReachable = isReachable
        var places: [(iid: InstanceID, place: Place)] = []
        for (s, service) in accessory.services.enumerated() {
            for (c, characteristic) in service.characteristics.enumerated() {
                places.append((characteristic.iid, (s, c)))
            }
        }
        self.places = places.sorted { $0.iid < $1.iid }
    }

    func place(of iid: InstanceID) -> Place? {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].iid < iid { low = middle + 1 } else { high = middle }
        }
        return low < places.count && places[low].iid == iid ? places[low].place : nil
    }

    func service(at place: Place) -> ServiceType { accessory.services[place.service].type }

    func characteristic(at place: Place) -> CharacteristicObject {
        accessory.services[place.service].characteristics[place.characteristic]
    }

    func isMomentary(_ place: Place) -> Bool {
        accessory.services[place.service].characteristics[place.characteristic].type.isMomentary
    }

    func value(at place: Place) -> CharacteristicValue? {
        accessory.services[place.service].characteristics[place.characteristic].value
    }

    func set(_ value: CharacteristicValue?, at place: Place) {
        accessory.services[place.service].characteristics[place.characteristic].value = value
        json = nil
    }

    // MARK: Writes in flight

    /// Starts a write, whose value is visible immediately.
    ///
    /// Returns `nil` if the characteristic has no value to restore.
    func began(_ iid: InstanceID, _ value: CharacteristicValue) -> WritesInFlight.Ticket? {
        guard let place = place(of: iid), let current = self.value(at: place) else { return nil }
        set(value, at: place)
        if let index = writesInFlight.firstIndex(where: { $0.iid == iid }) {
            return writesInFlight[index].flight.began()
        }
        var flight = WritesInFlight(current: current)
        defer { writesInFlight.append((iid, flight)) }
        return flight.began()
    }

    /// Records a value that the device reported during a write.
    ///
    /// Returns `false` if no write is in flight.
    func reported(_ iid: InstanceID, _ value: CharacteristicValue) -> Bool {
        guard let index = writesInFlight.firstIndex(where: { $0.iid == iid }) else { return false }
        writesInFlight[index].flight.reported(value)
        return true
    }

    /// Ends a write.
    ///
    /// - Returns: The resulting value, which is now visible; `nil` if another write is still in flight.
    func ended(
        _ ticket: WritesInFlight.Ticket, _ iid: InstanceID, _ value: CharacteristicValue, known: CharacteristicValue?,
        success: Bool, origin: ConnectionID?
    ) -> WritesInFlight.Outcome? {
        guard let place = place(of: iid), let index = writesInFlight.firstIndex(where: { $0.iid == iid }),
            let outcome = writesInFlight[index].flight.ended(
                ticket, value, known: known, success: success, origin: origin)
        else { return nil }
        writesInFlight.remove(at: index)
        set(outcome.value, at: place)
        return outcome
    }

    /// Returns the iid of the characteristic with the given type in the service at a place.
    func iid(of type: CharacteristicType, inServiceAt place: Place) -> InstanceID? {
        accessory.services[place.service].characteristics.first { $0.type == type }?.iid
    }

    /// Keeps a change of a current state until the write of its target state ends.
    ///
    /// Returns `false` if the target state isn't being written.
    func keepsForLater(_ change: CharacteristicChange, at place: Place) -> Bool {
        guard !writesInFlight.isEmpty, let target = characteristic(at: place).type.targetState,
            let iid = iid(of: target, inServiceAt: place), isWritten(iid)
        else { return false }
        keptChanges.removeAll { $0.id == change.id }
        keptChanges.append(change)
        return true
    }

    /// Removes and returns the kept changes of current states whose target states are no longer being written.
    func takeKept() -> [CharacteristicChange] {
        guard !keptChanges.isEmpty else { return [] }
        let kept = keptChanges
        keptChanges = []
        return kept.filter { change in
            guard let place = place(of: change.id.iid) else { return false }
            return !keepsForLater(change, at: place)
        }
    }

    /// Takes over the writes in flight of the accessory that this accessory replaces.
    func takeOver(_ former: RegisteredAccessory) {
        keptChanges = former.keptChanges
        for (iid, flight) in former.writesInFlight {
            guard let place = place(of: iid), let formerPlace = former.place(of: iid),
                let shown = former.value(at: formerPlace).flatMap(characteristic(at: place).metadata.clamped)
            else { continue }
            writesInFlight.append((iid, flight))
            set(shown, at: place)
        }
    }

    /// Returns the characteristics with events whose values differ from those of the replaced accessory, or all
    /// characteristics with events if no accessory was replaced.
    ///
    /// Buttons aren't included, because no press has happened. Values that are being written aren't included either,
    /// because the device hasn't confirmed them; subscribers are notified of the final value when the write ends.
    func changes(since former: RegisteredAccessory?) -> [CharacteristicChange] {
        accessory.services.flatMap(\.characteristics).compactMap { characteristic in
            guard characteristic.metadata.permissions.contains(.notify), !characteristic.type.isMomentary,
                let value = characteristic.value,
                value != former.flatMap({ former in former.place(of: characteristic.iid).flatMap(former.value) })
            else { return nil }
            if let index = writesInFlight.firstIndex(where: { $0.iid == characteristic.iid }) {
                writesInFlight[index].flight.deferAnnouncement()
                return nil
            }
            return CharacteristicChange(id: CharacteristicID(accessory.aid, characteristic.iid), value: value)
        }
    }

    /// A Boolean value that indicates whether a write to a characteristic is in flight.
    func isWritten(_ iid: InstanceID) -> Bool { writesInFlight.contains { $0.iid == iid } }
}
