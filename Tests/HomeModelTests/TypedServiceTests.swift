import HAPModel
import HAPTesting
import Testing

@testable import HomeModel

@Suite("Services with typed values") struct TypedServiceTests {
    private func service(_ type: ServiceType, _ values: [(CharacteristicType, CharacteristicValue?)]) -> Service {
        var random = SeededNumbers(seed: 1)
        let id = Service.ID(using: &random)
        return Service(
            id: id, accessory: Accessory.ID(using: &random), iid: InstanceID(1), type: type, name: "It",
            characteristics: values.enumerated().map { index, value in
                Characteristic(
                    id: Characteristic.ID(using: &random), service: id, iid: InstanceID(UInt64(index) + 2),
                    type: value.0,
                    metadata: CharacteristicMetadata(format: .uint8, permissions: [.pairedRead]), value: value.1)
            })
    }

    @Test("return nil for missing and unknown values")
    func lamp() throws {
        let lamp = try #require(
            Lightbulb(
                service(
                    .lightbulb,
                    [(.on, .bool(true)), (.brightness, .integer(40)), (.hue, .float(120)), (.saturation, nil)])))
        #expect(lamp.isOn == true && lamp.brightness == 40 && lamp.hue == 120)
        #expect(lamp.saturation == nil && lamp.colorTemperature == nil)
        #expect(Lightbulb(service(.outlet, [(.on, .bool(true))])) == nil)
    }

    @Test("convert numbers to typed values")
    func meanings() {
        let lock = service(.lockMechanism, [(.lockCurrentState, .integer(2)), (.lockTargetState, .integer(9))])
        #expect(Lock(lock)?.currentState == .jammed && Lock(lock)?.targetState == nil)
        let contact = service(.contactSensor, [(.contactSensorState, .integer(1))])
        #expect(ContactSensor(contact)?.isOpen == true)
        #expect(MotionSensor(service(.motionSensor, [(.motionDetected, .integer(2))]))?.motionDetected == nil)
        let warm = service(.temperatureSensor, [(.currentTemperature, .integer(21))])
        #expect(TemperatureSensor(warm)?.temperature == 21)
        #expect(
            TemperatureSensor(service(.temperatureSensor, [(.currentTemperature, .string("21"))]))?.temperature == nil)
        #expect(Fan(service(.fan, [(.on, .bool(true))]))?.isOn == true)
        #expect(Fan(service(.fanv2, [(.active, .integer(0))]))?.isOn == false)
    }

    @Test("return the primary service first")
    func first() {
        var random = SeededNumbers(seed: 2)
        var second = service(.lightbulb, [(.on, .bool(true))])
        second.isPrimary = true
        let accessory = Accessory(
            id: Accessory.ID(using: &random), home: Home.ID(using: &random), name: "Lamp", configuredName: "Lamp",
            room: Room.ID(using: &random), category: .lightbulb, deviceID: TestDevices.id(1), aid: .bridge,
            services: [service(.lightbulb, [(.on, .bool(false))]), second])
        #expect(accessory.lightbulb?.isOn == true && accessory.all(Lightbulb.self).count == 2)
        #expect(accessory.lock == nil)
    }

    @Test("convert values to the characteristic's format")
    func written() throws {
        let number = CharacteristicMetadata(format: .uint8, permissions: [.pairedWrite])
        #expect(try number.validatedWrite(true.value(as: .uint8)) == .integer(1))
        #expect(try number.validatedWrite(40.0.value(as: .uint8)) == .integer(40))
        #expect(try number.validatedWrite(LockState.secured.value(as: .uint8)) == .integer(1))
        let switched = CharacteristicMetadata(format: .bool, permissions: [.pairedWrite])
        #expect(try switched.validatedWrite(true.value(as: .bool)) == .bool(true))
        let hue = CharacteristicMetadata(format: .float, permissions: [.pairedWrite])
        #expect(try hue.validatedWrite(120.value(as: .float)) == .float(120))
    }
}
