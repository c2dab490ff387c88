import BoundedJSON
import HAPModel
import HomeModel
import HomePresentation
import Testing

@testable import homehub

@Suite("Values as users read and type them")
struct ValueTests {
    private static func characteristic(_ type: CharacteristicType) throws -> Characteristic {
        let definition = try #require(CharacteristicDefinition.of(type))
        return Characteristic(
            id: House.id(1), service: House.id(2), iid: InstanceID(3), type: type, metadata: definition.metadata)
    }

    @Test(
        "are shown with their unit or word",
        arguments: [
            (.on, .bool(true), "yes"), (.brightness, .integer(40), "40 %"), (.hue, .float(30.5), "30.5°"),
            (.currentTemperature, .float(21), "21 °C"), (.colorTemperature, .integer(250), "250 mired"),
            (.lockCurrentState, .integer(1), "locked"), (.lockCurrentState, .integer(9), "9"),
            (.carbonDioxideLevel, .float(640), "640 ppm"), (.pm2_5Density, .float(12), "12 µg/m³"),
            (.filterLifeLevel, .float(4), "4 %"),
            (.securitySystemCurrentState, .integer(0), "armed-at-home"), (.active, .integer(0), "off"),
            (.name, .string("a\u{1B}[2J"), "a\\u{1B}[2J"), (.setupEndpoints, .data([1, 2]), "2 bytes"),
        ] as [(CharacteristicType, CharacteristicValue, String)])
    func shown(type: CharacteristicType, value: CharacteristicValue, text: String) throws {
        #expect(try Self.characteristic(type).text(of: value) == text)
    }

    @Test(
        "are parsed according to their kind",
        arguments: [
            (.on, "yes", .bool(true)), (.on, "OFF", .bool(false)), (.on, "1", .bool(true)),
            (.brightness, "40", .integer(40)), (.brightness, "40%", .integer(40)), (.brightness, "40 %", .integer(40)),
            (.hue, "30°", .float(30)), (.targetTemperature, "21.5 °C", .float(21.5)),
            (.lockTargetState, "secured", .integer(1)), (.lockTargetState, "0", .integer(0)),
            (.securitySystemTargetState, "away arm", .integer(1)), (.active, "on", .integer(1)),
            (.colorTemperature, "250 mired", .integer(250)), (.setDuration, "10 min", .integer(600)),
            (.setDuration, "0.5h", .integer(1800)), (.setDuration, "90s", .integer(90)),
            // The words in lists, and unambiguous parts of these words.
            (.lockTargetState, "locked", .integer(1)), (.securitySystemTargetState, "away", .integer(1)),
            (.securitySystemTargetState, "armed, at home", .integer(0)),
            (.securitySystemTargetState, "off", .integer(3)),
            (.swingMode, "swinging", .integer(1)), (.targetHeatingCoolingState, "automatic", .integer(3)),
        ] as [(CharacteristicType, String, CharacteristicValue)])
    func parsed(type: CharacteristicType, typed: String, value: CharacteristicValue) throws {
        #expect(try Self.characteristic(type).value(typed: typed) == value)
    }

    @Test("are shown in words that are valid input")
    func words() throws {
        for definition in CharacteristicDefinition.all where definition.metadata.format != .bool {
            var metadata = definition.metadata
            metadata.permissions.insert(.pairedWrite)
            let value = Characteristic(
                id: House.id(1), service: House.id(2), iid: InstanceID(3), type: definition.type, metadata: metadata)
            for number in definition.type.valueNames.keys {
                let word = value.text(of: .integer(number))
                #expect(try value.value(typed: word) == .integer(number), "\(definition.type) \(word)")
            }
        }
    }

    @Test(
        "are refused with an explanation",
        arguments: [
            (.on, "maybe", .invalidValueType, "on must be yes or no"),
            (.brightness, "400", .valueHigherThanMaximum, "brightness: the value is too high; the maximum is 100"),
            (.brightness, "-1", .valueLowerThanMinimum, "brightness: the value is too low; the minimum is 0"),
            (.brightness, "4.5", .invalidValueType, "brightness must be a whole number from 0 to 100 %"),
            (.brightness, "0x10", .invalidValueType, "brightness must be a whole number from 0 to 100 %"),
            (.brightness, "nan", .invalidValueType, "brightness must be a whole number from 0 to 100 %"),
            (.hue, "red", .invalidValueType, "hue must be a number from 0 to 360°"),
            (.lockTargetState, "secure", .invalidValueType, "lock-target-state must be unlocked or locked"),
            (
                .securitySystemTargetState, "armed", .invalidValueType,
                "security-system-target-state must be armed-at-home, armed-away, armed-night or off"
            ),
            (.lockTargetState, "2", .valueHigherThanMaximum, "lock-target-state must be unlocked or locked"),
            (
                .outletInUse, "yes", .readOnlyCharacteristic, "outlet-in-use: this value can't be changed"
            ),
        ] as [(CharacteristicType, String, HomeError.Code, String)])
    func refused(type: CharacteristicType, typed: String, code: HomeError.Code, message: String) throws {
        let characteristic = try Self.characteristic(type)
        let error = #expect(throws: HomeError.self) { try characteristic.value(typed: typed) }
        #expect(error?.code == code)
        #expect(error?.message == message)
    }

