import HAPModel
import HAPTesting
import HomeModel
import HomeTesting
import Testing

@testable import HomePresentation

private func service(
    _ type: ServiceType, iid: UInt64 = 10, _ values: Values, isHidden: Bool = false
) -> ServiceObject {
    ProductHomes.service(type, iid: iid, values, isHidden: isHidden)
}

private func home(_ devices: [(name: String, services: [ServiceObject])]) throws -> (TestHub, Home.ID) {
    try ProductHomes.home(devices)
}

private func accessory(_ services: ServiceObject...) throws -> Accessory {
    let (hub, id) = try home([("Thing", services)])
    return try #require(hub.graph.home(id)?.accessories.first)
}

@Suite("The product view") struct ProductViewTests {
    // MARK: Values

    @Test(
        "formats values for display",
        arguments: [
            (CharacteristicType.brightness, .integer(72), "72 %"), (.on, .bool(true), "on"), (.on, .bool(false), "off"),
            (.currentTemperature, .float(21.5), "21.5 °C"), (.currentTemperature, .float(21.04), "21 °C"),
            (.currentTemperature, .float(-0.04), "0 °C"), (.currentTemperature, .float(-3.26), "-3.3 °C"),
            (.carbonDioxideLevel, .float(412.4), "412 ppm"), (.pm2_5Density, .float(12), "12 µg/m³"),
            (.hue, .float(240.4), "240°"), (.currentAmbientLightLevel, .float(0.5), "0.5 lx"),
            (.currentAmbientLightLevel, .float(312.7), "313 lx"), (.colorTemperature, .integer(370), "2700 K"),
            (.remainingDuration, .integer(59), "59 s"), (.remainingDuration, .integer(60), "1 min"),
            (.remainingDuration, .integer(3725), "1 h 2 min"), (.remainingDuration, .integer(90_000), "1 d 1 h"),
            (.contactSensorState, .integer(1), "open"), (.currentDoorState, .integer(2), "opening"),
            (.airQuality, .integer(2), "good"), (.motionDetected, .bool(false), "no motion"),
            (.lockCurrentState, .integer(1), "locked"), (.programmableSwitchEvent, .integer(1), "pressed twice"),
            (.pictureMode, .integer(3), "calibrated dark"), (.mute, .bool(true), "muted"),
            (.identifier, .unsigned(.max), "18446744073709551615"), (.currentTemperature, .float(1e300), "1e+300 °C"),
            (.configuredName, .string("Anna's TV"), "Anna's TV"), (.logs, .data([1]), "1 byte"),
            (.airQuality, .integer(99), "99"),
            // Invalid values.
            (.colorTemperature, .float(1e-305), "0"), (.colorTemperature, .float(-1), "-1"),
            (.remainingDuration, .float(1e300), "1e+300 s"),
            (.remainingDuration, .integer(.min), "-9.223372036854776e+18 s"),
        ] as [(CharacteristicType, CharacteristicValue, String)])
    func values(type: CharacteristicType, value: CharacteristicValue, words: String) throws {
        var random = SeededNumbers(seed: 1)
        let characteristic = Characteristic(
            id: Characteristic.ID(using: &random), service: Service.ID(using: &random), iid: InstanceID(9), type: type,
            metadata: try #require(CharacteristicDefinition.of(type)).metadata, value: value)
        #expect(characteristic.valueWords == words)
    }

    // MARK: States

    @Test(
        "combines the current and the target state",
        arguments: [
            (.lightbulb, [:], "unknown", ""),
            (.lightbulb, [.on: .bool(false), .brightness: .integer(40)], "off", ""),
            (.lightbulb, [.on: .bool(true), .brightness: .integer(40)], "on, 40 %", "active"),
            (.switch, [.on: .bool(true)], "on", "active"), (.fanv2, [.active: .integer(1)], "on", "active"),
            (.fanv2, [.active: .integer(1), .rotationSpeed: .float(30)], "on, 30 %", "active"),
            (.outlet, [.on: .bool(false), .outletInUse: .bool(true)], "off", ""),
            (
                .thermostat,
                [
                    .currentTemperature: .float(21.5), .targetTemperature: .float(23),
                    .currentHeatingCoolingState: .integer(1), .targetHeatingCoolingState: .integer(1),
                ], "21.5 °C, heating to 23 °C", "active"
            ),
            (
                .thermostat,
                [
                    .currentTemperature: .float(21.5), .targetTemperature: .float(20),
                    .currentHeatingCoolingState: .integer(0), .targetHeatingCoolingState: .integer(1),
                ], "21.5 °C, set to 20 °C", ""
            ),
            (
                .thermostat,
                [
                    .currentTemperature: .float(21.5), .targetTemperature: .float(20),
                    .currentHeatingCoolingState: .integer(0), .targetHeatingCoolingState: .integer(3),
                    .heatingThresholdTemperature: .float(19), .coolingThresholdTemperature: .float(25),
                ], "21.5 °C, set to 19 – 25 °C", ""
            ),
            (
                .thermostat,
                [
                    .currentTemperature: .float(27), .targetTemperature: .float(20),
                    .currentHeatingCoolingState: .integer(2), .targetHeatingCoolingState: .integer(3),
                    .heatingThresholdTemperature: .float(19), .coolingThresholdTemperature: .float(25),
                ], "27 °C, cooling to 25 °C", "active"
            ),
            (
                .windowCovering,
                [.currentPosition: .integer(100), .targetPosition: .integer(100), .positionState: .integer(0)], "open",
                "active"
            ),
            (
                .thermostat, [.currentTemperature: .float(21.5), .targetHeatingCoolingState: .integer(0)],
                "21.5 °C, off", ""
            ),
            (
                .heaterCooler,
                [
                    .active: .integer(1), .currentTemperature: .float(19), .currentHeaterCoolerState: .integer(1),
                    .targetHeaterCoolerState: .integer(0), .heatingThresholdTemperature: .float(18),
                    .coolingThresholdTemperature: .float(25),
                ], "19 °C, set to 18 – 25 °C", ""
            ),
            (
                .heaterCooler,
                [
                    .active: .integer(1), .currentTemperature: .float(17), .currentHeaterCoolerState: .integer(2),
                    .targetHeaterCoolerState: .integer(0), .heatingThresholdTemperature: .float(18),
                    .coolingThresholdTemperature: .float(25),
                ], "17 °C, heating to 18 °C", "active"
            ),
            (
                .humidifierDehumidifier,
                [
                    .active: .integer(1), .currentRelativeHumidity: .float(41),
                    .currentHumidifierDehumidifierState: .integer(2), .relativeHumidityHumidifierThreshold: .float(50),
                ], "41 %, humidifying to 50 %", "active"
            ),
            (
                .humidifierDehumidifier,
                [
                    .active: .integer(1), .currentRelativeHumidity: .float(41),
                    .currentHumidifierDehumidifierState: .integer(1), .targetHumidifierDehumidifierState: .integer(2),
                    .relativeHumidityHumidifierThreshold: .float(50),
                    .relativeHumidityDehumidifierThreshold: .float(60),
                ], "41 %, set to 60 %", ""
            ),
            (
                .humidifierDehumidifier,
                [
                    .active: .integer(1), .currentRelativeHumidity: .float(41),
                    .currentHumidifierDehumidifierState: .integer(1), .targetHumidifierDehumidifierState: .integer(0),
                    .relativeHumidityHumidifierThreshold: .float(40),
                    .relativeHumidityDehumidifierThreshold: .float(60),
                ], "41 %, set to 40 – 60 %", ""
            ),
            (.garageDoorOpener, [.currentDoorState: .integer(1), .targetDoorState: .integer(0)], "opening", "active"),
            (.garageDoorOpener, [.currentDoorState: .integer(3), .targetDoorState: .integer(1)], "closing", "active"),
            (.garageDoorOpener, [.currentDoorState: .integer(1), .targetDoorState: .integer(1)], "closed", ""),
            (
                .garageDoorOpener, [.currentDoorState: .integer(4), .obstructionDetected: .bool(true)],
                "stopped, obstructed", "active alert"
            ),
            (.lockMechanism, [.lockCurrentState: .integer(1), .lockTargetState: .integer(1)], "locked", ""),
            (.lockMechanism, [.lockCurrentState: .integer(0), .lockTargetState: .integer(1)], "locking", "active"),
            (.lockMechanism, [.lockCurrentState: .integer(2)], "jammed", "active alert"),
            (
                .windowCovering,
                [.currentPosition: .integer(40), .targetPosition: .integer(100), .positionState: .integer(1)],
                "opening, 40 %", "active"
            ),
            (
                .windowCovering,
                [.currentPosition: .integer(40), .targetPosition: .integer(0), .positionState: .integer(0)],
                "closing, 40 %", "active"
            ),
            (
                .windowCovering,
                [.currentPosition: .integer(40), .targetPosition: .integer(0), .positionState: .integer(2)],
                "40 % open", "active"
            ),
            (
                .window, [.currentPosition: .integer(0), .targetPosition: .integer(0), .positionState: .integer(2)],
                "closed", ""
            ),
            (
                .door, [.currentPosition: .integer(100), .targetPosition: .integer(100)], "open", "active"
            ),
            (.securitySystem, [.securitySystemCurrentState: .integer(4)], "alarm", "active alert"),
            (
                .securitySystem, [.securitySystemCurrentState: .integer(3), .securitySystemTargetState: .integer(1)],
                "will be armed, away", "active"
            ),
            (.securitySystem, [.securitySystemCurrentState: .integer(3)], "off", ""),
            (
                .valve, [.active: .integer(1), .inUse: .integer(1), .remainingDuration: .integer(300)],
                "running, 5 min left", "active"
            ),
            (
                .valve, [.active: .integer(1), .inUse: .integer(1), .remainingDuration: .integer(3725)],
                "running, 1 h 3 min left", "active"
            ),
            (
                .valve, [.active: .integer(1), .inUse: .integer(1), .remainingDuration: .integer(59)],
                "running, less than 1 min left", "active"
            ),
            (
                .valve, [.active: .integer(1), .inUse: .integer(1), .remainingDuration: .integer(0)], "running",
                "active"
            ),
            (.valve, [.active: .integer(1), .inUse: .integer(0)], "on, waiting", "active"),
            (.valve, [.active: .integer(0), .inUse: .integer(1)], "stopping", "active"),
            (
                .irrigationSystem, [.active: .integer(0), .inUse: .integer(1), .remainingDuration: .integer(600)],
                "running, 10 min left", "active"
            ),
            (.airPurifier, [.active: .integer(0), .currentAirPurifierState: .integer(0)], "off", ""),
            (
                .airPurifier,
                [.active: .integer(1), .currentAirPurifierState: .integer(2), .rotationSpeed: .float(25)],
                "purifying, 25 %", "active"
            ),
            (.temperatureSensor, [.currentTemperature: .float(21.5)], "21.5 °C", ""),
            (.humiditySensor, [.currentRelativeHumidity: .float(44.6)], "45 %", ""),
            (.lightSensor, [.currentAmbientLightLevel: .float(120)], "120 lx", ""),
            (.motionSensor, [.motionDetected: .bool(true)], "motion", "active"),
            (.occupancySensor, [.occupancyDetected: .integer(0)], "not occupied", ""),
            (.leakSensor, [.leakDetected: .integer(1)], "leak", "active alert"),
            (
                .smokeSensor, [.smokeDetected: .integer(0), .statusTampered: .integer(1)], "no smoke, tampered with",
                "alert"
            ),
            (
                .carbonDioxideSensor, [.carbonDioxideDetected: .integer(1), .carbonDioxideLevel: .float(2100)],
                "too high, 2100 ppm", "active alert"
            ),
            (
                .airQualitySensor, [.airQuality: .integer(5), .pm2_5Density: .float(80)], "poor, PM2.5 80 µg/m³",
                "alert"
            ),
            (
                .airQualitySensor,
                [.airQuality: .integer(2), .vocDensity: .float(180), .nitrogenDioxideDensity: .float(21)],
                "good, VOC 180 µg/m³", ""
            ),
            (
                .carbonMonoxideSensor, [.carbonMonoxideDetected: .integer(0), .carbonMonoxideLevel: .float(3)],
                "normal, 3 ppm", ""
            ),
            (.battery, [.batteryLevel: .integer(12), .statusLowBattery: .integer(1)], "12 %, low", "alert"),
            (.battery, [.batteryLevel: .integer(85), .chargingState: .integer(1)], "85 %, charging", ""),
            (.battery, [.statusLowBattery: .integer(0)], "battery OK", ""),
            (
                .filterMaintenance, [.filterChangeIndication: .integer(1), .filterLifeLevel: .float(4)],
                "change filter, 4 %", "alert"
            ),
            (.statelessProgrammableSwitch, [:], "ready", ""),
            (.statelessProgrammableSwitch, [.programmableSwitchEvent: .integer(2)], "held", ""),
            (.speaker, [.mute: .bool(true), .volume: .integer(30)], "muted", ""),
            (.microphone, [.mute: .bool(false), .volume: .integer(0)], "microphone on", ""),
            (.microphone, [.mute: .bool(true)], "muted", ""), (.microphone, [.volume: .integer(9)], "unknown", ""),
            (.slats, [.currentSlatState: .integer(1)], "jammed", ""),
            // Some devices use numbers for Boolean values and vice versa.
            (.lightbulb, [.on: .integer(1)], "on", "active"), (.fanv2, [.active: .bool(true)], "on", "active"),
        ] as [(ServiceType, Values, String, String)])
    func states(type: ServiceType, values: Values, words: String, marks: String) throws {
        let accessory = try accessory(service(type, values))
        let state = accessory.state(of: try #require(accessory.services.last), at: .init(millisecondsSince1970: 1))
        #expect(state.words == words)
        #expect(state.isActive == marks.contains("active"))
        #expect(state.isAlert == marks.contains("alert"))
    }

    @Test("counts down the remaining duration between the reports of an accessory")
    func countdown() throws {
        let valve = try accessory(
            service(.valve, [.active: .integer(1), .inUse: .integer(1), .remainingDuration: .integer(600)]))
        let part = try #require(valve.services.last)
        let expected: [(Int64, String)] = [
            (0, "running, 10 min left"), (4, "running, 6 min left"), (11, "running"),
        ]
        for (minutes, words) in expected {
            let time = Timestamp(millisecondsSince1970: minutes * 60_000 + 1)
            #expect(valve.state(of: part, at: time).words == words)
        }
    }

    @Test("shows values in the form of Eve's accessories with their names and units")
    func eveReadings() throws {
        func reading(_ text: String, _ value: Double, iid: UInt64) throws -> CharacteristicObject {
            CharacteristicObject(
                iid: InstanceID(iid), type: CharacteristicType(try #require(HAPType(text))),
                metadata: CharacteristicMetadata(format: .float, permissions: [.pairedRead, .notify]),
                value: .float(value), manufacturerDescription: "Consumption")
        }
        var outlet = service(.outlet, [.on: .bool(true)])
        outlet.characteristics += [
            try reading("E863F10D-079E-48FF-8F27-9C2605A29F52", 412.52, iid: 50),
            try reading("e863f10c-079e-48ff-8f27-9c2605a29f52", 1.234, iid: 51),
        ]
        let plug = try accessory(outlet)
        let part = try #require(plug.services.last)
        #expect(plug.state(of: part).words == "on, 412.5 W")
        let readings = part.characteristics.filter { !$0.type.type.isApple }
        #expect(readings.map(\.localizedDescription) == ["Power", "Energy"])
        #expect(readings.map(\.valueWords) == ["412.5 W", "1.23 kWh"])
        #expect(readings.map(\.isReadableState) == [true, true], "the hub subscribes to them")
    }

    @Test("shows the name of a television's input, and no rows for inputs")
    func television() throws {
        func input(_ number: Int64, _ name: String, iid: UInt64) -> ServiceObject {
            service(.inputSource, iid: iid, [.identifier: .integer(number), .configuredName: .string(name)])
        }
        let set = try accessory(
            service(.television, [.active: .integer(1), .activeIdentifier: .integer(2)]),
            input(1, "HDMI 1", iid: 100), input(2, "Console", iid: 200))
        let row = try #require(set.home(with: set).rows().first)
        #expect(row.state.words == "on, Console")
        #expect(set.home(with: set).rows().count == 1)
    }

    // MARK: Controls

    @Test(
        "derives a control from the metadata",
        arguments: [
            (CharacteristicType.on, .toggle), (.active, .toggle), (.mute, .toggle), (.swingMode, .toggle),
            (.brightness, .slider(.init(minimum: 0, maximum: 100, step: 1, unit: .percentage))),
            (.targetTemperature, .stepper(.init(minimum: 10, maximum: 38, step: 0.1, unit: .celsius))),
            (
                .targetDoorState,
                .choice([.init(value: .integer(0), name: "open"), .init(value: .integer(1), name: "closed")])
            ),
            (.currentTemperature, .reading), (.identify, .button(.bool(true))),
            (.configuredName, .text(maximumLength: 64)), (.setupEndpoints, .reading),
            (.hue, .slider(.init(minimum: 0, maximum: 360, step: 1, unit: .arcdegrees))),
            (.colorTemperature, .colorTemperature(.init(minimum: 50, maximum: 400, step: 1, unit: nil))),
            (.holdPosition, .button(.bool(true))), (.resetFilterIndication, .button(.integer(1))),
        ] as [(CharacteristicType, CharacteristicControl)])
    func controls(type: CharacteristicType, control: CharacteristicControl) throws {
        let part = try #require(try accessory(service(.switch, [type: .string("")])).services.last)
        #expect(part.control(for: try #require(part.characteristic(type))) == control)
    }

    @Test("combines hue and saturation, narrows choices to valid values and labels custom characteristics")
    func ownControls() throws {
        let lamp = try accessory(service(.lightbulb, [.hue: .float(1), .saturation: .float(1)]))
        let light = try #require(lamp.services.last)
        #expect(light.control(for: try #require(light.characteristic(.hue))) == .color)

        var narrow = service(.thermostat, [:])
        let index = try #require(narrow.characteristics.firstIndex { $0.type == .targetHeatingCoolingState })
        narrow.characteristics[index].metadata.validValues = [0, 1]
        let thermostat = try #require(try accessory(narrow).services.last)
        let mode = try #require(thermostat.characteristic(.targetHeatingCoolingState))
        let choices = [
            CharacteristicControl.Choice(value: .integer(0), name: "off"), .init(value: .integer(1), name: "heat"),
        ]
        #expect(thermostat.control(for: mode) == .choice(choices))
        narrow.characteristics[index].metadata.validValues = nil
        narrow.characteristics[index].metadata.maximum = 1
        let limited = try #require(try accessory(narrow).services.last)
        #expect(limited.control(for: try #require(limited.characteristic(mode.type))) == .choice(choices))

        let own = CharacteristicObject(
            iid: InstanceID(40), type: CharacteristicType(HAPType("5A3B0C2E-1111-2222-3333-444455556666")!),
            metadata: CharacteristicMetadata(
                format: .uint8, permissions: [.pairedRead, .pairedWrite], minimum: 0, maximum: 10, step: 1),
            value: .integer(3), manufacturerDescription: "Power-down decay rate")
        let withOwn = ServiceObject(iid: InstanceID(10), type: .lightbulb, characteristics: [own])
        let part = try #require(try accessory(withOwn).services.last)
        // Guests get HAP's standard characteristics, but neither manufacturers' functions nor identify.
        #expect(part.controlledCharacteristics(isOwner: true).count == 1)
        #expect(part.controlledCharacteristics(isOwner: false).isEmpty)
        #expect(light.controlledCharacteristics(isOwner: false) == light.controlledCharacteristics(isOwner: true))
        let information = try #require(lamp.services.first)
        #expect(information.controlledCharacteristics(isOwner: true).map(\.type) == [.identify])
        #expect(information.controlledCharacteristics(isOwner: false).isEmpty)
        let rate = try #require(part.characteristics.first)
        #expect(part.control(for: rate) == .slider(.init(minimum: 0, maximum: 10, step: 1, unit: nil)))
        #expect(rate.localizedDescription == "Power-down decay rate")
        #expect(rate.valueWords == "3")
    }

    @Test("offers a valve's current duration and the common ones within its limits")
    func durations() throws {
        var valve = service(.valve, [.setDuration: .integer(400)])
        let index = try #require(valve.characteristics.firstIndex { $0.type == .setDuration })
        valve.characteristics[index].metadata.maximum = 600
        let part = try #require(try accessory(valve).services.last)
        guard case .choice(let choices) = part.control(for: try #require(part.characteristic(.setDuration))) else {
            Issue.record("it isn't a choice")
            return
        }
        #expect(choices.map(\.name) == ["1 min", "2 min", "3 min", "5 min", "6 min 40 s", "10 min"])
    }

    @Test("shows a characteristic with a single valid value as read-only")
    func singleChoice() throws {
        var humidifier = service(.humidifierDehumidifier, [.targetHumidifierDehumidifierState: .integer(1)])
        let mode = CharacteristicType.targetHumidifierDehumidifierState
        let index = try #require(humidifier.characteristics.firstIndex { $0.type == mode })
        humidifier.characteristics[index].metadata.validValues = [1]
        let part = try #require(try accessory(humidifier).services.last)
        #expect(part.control(for: try #require(part.characteristic(mode))) == .reading)
    }

    @Test(
        "finds the targets that have no effect in the current mode",
        arguments: [
            (
                .thermostat,
                [
                    .targetHeatingCoolingState: .integer(3), .heatingThresholdTemperature: .float(19),
                    .coolingThresholdTemperature: .float(25),
                ], [.targetTemperature]
            ),
            (
                .thermostat,
                [
                    .targetHeatingCoolingState: .integer(1), .heatingThresholdTemperature: .float(19),
                    .coolingThresholdTemperature: .float(25),
                ], [.heatingThresholdTemperature, .coolingThresholdTemperature]
            ),
            (.thermostat, [.targetHeatingCoolingState: .integer(3)], []),
            (.heaterCooler, [.targetHeaterCoolerState: .integer(1)], [.coolingThresholdTemperature]),
            (.heaterCooler, [.targetHeaterCoolerState: .integer(0)], []),
            (
                .humidifierDehumidifier, [.targetHumidifierDehumidifierState: .integer(2)],
                [.relativeHumidityHumidifierThreshold]
            ),
        ] as [(ServiceType, Values, Set<CharacteristicType>)])
    func ineffectiveTargets(type: ServiceType, values: Values, types: Set<CharacteristicType>) throws {
        #expect(try accessory(service(type, values)).services.last?.ineffectiveTargets == types)
    }

    @Test(
        "creates scene actions that restore a service's state",
        arguments: [
            (.lightbulb, [.on: .bool(true), .brightness: .integer(40)], [.on, .brightness]),
            (.lightbulb, [.on: .bool(false), .brightness: .integer(40)], [.on]),
            (
                .lightbulb,
                [
                    .on: .bool(true), .hue: .float(10), .saturation: .float(90), .colorTemperature: .integer(200),
                ], [.on, .hue, .saturation]
            ),
            (.lockMechanism, [.lockTargetState: .integer(1), .lockCurrentState: .integer(1)], [.lockTargetState]),
            (
                .thermostat,
                [
                    .targetHeatingCoolingState: .integer(1), .targetTemperature: .float(21),
                    .currentTemperature: .float(19), .heatingThresholdTemperature: .float(19),
                    .coolingThresholdTemperature: .float(25),
                ], [.targetHeatingCoolingState, .targetTemperature]
            ),
            (.temperatureSensor, [.currentTemperature: .float(20)], []), (.lightbulb, [:], []),
        ] as [(ServiceType, Values, Set<CharacteristicType>)])
    func sceneActions(type: ServiceType, values: Values, types: Set<CharacteristicType>) throws {
        let service = try #require(try accessory(service(type, values)).services.last)
        let actions = service.sceneActions.map { action in
            (service.characteristics.first { $0.id == action.characteristic }?.type, action.targetValue)
        }
        #expect(Set(actions.map(\.0)) == Set(types.map(Optional.some)))
        for (type, value) in actions { #expect(type.flatMap { values[$0] } == value) }
    }

    @Test("offers only acceptable values for every characteristic")
    func catalogue() throws {
        for definition in CharacteristicDefinition.all {
            let part = try #require(try accessory(service(.switch, [definition.type: .string("")])).services.last)
            let characteristic = try #require(part.characteristic(definition.type))
            let offered: [CharacteristicValue]
            switch part.control(for: characteristic) {
            case .toggle: offered = [.bool(true), .bool(false)]
            case .slider(let range), .stepper(let range), .colorTemperature(let range):
                #expect(range.step > 0)
                offered = [range.minimum, range.maximum].compactMap { $0.map(CharacteristicValue.float) }
            case .choice(let choices): offered = choices.map(\.value)
            case .button(let value): offered = [value]
            case .color, .text, .reading: offered = []
            }
            for value in offered {
                #expect(characteristic.metadata.accepted(value) != nil, "\(definition.name) \(value)")
            }
            let isWritable = characteristic.metadata.permissions.contains(.pairedWrite)
            #expect(isWritable || part.control(for: characteristic) == .reading)
        }
    }

    // MARK: Sections

    @Test("shows visible services as rows, favorites first")
    func rows() throws {
        let own = ServiceType(HAPType("5A3B0C2E-1111-2222-3333-444455556666")!)
        var (hub, id) = try home([
            (
                "zebra",
                [
                    service(.lightbulb, [.on: .bool(true)]),
                    service(.battery, iid: 100, [.batteryLevel: .integer(9), .statusLowBattery: .integer(1)]),
                ]
            ),
            (
                "Ant",
                [
                    service(.switch, [.on: .bool(false)]),
                    service(.switch, iid: 100, [.on: .bool(false)], isHidden: true),
                ]
            ),
            ("bee", [service(.lightbulb, [:]), service(own, iid: 100, [:])]),
        ])
        let home = try #require(hub.graph.home(id))
        #expect(home.rows().map(\.name) == ["Ant", "bee", "zebra"])
        #expect(home.rows().last?.battery?.words == "9 %, low")
        let zebra = try #require(home.rows().last)
        try hub.perform(.setFavorite(zebra.id, true))
        let changed = try #require(hub.graph.home(id))
        #expect(changed.rows().map(\.name) == ["zebra", "Ant", "bee"])

        var filter = ProductFilter()
        filter.hasMakersOwn = true
        #expect(changed.rows(filter).count == 4)
        filter = ProductFilter()
        filter.kinds = [.lightbulb]
        #expect(changed.rows(filter).map(\.name) == ["zebra", "bee"])
        filter.isOfFavorites = true
        #expect(changed.rows(filter).map(\.name) == ["zebra"])
        filter = ProductFilter()
        filter.makers = ["maker"]
        #expect(changed.rows(filter).count == 3)
        filter.makers = ["Somebody Else"]
        #expect(changed.rows(filter).isEmpty)
        filter = ProductFilter()
        filter.capabilities = [.brightness]
        #expect(changed.rows(filter).isEmpty)
        #expect(changed.row(of: zebra.id)?.isFavorite == true)
    }

    @Test("groups rows by room, zone, category and kind")
    func sections() throws {
        var (hub, id) = try home([
            ("Lamp", [service(.lightbulb, [:])]), ("Spot", [service(.lightbulb, [:])]),
            ("Plug", [service(.switch, [:])]), ("Glass", [service(.temperatureSensor, [:])]),
        ])
        let kitchen = try hub.room("Kitchen", in: id)
        let attic = try hub.room("Attic", in: id)
        let (up, all) = (try hub.zone("Upstairs", in: id), try hub.zone("All", in: id))
        try hub.perform(.addRoomToZone(up, attic))
        try hub.perform(.addRoomToZone(all, attic))
        let accessories = try #require(hub.graph.home(id)).accessories
        try hub.perform(.assignAccessory(id, accessories[0].id, kitchen))
        try hub.perform(.assignAccessory(id, accessories[1].id, attic))
        let home = try #require(hub.graph.home(id))
        func shown(_ grouping: ProductGrouping) -> [String] {
            home.sections(by: grouping).map { "\($0.name): \($0.rows.map(\.name).joined(separator: ", "))" }
        }
        #expect(shown(.room) == ["Attic: Spot", "Kitchen: Lamp", "No room: Glass, Plug"])
        #expect(shown(.zone) == ["All: Spot", "Upstairs: Spot", "Other Rooms: Glass, Lamp, Plug"])
        #expect(shown(.kind) == ["Lights: Lamp, Spot", "Switches: Plug", "Temperature Sensors: Glass"])
        #expect(shown(.category) == ["Lightbulb: Glass, Lamp, Plug, Spot"])
        let shuffled = Home(
            id: home.id, name: home.name, isPrimary: true, revision: home.revision, defaultRoomID: home.defaultRoomID,
            rooms: home.rooms.reversed(), zones: home.zones.reversed(), accessories: home.accessories.reversed())
        for grouping in ProductGrouping.allCases {
            #expect(shuffled.sections(by: grouping) == home.sections(by: grouping))
        }
    }

    @Test("toggles switches, doors and locks")
    func toggles() throws {
        let cases: [(ServiceType, Values, isOn: Bool?, next: CharacteristicValue)] = [
            (.lightbulb, [.on: .bool(true)], true, .bool(false)), (.lightbulb, [:], nil, .bool(true)),
            (.fanv2, [.active: .integer(0)], false, .integer(1)),
            (.garageDoorOpener, [.targetDoorState: .integer(1)], false, .integer(0)),
            (.lockMechanism, [.lockTargetState: .integer(0)], true, .integer(1)),
            (.windowCovering, [.targetPosition: .integer(30)], true, .integer(0)),
        ]
        for (type, values, isOn, next) in cases {
            let toggle = try #require(try accessory(service(type, values)).services.last?.toggle)
            #expect(toggle.isOn == isOn)
            #expect(toggle.next == next)
        }
        #expect(try accessory(service(.temperatureSensor, [:])).services.last?.toggle == nil)
    }

    @Test("summarizes problems, lights, openings and measurements")
    func summary() throws {
        let (hub, id) = try home([
            ("Lamp", [service(.lightbulb, [.on: .bool(true)])]), ("Spot", [service(.lightbulb, [.on: .bool(true)])]),
            ("Front Door", [service(.contactSensor, [.contactSensorState: .integer(1)])]),
            ("Cellar", [service(.leakSensor, [.leakDetected: .integer(1)])]),
            ("Glass", [service(.temperatureSensor, [.currentTemperature: .float(21.5)])]),
            ("Tap", [service(.valve, [.active: .integer(1)])]),
        ])
        let home = try #require(hub.graph.home(id))
        #expect(home.rows().summary == "Cellar: leak, 2 lights on, 1 valve open, Front Door open, 21.5 °C")
        #expect(home.rows().filter { $0.name == "Lamp" }.summary == "1 light on")
        #expect([ServiceRow]().summary.isEmpty)
    }

    @Test("survives impossible temperatures")
    func impossibleTemperatures() throws {
        let (hot, there) = try home([
            ("Glass", [service(.temperatureSensor, [.currentTemperature: .float(1e300)])]),
            ("Cup", [service(.temperatureSensor, [.currentTemperature: .float(-1e300)])]),
        ])
        #expect(hot.graph.home(there)?.rows().summary == "-1e+300 – 1e+300 °C")
    }

    // MARK: Redrawing

    @Test("redraws only affected rows")
    func redraw() throws {
        var (hub, id) = try home([
            (
                "Lamp",
                [service(.lightbulb, [.on: .bool(true)]), service(.battery, iid: 100, [.batteryLevel: .integer(9)])]
            ),
            ("Spot", [service(.lightbulb, [.on: .bool(true)]), service(.switch, iid: 100, [.on: .bool(true)])]),
        ])
        let old = try #require(hub.graph.home(id))
        #expect(old.redraw(since: nil) == .everything)
        #expect(old.redraw(since: old) == .nothing)
        let (lamp, spot) = (old.accessories[0], old.accessories[1])
        func rows(_ accessory: Accessory) -> Set<Service.ID> { Set(accessory.parts.map(\.id)) }
        func set(_ characteristic: Characteristic?, _ value: CharacteristicValue) throws -> Home {
            var hub = hub
            hub.graph.apply(
                .valueUpdated(try #require(characteristic).id, value, time: .init(millisecondsSince1970: 7)))
            return try #require(hub.graph.home(id))
        }
        let part = try #require(spot.services.last)
        #expect(try set(part.characteristic(.on), .bool(false)).redraw(since: old) == .rows([part.id]))
        let battery = try #require(lamp.services.last)
        #expect(try set(battery.characteristic(.batteryLevel), .integer(8)).redraw(since: old) == .rows(rows(lamp)))
        var away = hub
        away.graph.apply(.reachabilityUpdated(spot.id, false))
        #expect(away.graph.home(id)?.redraw(since: old) == .rows(rows(spot)))
        for write in [
            HomeWrite.renameAccessory(lamp.id, name: "Other"), .setFavorite(part.id, true), .addRoom(id, name: "Attic"),
            .renameHome(id, name: "House"),
        ] {
            var changed = hub
            try changed.perform(write)
            #expect(changed.graph.home(id)?.redraw(since: old) == .everything)
        }
        let other = try hub.home("Other")
        let same = try #require(hub.graph.home(id))
        #expect(same.redraw(since: old) == .nothing)
        #expect(hub.graph.homes.shown(nil)?.id == id)
        try hub.perform(.setPrimaryHome(other))
        #expect(hub.graph.homes.shown(nil)?.id == other)
        #expect(hub.graph.homes.shown(id)?.id == id)
        try hub.perform(.removeHome(id))
        #expect(hub.graph.homes.shown(id)?.id == other)
        #expect([Home]().shown(nil) == nil)
    }
}

extension Accessory {
    /// Returns the home with only the given accessory.
    fileprivate func home(with accessory: Accessory) -> Home {
        Home(id: home, name: "Home", defaultRoomID: room, accessories: [accessory])
    }
}
