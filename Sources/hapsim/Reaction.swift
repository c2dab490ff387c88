import HAPModel

/// The reaction of a simulated device to a change by a controller or the operator.
struct Reaction: Equatable {
    /// The values that change immediately.
    var now: ServiceValues = [:]
    /// The characteristics whose motions end early.
    var stops: Set<CharacteristicType> = []
    /// The motions that begin.
    var motions: [Motion] = []
}

extension Reaction {
    /// A function that adds the behavior of a service type to a reaction.
    typealias Rule =
        @Sendable (
            inout Reaction, SimulatedService, _ changed: CharacteristicType, _ number: Double
        ) -> Void

    private static let rules: [ServiceType: Rule] = [
        .lockMechanism: lock, .garageDoorOpener: garageDoor, .door: cover, .window: cover, .windowCovering: cover,
        .slats: cover, .securitySystem: securitySystem, .thermostat: thermostat, .heaterCooler: heaterCooler,
        .humidifierDehumidifier: humidifier, .airPurifier: airPurifier, .fanv2: fan, .valve: valve,
        .filterMaintenance: filter, .carbonDioxideSensor: carbonDioxide, .carbonMonoxideSensor: carbonMonoxide,
        .airQualitySensor: airQuality, .television: television,
    ]

    /// Determines the reaction of a service to a change of one of its characteristics.
    ///
    /// - Parameters:
    ///   - changed: The characteristic.
    ///   - value: Its new value.
    ///   - service: The service, which already has the new value.
    init(to changed: CharacteristicType, _ value: CharacteristicValue, in service: SimulatedService) {
        guard let number = value.level else { return }
        Self.rules[service.type]?(&self, service, changed, number)
        if changed == .batteryLevel { now[.statusLowBattery] = .integer(number <= 20 ? 1 : 0) }
        for motion in motions where motion.seconds <= 0 {
            now.merge(motion.atEnd) { $1 }
            stops.insert(motion.subject)
        }
        motions.removeAll { $0.seconds <= 0 }
    }

    /// Adds a motion that counts the remaining duration down.
    mutating func countDown(from seconds: Double, atEnd: ServiceValues) {
        motions.append(
            Motion(
                subject: .remainingDuration, ramp: .init(from: seconds, to: 0), seconds: seconds,
                atEnd: atEnd.merging([.remainingDuration: .integer(0)]) { $1 }, isCountdown: true))
    }

    /// Adds a motion that sets a state after a delay.
    mutating func move(_ subject: CharacteristicType, to number: Double, in seconds: Double) {
        motions.append(Motion(subject: subject, seconds: seconds, atEnd: [subject: .integer(Int64(number))]))
    }

    private static func fan(
        _ reaction: inout Reaction, _ fan: SimulatedService, _ changed: CharacteristicType, _ number: Double
    ) {
        if changed == .active { reaction.now[.currentFanState] = .integer(number == 0 ? 0 : 2) }
    }

    private static func television(
        _ reaction: inout Reaction, _ television: SimulatedService, _ changed: CharacteristicType, _ number: Double
    ) {
        if changed == .targetMediaState { reaction.now[.currentMediaState] = .integer(Int64(number)) }
    }

    /// An alarm system arms after an exit delay and disarms immediately.
    private static func securitySystem(
        _ reaction: inout Reaction, _ alarm: SimulatedService, _ changed: CharacteristicType, _ number: Double
    ) {
        switch changed {
        case .securitySystemTargetState:
            reaction.move(.securitySystemCurrentState, to: number, in: number == 3 ? 0 : alarm.travel ?? 10)
        case .securitySystemCurrentState:
            reaction.stops.insert(.securitySystemCurrentState)
            // A triggered alarm (4) doesn't change the target state.
            if number < 4 { reaction.now[.securitySystemTargetState] = .integer(Int64(number)) }
        default: break
        }
    }

    /// A valve closes itself after the set duration.
    private static func valve(
        _ reaction: inout Reaction, _ valve: SimulatedService, _ changed: CharacteristicType, _ number: Double
    ) {
        guard [.active, .inUse].contains(changed) else { return }
        let (isOpen, closed) = (number != 0, CharacteristicValue.integer(0))
        let isRunning = changed == .active && valve[.inUse] == 1 && (valve[.remainingDuration] ?? 0) > 0
        if isOpen, isRunning { return }
        reaction.stops.insert(.remainingDuration)
        for state in [CharacteristicType.active, .inUse] where state != changed {
            reaction.now[state] = .integer(isOpen ? 1 : 0)
        }
        guard isOpen, let duration = valve[.setDuration], duration > 0 else {
            reaction.now[.remainingDuration] = closed
            return
        }
        reaction.now[.remainingDuration] = .integer(Int64(duration))
        reaction.countDown(from: duration, atEnd: [.active: closed, .inUse: closed])
    }
}

/// A service of a simulated device.
struct SimulatedService {
    let service: ServiceObject
    /// The duration of a move in seconds; `nil` for the usual duration of the service.
    let travel: Double?

    var type: ServiceType { service.type }

    /// The number of a characteristic, 1 or 0 for a Boolean; `nil` if it doesn't exist or can't be read.
    subscript(type: CharacteristicType) -> Double? {
        service.characteristics.first { $0.type == type }?.value?.level
    }
}

extension CharacteristicValue {
    /// The number, or 1 or 0 for a Boolean.
    fileprivate var level: Double? { bool.map { $0 ? 1 : 0 } ?? number }
}
