import HAPModel
import Testing

@testable import hapsim

@Suite("A simulated device")
struct ReactionTests {
    /// A service with values, a change of one of them, and the expected reaction.
    struct Case: CustomTestStringConvertible {
        let type: ServiceType
        let values: ServiceValues
        let changed: CharacteristicType
        let value: CharacteristicValue
        var now: ServiceValues = [:]
        var stops: Set<CharacteristicType> = []
        var motions: [Motion] = []

        init(
            _ type: ServiceType, _ values: ServiceValues, _ changed: CharacteristicType,
            _ value: CharacteristicValue, now: ServiceValues = [:], stops: Set<CharacteristicType> = [],
            motions: [Motion] = []
        ) {
            (self.type, self.values, self.changed, self.value) = (type, values, changed, value)
            (self.now, self.stops, self.motions) = (now, stops, motions)
        }

        var testDescription: String { "\(type) \(changed) \(value) with \(values)" }
    }

    private static func reaction(_ one: Case, travel: Double? = nil) -> Reaction {
        let values = one.values.merging([one.changed: one.value]) { $1 }
        let characteristics = values.map { type, value in
            CharacteristicObject(
                iid: InstanceID(1), type: type,
                metadata: CharacteristicMetadata(format: .uint8, permissions: [.pairedRead]), value: value)
        }
        let service = ServiceObject(iid: InstanceID(1), type: one.type, characteristics: characteristics)
        return Reaction(to: one.changed, one.value, in: SimulatedService(service: service, travel: travel))
    }

    private static func turn(
        _ subject: CharacteristicType, to number: Int64, in seconds: Double
    ) -> Motion { Motion(subject: subject, seconds: seconds, atEnd: [subject: .integer(number)]) }

    private static func ramp(
        _ subject: CharacteristicType, _ from: Double, _ to: Double, _ seconds: Double, _ atEnd: ServiceValues
    ) -> Motion { Motion(subject: subject, ramp: .init(from: from, to: to), seconds: seconds, atEnd: atEnd) }