    @Test("of 64 bits keep every digit")
    func unsigned() throws {
        let type = CharacteristicType(try #require(HAPType("E863F10F-079E-48FF-8F27-9C2605A29F52")))
        let counter = Characteristic(
            id: House.id(1), service: House.id(2), iid: InstanceID(3), type: type,
            metadata: CharacteristicMetadata(
                format: .uint64, permissions: [.pairedRead, .pairedWrite], minimum: 1, maximum: 0x1p64))
        let largest = "18446744073709551615"
        #expect(try counter.value(typed: largest) == .unsigned(.max))
        #expect(counter.text(of: .unsigned(.max)) == largest)
        #expect(CharacteristicValue.unsigned(.max).listing == .unsigned(.max))
        #expect(counter.rangeText == "1 to \(largest)")
        let error = #expect(throws: HomeError.self) { try counter.value(typed: "18446744073709551616") }
        #expect(error?.message.hasSuffix("the value is too high; the maximum is \(largest)") == true)
    }

    @Test("that don't match a step are rounded, and the written value is reported")
    func steps() throws {
        let ratio = Characteristic(
            id: House.id(1), service: House.id(2), iid: InstanceID(3), type: .brightness,
            metadata: CharacteristicMetadata(
                format: .float, permissions: [.pairedWrite], minimum: 0, maximum: 1, step: 0.25))
        for (typed, written, asked) in [
            ("0.3", CharacteristicValue.float(0.25), CharacteristicValue.float(0.3)), ("0.25", .float(0.25), nil),
            ("1", .float(1), nil), ("0.2500000000001", .float(0.25), nil),
        ] {
            let value = try ratio.value(typed: typed)
            #expect(value == written)
            #expect(ratio.numberBetweenSteps(typed: typed, writing: value) == asked)
        }
        let place = ValuePlace(accessory: House.lamp, service: House.lamp.services[1], characteristic: ratio)
        let change = ValueChange(place: place, value: .float(0.25), asked: .float(0.3))
        #expect(change.note == "brightness of Reading Lamp set to 0.25 instead of 0.3: it changes in steps of 0.25")
        #expect(place.listing(value: .float(0.25), asked: .float(0.3))["asked"] == 0.3)
    }

    @Test("are offered only as words that can be written")
    func takenWords() throws {
        var metadata = CharacteristicMetadata(format: .uint8, permissions: [.pairedWrite], minimum: 0, maximum: 1)
        metadata.validValues = [0, 1, 2, 3]
        let lock = Characteristic(
            id: House.id(1), service: House.id(2), iid: InstanceID(3), type: .securitySystemTargetState,
            metadata: metadata)
        #expect(lock.rangeText == "armed-at-home, armed-away")
        let error = #expect(throws: HomeError.self) { try lock.value(typed: "disarmed") }
        #expect(error?.suggestions == [])
        metadata.validValues = nil
        metadata.step = 2
        metadata.maximum = 2
        let even = Characteristic(
            id: House.id(1), service: House.id(2), iid: InstanceID(3), type: .securitySystemTargetState,
            metadata: metadata)
        #expect(even.rangeText == "armed-at-home, armed-night")
    }

    @Test("can be typed as they are shown")
    func roundTrip() throws {
        for definition in CharacteristicDefinition.all where definition.metadata.permissions.contains(.pairedWrite) {
            let characteristic = try Self.characteristic(definition.type)
            for number in definition.metadata.validValues ?? [] {
                let value: CharacteristicValue =
                    definition.metadata.format == .bool ? .bool(number != 0) : .integer(number)
                let shown = characteristic.text(of: value)
                #expect(try characteristic.value(typed: shown) == value, "\(definition.name) \(shown)")
            }
        }
    }

    @Test("of custom characteristics can be addressed by description and type")
    func custom() throws {
        let type = CharacteristicType(try #require(HAPType("E863F10F-079E-48FF-8F27-9C2605A29F52")))
        let characteristic = Characteristic(
            id: House.id(1), service: House.id(2), iid: InstanceID(3), type: type,
            metadata: CharacteristicMetadata(format: .uint8, permissions: [.pairedWrite]),
            manufacturerDescription: "Power-Down Decay (rate)")
        #expect(characteristic.word == "power-down-decay-rate")
        for typed in ["power down decay rate", "PowerDownDecayRate", "E863F10F-079E-48FF-8F27-9C2605A29F52"] {
            #expect(characteristic.answers(to: typed))
        }
        #expect(!characteristic.answers(to: "decay") && !characteristic.answers(to: "-"))
    }
}
