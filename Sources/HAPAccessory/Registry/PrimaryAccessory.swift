package import HAPModel

/// What an accessory server is: how mDNS shows it, and what accessory 1 says of itself.
package struct AccessoryProfile: Equatable, Sendable {
    package let category: AccessoryCategory
    package let information: AccessoryInformation

    package init(category: AccessoryCategory, information: AccessoryInformation) {
        self.category = category
        self.information = information
    }
}

/// Accessory 1: the server's own, which a bridge has no function for and a stand-alone accessory is (HAP 12).
package struct PrimaryAccessory: Equatable, Sendable {
    /// The version of HAP that the Protocol Information service states.
    static let protocolVersion = "1.1.0"

    /// A function of the accessory: a service with its characteristics.
    package struct Function: Sendable {
        package let type: ServiceType
        package let characteristics: [(type: CharacteristicType, value: CharacteristicValue)]

        /// Describes a function.
        ///
        /// - Parameters:
        ///   - type: the service's type.
        ///   - characteristics: types of the catalogue, and what they have for a value at the start.
        package init(_ type: ServiceType, _ characteristics: KeyValuePairs<CharacteristicType, CharacteristicValue>) {
            self.type = type
            self.characteristics = characteristics.map { ($0.key, $0.value) }
        }
    }

    /// The iids of all parts, those of before included: to be stored before the accessory is shown.
    package private(set) var ids: InstanceIDs
    package let accessory: Accessory

    /// Makes the accessory.
    ///
    /// - Parameters:
    ///   - information: what it says of itself.
    ///   - functions: what it can do, the primary one first; one of each type. A bridge has none.
    ///   - ids: the iids given so far.
    package init(_ information: AccessoryInformation, functions: [Function] = [], ids: InstanceIDs) {
        var ids = ids
        let information = information.service(&ids)
        let protocolInformation = Self.service(
            Function(.protocolInformation, [.version: .string(Self.protocolVersion)]), isPrimary: false, &ids)
        var services = [information, protocolInformation]
        for (index, function) in functions.enumerated() {
            services.append(Self.service(function, isPrimary: index == 0, &ids))
        }
        accessory = Accessory(aid: .bridge, services: services)
        self.ids = ids
    }

    private static func service(_ function: Function, isPrimary: Bool, _ ids: inout InstanceIDs) -> Service {
        let iid = ids.id(of: function.type)
        let characteristics = function.characteristics.map { type, value in
            guard let definition = CharacteristicDefinition.of(type) else {
                preconditionFailure("the program names types of the catalogue only")
            }
            return Characteristic(
                iid: ids.id(of: type, in: function.type), type: type, metadata: definition.metadata, value: value)
        }
        return Service(iid: iid, type: function.type, isPrimary: isPrimary, characteristics: characteristics)
    }
}
