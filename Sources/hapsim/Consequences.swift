import HAPModel

/// The changes that follow a write to a target: a lock turns, a blind moves.
struct Consequences: Equatable {
    /// The values that change immediately.
    var now: [CharacteristicType: CharacteristicValue] = [:]
    /// The values that change when the move has ended.
    var atEnd: [CharacteristicType: CharacteristicValue] = [:]

    /// The current state that follows each target, where both have the same values.
    private static let equals: [CharacteristicType: CharacteristicType] = [
        .lockTargetState: .lockCurrentState, .targetDoorState: .currentDoorState, .targetPosition: .currentPosition,
        .securitySystemTargetState: .securitySystemCurrentState,
        .targetHorizontalTiltAngle: .currentHorizontalTiltAngle, .targetVerticalTiltAngle: .currentVerticalTiltAngle,
        .targetTiltAngle: .currentTiltAngle, .targetVisibilityState: .currentVisibilityState,
        .targetMediaState: .currentMediaState,
    ]

    /// Determines the consequences of a write to a service.
    init(of type: CharacteristicType, _ value: CharacteristicValue, in service: ServiceObject) {
        let number = value.number ?? 0
        func current(_ type: CharacteristicType) -> Double? {
            service.characteristics.first { $0.type == type }?.value?.number
        }
        if let state = Self.equals[type] { atEnd[state] = value }
        switch type {
        case .targetDoorState: now[.currentDoorState] = .integer(number == 0 ? 2 : 3)
        case .targetPosition:
            let position = current(.currentPosition) ?? number
            if position != number { now[.positionState] = .integer(number > position ? 1 : 0) }
            atEnd[.positionState] = .integer(2)
        case .targetHeatingCoolingState:
            // In automatic mode, the simulated device is idle.
            atEnd[.currentHeatingCoolingState] = .integer(number == 3 ? 0 : Int64(number))
        case .active where service.type == .valve: atEnd[.inUse] = value
        case .active where service.type == .airPurifier:
            atEnd[.currentAirPurifierState] = .integer(number == 0 ? 0 : 2)
        case .active where service.type == .fanv2: atEnd[.currentFanState] = .integer(number == 0 ? 0 : 2)
        case .active where service.type == .heaterCooler:
            atEnd[.currentHeaterCoolerState] = .integer(number == 0 ? 0 : 1)
        case .active where service.type == .humidifierDehumidifier:
            atEnd[.currentHumidifierDehumidifierState] = .integer(number == 0 ? 0 : 1)
        default: break
        }
    }
}
