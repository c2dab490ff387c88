import HAPModel
import HomeModel
import HomePresentation

@testable import homeweb

/// A home with a lamp, sensors, a button, a blind, scenes and people, whose names contain HTML.
enum AutomationHome {
    static func id<Entity>(_ number: Int) -> Identifier<Entity> {
        let digits = String(number)
        let text = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        guard let id = Identifier<Entity>(text) else { preconditionFailure("the text is a UUID") }
        return id
    }

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

    private static func accessory(_ number: Int, _ name: String, _ services: Service...) -> Accessory {
        guard let device = DeviceID("AA:BB:CC:DD:EE:01") else { preconditionFailure("six octets are an ID") }
        return Accessory(
            id: id(number), home: id(1), name: name, configuredName: name, room: id(3), category: .other,
            deviceID: device, aid: AccessoryID(UInt64(number)), services: services)
    }

    static let evil = "<b>\"Evil\" & Co"

    static let home: Home = {
        let location = try? HomeLocation(latitude: 52.5, longitude: 13.4)
        let on = CharacteristicWriteAction(characteristic: id(411), targetValue: .bool(true))
        return Home(
            id: id(1), name: "My House", isPrimary: true, defaultRoomID: id(2),
            rooms: [Room(id: id(3), home: id(1), name: "Hall")],
            accessories: [
                accessory(
                    100, "Hall Sensor", service(110, .motionSensor, "Motion", [.motionDetected]),
                    service(120, .temperatureSensor, "Temperature", [.currentTemperature])),
                accessory(
                    300, "Switch", service(310, .statelessProgrammableSwitch, "Switch", [.programmableSwitchEvent])),
                accessory(400, "Hall Lamp", service(410, .lightbulb, "Hall Lamp", [.on, .brightness])),
                accessory(500, evil, service(510, .lightbulb, evil, [.on])),
                accessory(
                    600, "Shade",
                    service(610, .windowCovering, "Shade", [.currentPosition, .targetPosition, .positionState])),
            ],
            actionSets: [
                ActionSet(id: id(6), home: id(1), kind: .userDefined, name: "Evening", actions: [on]),
                ActionSet(id: id(9), home: id(1), kind: .userDefined, name: "<i>Scene", actions: [on]),
            ],
            people: [
                Resident(id: id(7), home: id(1), name: "Anna"), Resident(id: id(8), home: id(1), name: "<u>Ben"),
            ],
            location: location)
    }()

    static let time = HomeTime(zone: .utc, now: Timestamp(millisecondsSince1970: 1_795_780_800_000))
    static let parser = TriggerParser(home: home, time: time)
    static let choices = AutomationChoices(home: home, time: time)
}
