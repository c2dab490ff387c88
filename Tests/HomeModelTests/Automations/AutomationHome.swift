import HAPModel
import HAPTesting
import HomeModel
import HomeTesting

/// Returns the same ID for the same seed.
func testID<Entity>(_ seed: UInt64) -> Identifier<Entity> {
    var random = SeededNumbers(seed: seed)
    return Identifier<Entity>(using: &random)
}

/// A home in Berlin with a few devices, two people and a scene.
struct AutomationHome {
    static let lampOn: Characteristic.ID = testID(1)
    static let brightness: Characteristic.ID = testID(2)
    static let motion: Characteristic.ID = testID(3)
    static let temperature: Characteristic.ID = testID(4)
    static let contact: Characteristic.ID = testID(5)
    static let button: Characteristic.ID = testID(6)
    static let label: Characteristic.ID = testID(7)
    static let lamp: Accessory.ID = testID(8)
    static let sensor: Accessory.ID = testID(9)
    static let anna: Resident.ID = testID(10)
    static let ben: Resident.ID = testID(11)
    static let scene: ActionSet.ID = testID(12)
    static let emptyScene: ActionSet.ID = testID(13)
    static let hue: Characteristic.ID = testID(16)
    static let trigger: Trigger.ID = testID(14)
    static let second: Trigger.ID = testID(15)

    var home = Home(
        id: testID(20), name: "Home", defaultRoomID: testID(21),
        accessories: [
            accessory(
                lamp, "Lamp", .lightbulb,
                [
                    characteristic(lampOn, .on, .bool, [.pairedRead, .pairedWrite, .notify]),
                    characteristic(
                        brightness, .brightness, .int, [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 100),
                    characteristic(
                        hue, .hue, .float, [.pairedRead, .pairedWrite, .notify], minimum: 0, maximum: 360),
                ]),
            accessory(
                sensor, "Sensor", .motionSensor,
                [
                    characteristic(motion, .motionDetected, .bool, [.pairedRead, .notify]),
                    characteristic(temperature, .currentTemperature, .float, [.pairedRead, .notify]),
                    characteristic(contact, .contactSensorState, .uint8, [.pairedRead, .notify]),
                    characteristic(button, .programmableSwitchEvent, .uint8, [.pairedRead, .notify]),
                    characteristic(label, .name, .string, [.pairedRead]),
                ]),
        ],
        actionSets: [
            ActionSet(
                id: scene, home: testID(20), kind: .userDefined, name: "Evening",
                actions: [CharacteristicWriteAction(characteristic: brightness, targetValue: .integer(40))]),
            ActionSet(id: emptyScene, home: testID(20), kind: .userDefined, name: "Nothing"),
        ],
        people: [Resident(id: anna, home: testID(20), name: "Anna"), Resident(id: ben, home: testID(20), name: "Ben")],
        location: try? HomeLocation(latitude: 52.52, longitude: 13.40, timeZone: "Europe/Berlin"))

    mutating func add(_ definition: TriggerDefinition, id: Trigger.ID = trigger) {
        home.triggers.append(Trigger(id: id, home: home.id, name: "Automation", definition: definition))
    }

    private static func accessory(
        _ id: Accessory.ID, _ name: String, _ type: ServiceType, _ characteristics: [Characteristic]
    ) -> Accessory {
        Accessory(
            id: id, home: testID(20), name: name, configuredName: name, room: testID(21), category: .other,
            deviceID: Devices.id(1), aid: AccessoryID(1),
            services: [
                Service(
                    id: testID(22), accessory: id, iid: InstanceID(1), type: type, name: name,
                    characteristics: characteristics)
            ])
    }

    private static func characteristic(
        _ id: Characteristic.ID, _ type: CharacteristicType, _ format: CharacteristicFormat,
        _ permissions: CharacteristicPermissions, minimum: Double? = nil, maximum: Double? = nil
    ) -> Characteristic {
        Characteristic(
            id: id, service: testID(22), iid: InstanceID(2), type: type,
            metadata: CharacteristicMetadata(
                format: format, permissions: permissions, minimum: minimum, maximum: maximum))
    }
}

extension TriggerStep {
    /// Writes one value.
    static func set(_ id: Characteristic.ID, _ value: CharacteristicValue) -> TriggerStep {
        .write([CharacteristicWriteAction(characteristic: id, targetValue: value)])
    }
}

extension Timestamp {
    /// The start of a minute on the day of most tests: Monday, March 1, 2027, in UTC.
    static func minute(_ minute: Double) -> Timestamp {
        Timestamp(millisecondsSince1970: 1_803_859_200_000 + Int64(minute * 60_000))
    }
}

extension TimeOfDay {
    /// Returns a valid time.
    static func at(_ text: String) -> TimeOfDay {
        guard let time = TimeOfDay(text) else { preconditionFailure("\(text) isn't a time") }
        return time
    }
}
