import HAPModel
import HomeModel
import HomePresentation

@testable import homehub

/// A home with fixed identities.
enum House {
    static func id<Entity>(_ number: Int) -> Identifier<Entity> {
        let digits = String(number)
        let text = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        guard let id = Identifier<Entity>(text) else { preconditionFailure("the text is a UUID") }
        return id
    }

    static let device: DeviceID = {
        guard let id = DeviceID("AA:BB:CC:DD:EE:01") else { preconditionFailure("six octets are an id") }
        return id
    }()

    private static func characteristic(
        _ number: Int, _ type: CharacteristicType, of service: Service.ID, value: CharacteristicValue? = nil
    ) -> Characteristic {
        guard let definition = CharacteristicDefinition.of(type) else { preconditionFailure("Apple defines it") }
        return Characteristic(
            id: id(number), service: service, iid: InstanceID(UInt64(number)), type: type,
            metadata: definition.metadata, value: value)
    }

    /// Returns a service with the given characteristics, which have the numbers after the service's number.
    static func service(
        _ number: Int, _ type: ServiceType, _ name: String, of accessory: Accessory.ID, isPrimary: Bool = false,
        _ values: [(CharacteristicType, CharacteristicValue?)]
    ) -> Service {
        let service: Service.ID = id(number)
        return Service(
            id: service, accessory: accessory, iid: InstanceID(UInt64(number)), type: type, name: name,
            isPrimary: isPrimary,
            characteristics: values.enumerated().map { index, value in
                characteristic(number + 1 + index, value.0, of: service, value: value.1)
            })
    }

    static let lamp = Accessory(
        id: id(100), home: id(1), name: "Reading Lamp", configuredName: "KILGO-1", room: id(4),
        category: .lightbulb, manufacturer: "Kilgo", model: "LX", serialNumber: "7", firmwareVersion: "1.2",
        deviceID: device, aid: AccessoryID(1),
        services: [
            service(
                110, .accessoryInformation, "Information", of: id(100),
                [(.identify, nil), (.manufacturer, .string("Kilgo"))]),
            service(
                120, .lightbulb, "Reading Lamp", of: id(100), isPrimary: true,
                [(.on, .bool(true)), (.brightness, .integer(40)), (.colorTemperature, nil), (.name, .string("Lamp"))]),
        ])

    static let bridge = Accessory(
        id: id(200), home: id(1), name: "Hub", configuredName: "Hub", room: id(2), category: .bridge,
        bridgedAccessories: [id(300), id(400)], deviceID: device, aid: AccessoryID(1),
        services: [service(210, .accessoryInformation, "Information", of: id(200), [(.identify, nil)])])

    static let fan = Accessory(
        id: id(300), home: id(1), name: "Ceiling Fan", configuredName: "Ceiling Fan", room: id(3), category: .fan,
        bridge: id(200), deviceID: device, aid: AccessoryID(2),
        services: [
            service(310, .fanv2, "Fan", of: id(300), isPrimary: true, [(.active, .integer(1))]),
            service(320, .lightbulb, "Light", of: id(300), [(.on, .bool(false)), (.brightness, .integer(5))]),
        ])

    static let door = Accessory(
        id: id(400), home: id(1), name: "Front Door", configuredName: "Front Door", room: id(2), category: .doorLock,
        isReachable: false, bridge: id(200), deviceID: device, aid: AccessoryID(3),
        services: [
            service(
                410, .lockMechanism, "Front Door", of: id(400), isPrimary: true,
                [(.lockCurrentState, .integer(1)), (.lockTargetState, .integer(1))])
        ])

    static let strip = Accessory(
        id: id(500), home: id(1), name: "Kitchen Strip", configuredName: "Strip", room: id(4), category: .outlet,
        deviceID: device, aid: AccessoryID(4),
        services: [
            service(510, .outlet, "Left", of: id(500), [(.on, nil), (.outletInUse, .bool(true))]),
            service(520, .outlet, "Light", of: id(500), [(.on, nil)]),
        ])

    static let home = Home(
        id: id(1), name: "My Home", isPrimary: true, defaultRoomID: id(2),
        rooms: [Room(id: id(4), home: id(1), name: "Living Room"), Room(id: id(3), home: id(1), name: "Kitchen")],
        zones: [Zone(id: id(5), home: id(1), name: "Downstairs", rooms: [id(4), id(3)])],
        accessories: [lamp, bridge, fan, door, strip],
        actionSets: [
            ActionSet(
                id: id(6), home: id(1), kind: .userDefined, name: "Movie Night",
                actions: [
                    CharacteristicWriteAction(characteristic: id(122), targetValue: .integer(10)),
                    CharacteristicWriteAction(characteristic: id(121), targetValue: .bool(true)),
                ])
        ])

    static let cottage = Home(id: id(7), name: "Cottage", defaultRoomID: id(8))

    static let found: DiscoveredAccessory = {
        guard let id = DeviceID("AA:BB:CC:DD:EE:02") else { preconditionFailure("six octets are an id") }
        return DiscoveredAccessory(id: id, name: "New Lamp", category: .lightbulb, model: "LX")
    }()

    static let secondFound: DiscoveredAccessory = {
        guard let id = DeviceID("AA:BB:CC:DD:EE:03") else { preconditionFailure("six octets are an id") }
        return DiscoveredAccessory(id: id, name: "Plug\u{1B}", category: .outlet, model: "P1")
    }()
}
