package import HAPModel
package import HAPTesting
package import HomeModel

/// The services and accessories of simple devices.
package enum Devices {
    package static func information(name: String, manufacturer: String = "Maker", firmware: String = "1.0")
        -> ServiceObject
    {
        let texts: [(CharacteristicType, String)] = [
            (.manufacturer, manufacturer), (.model, "M1"), (.name, name), (.serialNumber, "S1"),
            (.firmwareRevision, firmware),
        ]
        var characteristics = [
            CharacteristicObject(
                iid: InstanceID(2), type: .identify,
                metadata: CharacteristicMetadata(format: .bool, permissions: .pairedWrite), value: nil)
        ]
        for (index, (type, text)) in texts.enumerated() {
            characteristics.append(
                CharacteristicObject(
                    iid: InstanceID(UInt64(3 + index)), type: type,
                    metadata: CharacteristicMetadata(format: .string, permissions: .pairedRead), value: .string(text)))
        }
        return ServiceObject(
            iid: .accessoryInformation, type: .accessoryInformation, characteristics: characteristics)
    }

    package static func service(
        _ type: ServiceType, iid: UInt64, name: String? = nil, isPrimary: Bool = false
    ) -> ServiceObject {
        var characteristics: [CharacteristicObject] = []
        for required in ServiceDefinition.of(type)?.required ?? [] {
            guard let definition = CharacteristicDefinition.of(required) else { continue }
            characteristics.append(
                CharacteristicObject(
                    iid: InstanceID(iid + 1 + UInt64(characteristics.count)), type: required,
                    metadata: definition.metadata, value: definition.metadata.defaultValue))
        }
        if let name {
            characteristics.append(
                CharacteristicObject(
                    iid: InstanceID(iid + 50), type: .name,
                    metadata: CharacteristicMetadata(format: .string, permissions: .pairedRead), value: .string(name)))
        }
        return ServiceObject(
            iid: InstanceID(iid), type: type, isPrimary: isPrimary, characteristics: characteristics)
    }

    package static func lamp(
        _ name: String, aid: UInt64 = 1, type: ServiceType = .lightbulb, firmware: String = "1.0"
    ) -> AccessoryObject {
        AccessoryObject(
            aid: AccessoryID(aid),
            services: [information(name: name, firmware: firmware), service(type, iid: 10, isPrimary: true)])
    }

    package static func bridge(_ name: String = "Bridge", lamps: [String]) -> [AccessoryObject] {
        [AccessoryObject(aid: .bridge, services: [information(name: name)])]
            + lamps.enumerated().map { lamp($1, aid: UInt64($0 + 2)) }
    }

    package static func id(_ number: Int) -> DeviceID {
        guard let id = DeviceID(octets: [2, 0, 0, 0, UInt8(number >> 8 & 255), UInt8(number & 255)]) else {
            preconditionFailure("six octets are an id")
        }
        return id
    }
}

extension ServiceDefinition {
    package static func of(_ type: ServiceType) -> ServiceDefinition? { all.first { $0.type == type } }
}

/// A graph with its own source of IDs.
package struct TestHub {
    package var graph = HomeGraph()
    package var random = SeededNumbers(seed: 1)

    /// Creates a graph without homes.
    package init() {}

    @discardableResult package mutating func perform(_ write: HomeWrite) throws(HomeError) -> HomeCommit {
        try graph.perform(write, using: &random)
    }

    package mutating func home(_ name: String = "Home") throws -> Home.ID {
        let commit = try perform(.addHome(name: name))
        guard case .home(let id) = commit.result else { throw HomeError(.unexpectedError) }
        return id
    }

    package mutating func room(_ name: String, in home: Home.ID) throws -> Room.ID {
        guard case .room(let id) = try perform(.addRoom(home, name: name)).result else {
            throw HomeError(.unexpectedError)
        }
        return id
    }

    package mutating func zone(_ name: String, in home: Home.ID) throws -> Zone.ID {
        guard case .zone(let id) = try perform(.addZone(home, name: name)).result else {
            throw HomeError(.unexpectedError)
        }
        return id
    }

    package mutating func scene(_ name: String, in home: Home.ID, kind: ActionSet.Kind = .userDefined) throws
        -> ActionSet.ID
    {
        guard case .actionSet(let id) = try perform(.addActionSet(home, name: name, kind: kind)).result else {
            throw HomeError(.unexpectedError)
        }
        return id
    }

    @discardableResult package mutating func add(
        _ accessories: [AccessoryObject], to home: Home.ID, device: Int = 1, name: String? = nil,
        category: AccessoryCategory = .lightbulb
    ) throws(HomeError) -> [Accessory.ID] {
        let addition = AccessoryAddition(
            home: home, deviceID: Devices.id(device), category: category, accessories: accessories, name: name)
        guard case .accessories(let ids) = try graph.add(addition, using: &random).result else { return [] }
        return ids
    }
}
