import HAPModel
import HomeModel

@testable import HomePresentation

/// A home with sensors, buttons and people.
enum AutomationHouse {
    static func id<Entity>(_ number: Int) -> Identifier<Entity> {
        let digits = String(number)
        let text = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        guard let id = Identifier<Entity>(text) else { preconditionFailure("the text is a UUID") }
        return id
    }

    private static let device: DeviceID = {
        guard let id = DeviceID("AA:BB:CC:DD:EE:01") else { preconditionFailure("six octets are an id") }
        return id
    }()

    private static func service(
        _ number: Int, _ type: ServiceType, _ name: String, _ types: [CharacteristicType]
    ) -> Service {
        Service(
            id: id(number), accessory: id(number / 100 * 100), iid: InstanceID(UInt64(number)), type: type, name: name,
            characteristics: types.enumerated().compactMap { index, type in
                CharacteristicDefinition.of(type).map {
                    Characteristic(
                        id: id(number + 1 + index), service: id(number), iid: InstanceID(UInt64(number + 1 + index)),
                        type: type, metadata: $0.metadata)
                }
            })
    }

    private static func accessory(
        _ number: Int, _ name: String, in room: Int, _ category: AccessoryCategory, _ services: Service...
    ) -> Accessory {
        Accessory(
            id: id(number), home: id(1), name: name, configuredName: name, room: id(room), category: category,
            deviceID: device, aid: AccessoryID(UInt64(number)), services: services)
    }

    static let home: Home = {
        let location = try? HomeLocation(latitude: 52.5, longitude: 13.4, timeZone: "Europe/Berlin")
        return Home(
            id: id(1), name: "My House", isPrimary: true, defaultRoomID: id(2),
            rooms: [(3, "Hall"), (4, "Bedroom"), (5, "Kitchen")].map { Room(id: id($0.0), home: id(1), name: $0.1) },
            accessories: [
                accessory(
                    100, "Hall Sensor", in: 3, .sensor, service(110, .motionSensor, "Motion", [.motionDetected]),
                    service(120, .temperatureSensor, "Temperature", [.currentTemperature]),
                    service(130, .battery, "Battery", [.statusLowBattery])),
                accessory(
                    200, "Bedroom Window", in: 4, .sensor,
                    service(210, .contactSensor, "Bedroom Window", [.contactSensorState])),
                accessory(
                    300, "Kitchen Switch", in: 5, .programmableSwitch,
                    service(310, .statelessProgrammableSwitch, "Button 1", [.programmableSwitchEvent]),
                    service(320, .statelessProgrammableSwitch, "Button 2", [.programmableSwitchEvent])),
                accessory(
                    400, "Hall Lamp", in: 3, .lightbulb, service(410, .lightbulb, "Hall Lamp", [.on, .brightness])),
                accessory(
                    500, "Front Door", in: 3, .doorLock,
                    service(510, .lockMechanism, "Front Door", [.lockCurrentState, .lockTargetState])),
                accessory(
                    600, "Shade", in: 4, .windowCovering,
                    service(610, .windowCovering, "Shade", [.currentPosition, .targetPosition, .positionState])),
                accessory(
                    700, "Salt and Pepper", in: 5, .lightbulb, service(710, .lightbulb, "Salt and Pepper", [.on])),
                accessory(
                    800, "Bell", in: 3, .programmableSwitch,
                    service(810, .statelessProgrammableSwitch, "Bell", [.programmableSwitchEvent])),
                accessory(
                    900, "House Alarm", in: 3, .securitySystem,
                    service(
                        910, .securitySystem, "House Alarm", [.securitySystemCurrentState, .securitySystemTargetState])
                ),
                accessory(
                    1000, "Two Sockets", in: 5, .outlet, service(1010, .outlet, "Left", [.on]),
                    service(1020, .outlet, "Right", [.on])),
                accessory(
                    1100, "Side Lock", in: 5, .doorLock,
                    service(1110, .lockMechanism, "Side Lock", [.lockCurrentState, .lockTargetState])),
                accessory(
                    1200, "Heater", in: 4, .thermostat,
                    service(1210, .thermostat, "Heater", [.currentTemperature, .targetTemperature])),
                accessory(1300, "After Sunset", in: 4, .switch, service(1310, .switch, "After Sunset", [.on])),
            ],
            actionSets: [
                ActionSet(
                    id: id(6), home: id(1), kind: .userDefined, name: "Evening Lights",
                    actions: [CharacteristicWriteAction(characteristic: id(411), targetValue: .bool(true))])
            ],
            people: [
                Resident(id: id(7), home: id(1), name: "Anna"), Resident(id: id(8), home: id(1), name: "Ben"),
                Resident(id: id(15), home: id(1), name: "Lea and Max"),
            ],
            location: location)
    }()

    /// November 27, 2026 at 12:00 UTC, in UTC.
    static let time = HomeTime(zone: .utc, now: Timestamp(millisecondsSince1970: 1_795_780_800_000))
    static let parser = TriggerParser(home: home, time: time)
    static let phrases = TriggerPhrases(home: home, time: time)
}