    private static let cases: [Case] = [
        // Locks.
        Case(
            .lockMechanism, [.lockCurrentState: .integer(1)], .lockTargetState, .integer(0),
            motions: [turn(.lockCurrentState, to: 0, in: 1)]),
        Case(.lockMechanism, [.lockCurrentState: .integer(2)], .lockTargetState, .integer(0)),
        Case(.lockMechanism, [:], .lockCurrentState, .integer(2), stops: [.lockCurrentState]),
        Case(
            .lockMechanism, [:], .lockCurrentState, .integer(0), now: [.lockTargetState: .integer(0)],
            stops: [.lockCurrentState]),
        // Garage doors.
        Case(
            .garageDoorOpener, [.currentDoorState: .integer(1)], .targetDoorState, .integer(0),
            now: [.targetDoorState: .integer(0), .currentDoorState: .integer(2)],
            motions: [turn(.currentDoorState, to: 0, in: 8)]),
        Case(
            .garageDoorOpener, [.currentDoorState: .integer(3)], .obstructionDetected, .bool(true),
            now: [.targetDoorState: .integer(0), .currentDoorState: .integer(2)],
            motions: [turn(.currentDoorState, to: 0, in: 8)]),
        Case(
            .garageDoorOpener, [.currentDoorState: .integer(0), .obstructionDetected: .bool(true)], .targetDoorState,
            .integer(1), now: [.targetDoorState: .integer(0)], stops: [.currentDoorState]),
        Case(
            .garageDoorOpener, [:], .currentDoorState, .integer(1), now: [.targetDoorState: .integer(1)],
            stops: [.currentDoorState]),
        // Blinds.
        Case(
            .windowCovering, [.currentPosition: .integer(40)], .targetPosition, .integer(70),
            now: [.positionState: .integer(1)],
            motions: [
                ramp(.currentPosition, 40, 70, 3, [.currentPosition: .integer(70), .positionState: .integer(2)])
            ]),
        Case(
            .window, [.currentPosition: .integer(40)], .targetPosition, .integer(40),
            now: [.positionState: .integer(2), .targetPosition: .integer(40)], stops: [.currentPosition]),
        Case(
            .windowCovering,
            [
                .currentPosition: .integer(40), .currentHorizontalTiltAngle: .integer(-30),
                .targetPosition: .integer(100),
            ], .holdPosition, .bool(true),
            now: [
                .positionState: .integer(2), .targetPosition: .integer(40),
                .targetHorizontalTiltAngle: .integer(-30),
            ],
            stops: [
                .currentPosition, .currentHorizontalTiltAngle, .currentVerticalTiltAngle, .currentTiltAngle,
            ]),
        Case(
            .door, [.currentPosition: .integer(40)], .obstructionDetected, .bool(true),
            now: [.positionState: .integer(2), .targetPosition: .integer(40)], stops: [.currentPosition]),
        Case(
            .windowCovering, [:], .currentPosition, .integer(12),
            now: [.positionState: .integer(2), .targetPosition: .integer(12)], stops: [.currentPosition]),
        Case(
            .windowCovering, [.currentHorizontalTiltAngle: .integer(-90)], .targetHorizontalTiltAngle, .integer(90),
            motions: [ramp(.currentHorizontalTiltAngle, -90, 90, 2, [.currentHorizontalTiltAngle: .integer(90)])]),
        // Alarms.
        Case(
            .securitySystem, [.securitySystemCurrentState: .integer(3)], .securitySystemTargetState, .integer(1),
            motions: [turn(.securitySystemCurrentState, to: 1, in: 10)]),
        Case(
            .securitySystem, [.securitySystemCurrentState: .integer(4)], .securitySystemTargetState, .integer(3),
            now: [.securitySystemCurrentState: .integer(3)], stops: [.securitySystemCurrentState]),
        Case(.securitySystem, [:], .securitySystemCurrentState, .integer(4), stops: [.securitySystemCurrentState]),
        Case(
            .securitySystem, [:], .securitySystemCurrentState, .integer(2),
            now: [.securitySystemTargetState: .integer(2)], stops: [.securitySystemCurrentState]),
        // Climate.
        Case(
            .thermostat, [.currentTemperature: .float(18), .targetHeatingCoolingState: .integer(1)],
            .targetTemperature, .float(21), now: [.currentHeatingCoolingState: .integer(1)],
            stops: [.currentTemperature],
            motions: [
                ramp(
                    .currentTemperature, 18, 21, 6,
                    [.currentTemperature: .float(21), .currentHeatingCoolingState: .integer(0)])
            ]),
        Case(
            .thermostat, [.targetTemperature: .float(21), .currentTemperature: .float(18)],
            .targetHeatingCoolingState, .integer(0), now: [.currentHeatingCoolingState: .integer(0)],
            stops: [.currentTemperature]),
        Case(
            .thermostat,
            [
                .targetHeatingCoolingState: .integer(3), .targetTemperature: .float(21),
                .heatingThresholdTemperature: .float(19), .coolingThresholdTemperature: .float(25),
            ], .currentTemperature, .float(26), now: [.currentHeatingCoolingState: .integer(2)],
            stops: [.currentTemperature],
            motions: [
                ramp(
                    .currentTemperature, 26, 25, 2,
                    [.currentTemperature: .float(25), .currentHeatingCoolingState: .integer(0)])
            ]),
        Case(
            .heaterCooler,
            [
                .active: .integer(1), .currentTemperature: .float(23), .heatingThresholdTemperature: .float(20),
                .coolingThresholdTemperature: .float(25),
            ], .targetHeaterCoolerState, .integer(0), now: [.currentHeaterCoolerState: .integer(1)],
            stops: [.currentTemperature]),
        Case(
            .humidifierDehumidifier,
            [
                .currentRelativeHumidity: .float(40), .targetHumidifierDehumidifierState: .integer(1),
                .relativeHumidityHumidifierThreshold: .float(50),
            ], .active, .integer(1), now: [.currentHumidifierDehumidifierState: .integer(2)],
            stops: [.currentRelativeHumidity],
            motions: [
                ramp(
                    .currentRelativeHumidity, 40, 50, 10,
                    [.currentRelativeHumidity: .float(50), .currentHumidifierDehumidifierState: .integer(1)])
            ]),
        Case(
            .airPurifier, [.targetAirPurifierState: .integer(1)], .active, .integer(1),
            now: [.currentAirPurifierState: .integer(2)], stops: [.currentAirPurifierState],
            motions: [turn(.currentAirPurifierState, to: 1, in: 10)]),
        Case(
            .filterMaintenance, [:], .filterLifeLevel, .float(10), now: [.filterChangeIndication: .integer(1)]),
        Case(
            .filterMaintenance, [:], .resetFilterIndication, .integer(1),
            now: [.filterLifeLevel: .float(100), .filterChangeIndication: .integer(0)]),
        // Water.
        Case(
            .valve, [.setDuration: .integer(60)], .active, .integer(1),
            now: [.inUse: .integer(1), .remainingDuration: .integer(60)], stops: [.remainingDuration],
            motions: [
                Motion(
                    subject: .remainingDuration, ramp: .init(from: 60, to: 0), seconds: 60,
                    atEnd: [.active: .integer(0), .inUse: .integer(0), .remainingDuration: .integer(0)],
                    isCountdown: true)
            ]),
        Case(
            .valve, [.setDuration: .integer(60), .inUse: .integer(1), .remainingDuration: .integer(9)], .active,
            .integer(1)),
        Case(
            .valve, [.inUse: .integer(1)], .active, .integer(0),
            now: [.inUse: .integer(0), .remainingDuration: .integer(0)], stops: [.remainingDuration]),
        // Sensors.
        Case(
            .carbonDioxideSensor, [.carbonDioxidePeakLevel: .float(900)], .carbonDioxideLevel, .float(1200),
            now: [.carbonDioxideDetected: .integer(1), .carbonDioxidePeakLevel: .float(1200)]),
        Case(
            .carbonMonoxideSensor, [.carbonMonoxidePeakLevel: .float(30)], .carbonMonoxideLevel, .float(5),
            now: [.carbonMonoxideDetected: .integer(0), .carbonMonoxidePeakLevel: .float(30)]),
        Case(
            .airQualitySensor, [.vocDensity: .float(100)], .pm2_5Density, .float(40),
            now: [.airQuality: .integer(3)]),
        Case(.battery, [:], .batteryLevel, .integer(12), now: [.statusLowBattery: .integer(1)]),
    ]

    @Test("reacts to a change like a real device", arguments: cases)
    func reacts(one: Case) {
        let reaction = Self.reaction(one)
        #expect(reaction.now == one.now)
        #expect(reaction.stops == one.stops)
        #expect(reaction.motions == one.motions)
    }

    @Test("reaches its target immediately without a travel time")
    func immediate() {
        let lock = Self.reaction(Case(.lockMechanism, [:], .lockTargetState, .integer(1)), travel: 0)
        #expect(lock.now == [.lockCurrentState: .integer(1)] && lock.motions.isEmpty)
    }

    @Test("calculates the values between the ends of a motion") func ramps() {
        let ramp = Motion.Ramp(from: 40, to: 20)
        #expect(ramp.number(after: 0.25) == 35 && ramp.number(after: 2) == 20)
    }
}
