internal import HAPModel
internal import HAPProtocol

/// An accessory that the registry shows, and what is under way with it; a plain object inside the registry's actor, so
/// that a value changes where it lies.
final class RegisteredAccessory {
    /// Where a characteristic is: the index of its service, and its own within it.
    typealias Place = (service: Int, characteristic: Int)

    private(set) var accessory: Accessory
    let source: (any AccessorySource)?
    var isReachable: Bool
    /// The accessory as JSON, until a value changes.
    var json: [UInt8]?
    var writesInFlight: [InstanceID: WritesInFlight] = [:]
    private let places: [InstanceID: Place]

    init(_ accessory: Accessory, source: (any AccessorySource)?, isReachable: Bool) {
        self.accessory = accessory
        self.source = source
        self.isReachable = isReachable
        var places: [InstanceID: Place] = [:]
        for (s, service) in accessory.services.enumerated() {
            for (c, characteristic) in service.characteristics.enumerated() {
                places[characteristic.iid] = (s, c)
            }
        }
        self.places = places
    }

    func place(of iid: InstanceID) -> Place? { places[iid] }

    func service(at place: Place) -> ServiceType { accessory.services[place.service].type }

    func characteristic(at place: Place) -> Characteristic {
        accessory.services[place.service].characteristics[place.characteristic]
    }

    func set(_ value: CharacteristicValue?, at place: Place) {
        accessory.services[place.service].characteristics[place.characteristic].value = value
        json = nil
    }

    /// Goes on with the writes that are under way to the accessory of before.
    func takeOver(_ former: RegisteredAccessory) {
        for (iid, flight) in former.writesInFlight {
            guard let place = place(of: iid), let formerPlace = former.place(of: iid),
                let shown = former.characteristic(at: formerPlace).value.flatMap(
                    characteristic(at: place).metadata.clamped)
            else { continue }
            writesInFlight[iid] = flight
            set(shown, at: place)
        }
    }
}
