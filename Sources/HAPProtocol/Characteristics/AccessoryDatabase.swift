package import HAPModel

/// The attribute database of an accessory server, as a controller has read it: accessories, services, characteristics.
package struct AccessoryDatabase: Equatable, Sendable {
    /// The most accessories a server may show, itself included (HAP 9.3).
    package static let maximumAccessories = 150
    /// The longest text taken, in bytes: 150 accessories of ample size.
    package static let maximumLength = 4 * 1024 * 1024
    /// The most omissions that are kept.
    static let maximumOmissions = 16
    /// How much is taken of a description, in bytes.
    static let maximumDescriptionLength = 256

    /// In the order in which the server shows them; the first need not be number 1.
    package let accessories: [Accessory]
    /// What the maker calls characteristics, where it says so.
    package let descriptions: [CharacteristicID: String]
    /// The parts that can't be used and were left out, each with its fault; at most ``maximumOmissions``.
    package let omissions: [String]
    private let places: [CharacteristicID: Place]

    private struct Place: Equatable, Sendable {
        let accessory: Int
        let service: Int
        let characteristic: Int
    }

    /// Takes accessories whose ids are known to differ.
    init(_ accessories: [Accessory], descriptions: [CharacteristicID: String], omissions: [String] = []) {
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

    /// The characteristic at a place; `nil` if there is none.
    package subscript(id: CharacteristicID) -> Characteristic? {
        places[id].map {
            accessories[$0.accessory].services[$0.service].characteristics[$0.characteristic]
        }
    }

    /// Every characteristic with its place, in the server's order.
    package var characteristics: [(id: CharacteristicID, characteristic: Characteristic)] {
        accessories.flatMap { accessory in
            accessory.services.flatMap(\.characteristics).map { (CharacteristicID(accessory.aid, $0.iid), $0) }
        }
    }
}
