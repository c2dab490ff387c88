package import HomeModel

/// A characteristic with its service and accessory.
package struct ValuePlace: Hashable, Sendable {
    /// The accessory.
    package let accessory: Accessory
    /// The accessory's service.
    package let service: Service
    /// The service's characteristic.
    package let characteristic: Characteristic

    /// Creates a place.
    package init(accessory: Accessory, service: Service, characteristic: Characteristic) {
        self.accessory = accessory
        self.service = service
        self.characteristic = characteristic
    }
}

extension ValuePlace {
    /// The accessory's name, with the part's name unless the part is the primary one or has the same name.
    package var shownName: String { Self.shownName(of: service, accessory) }

    /// Returns the accessory's name, with the part's name unless the part is the primary one or has the same name.
    package static func shownName(of service: Service, _ accessory: Accessory) -> String {
        let isMain = service.id == accessory.primaryService?.id || !service.isUserInteractive
        return isMain || NameKey(service.name) == NameKey(accessory.name)
            ? accessory.name : "\(accessory.name)/\(service.name)"
    }
}

extension Home {
    /// Returns a characteristic of this home with its service and accessory.
    package func place(of id: Characteristic.ID) -> ValuePlace? {
        for accessory in accessories {
            for service in accessory.services {
                if let characteristic = service.characteristics.first(where: { $0.id == id }) {
                    return ValuePlace(accessory: accessory, service: service, characteristic: characteristic)
                }
            }
        }
        return nil
    }

    /// Returns a description of a scene's action, or `nil` if the characteristic no longer exists.
    package func text(of action: CharacteristicWriteAction) -> String? {
        guard let place = place(of: action.characteristic) else { return nil }
        return "\(place.shownName) \(place.characteristic.sentence(of: action.targetValue))"
    }
}
