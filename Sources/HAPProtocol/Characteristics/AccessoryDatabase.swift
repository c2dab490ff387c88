package import HAPModel

/// The attribute database of an accessory server, as a controller reads it: accessories, services and characteristics.
package struct AccessoryDatabase: Equatable, Sendable {
    /// The maximum number of accessories on a server, including itself (HAP 9.3).
    package static let maximumAccessories = 150
    /// The maximum length of the JSON document in bytes, enough for 150 large accessories.
    package static let maximumLength = 4 * 1024 * 1024
    /// The maximum number of recorded omissions.
    static let maximumOmissions = 16
    /// The maximum length of a description, in bytes; longer ones are truncated.
    static let maximumDescriptionLength = 256

    /// The accessories in the server's order; the first one doesn't necessarily have aid 1.
    package let accessories: [AccessoryObject]
    /// The manufacturer's descriptions of characteristics.
    package let descriptions: [CharacteristicID: String]
    /// The services and characteristics that were omitted because they are unusable, with the reasons.
    ///
    /// The list has at most ``maximumOmissions`` items.
    package let omissions: [String]
    private let places: [CharacteristicID: Place]

    private struct Place: Equatable, Sendable {
        let accessory: Int
        let service: Int
        let characteristic: Int
    }

    /// Creates a database from accessories with unique ids.
    init(_ accessories: [AccessoryObject], descriptions: [CharacteristicID: String], omissions: [String] = []) {
        self.accessories = accessories
        self.descriptions = descriptions
        self.omissions = omissions
        var places: [CharacteristicID: Place] = [:]
        for (index, accessory) in accessories.enumerated() {
            for (service, content) in accessory.services.enumerated() {
                for (number, characteristic) in content.characteristics.enumerated() {
                    places[CharacteristicID(accessory.aid, characteristic.iid)] = Place(
                        accessory: index, service: service, characteristic: number)
                }
            }
        }
        self.places = places
    }

    /// Returns a characteristic, or `nil` if the id is unknown.
    package subscript(id: CharacteristicID) -> CharacteristicObject? {
        places[id].map {
            accessories[$0.accessory].services[$0.service].characteristics[$0.characteristic]
        }
    }

    /// All characteristics with their ids, in the server's order.
    package var characteristics: [(id: CharacteristicID, characteristic: CharacteristicObject)] {
        accessories.flatMap { accessory in
            accessory.services.flatMap(\.characteristics).map { (CharacteristicID(accessory.aid, $0.iid), $0) }
        }
    }
}
