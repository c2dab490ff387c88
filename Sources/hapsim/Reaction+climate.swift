import HAPModel

// Devices that change the temperature, the humidity or the air of a room.
extension Reaction {
    /// A range in which a device keeps a measured value.
    private struct Climate {
        let reading: CharacteristicType
        let state: CharacteristicType
        /// The number below which the device raises the value.
        var low: Double?
        /// The number above which the device lowers the value.
        var high: Double?
        /// The values of `state` while the device is idle, raises the value, or lowers it.
        var idle: Int64
        var raising: Int64
        var lowering: Int64
        /// The time for a change by one degree or percent, in seconds.
        let pace: Double
    }

    /// Moves the measured value into the range, or makes the device idle if the value is already in the range.
    private mutating func keep(_ climate: Climate, in service: SimulatedService) {
        guard let present = service[climate.reading] else { return }
        stops.insert(climate.reading)
        let (goal, state): (Double?, Int64) =
            if let low = climate.low, present < low {
                (low, climate.raising)
            } else if let high = climate.high, present > high {
                (high, climate.lowering)
            } else {
                (nil, climate.idle)
            }
        now[climate.state] = .integer(state)
        guard let goal else { return }
        motions.append(
            Motion(
                subject: climate.reading, ramp: .init(from: present, to: goal),
                seconds: climate.pace * abs(goal - present),
                atEnd: [climate.reading: .float(goal), climate.state: .integer(climate.idle)]))
    }

    static func thermostat(
        _ reaction: inout Reaction, _ thermostat: SimulatedService, _ changed: CharacteristicType, _ number: Double
    ) {
        guard
            [
                .targetHeatingCoolingState, .targetTemperature, .heatingThresholdTemperature,
                .coolingThresholdTemperature, .currentTemperature,
            ].contains(changed)
        else { return }
        var climate = Climate(
            reading: .currentTemperature, state: .currentHeatingCoolingState, idle: 0, raising: 1, lowering: 2,
            pace: thermostat.travel ?? 2)
        let mode = thermostat[.targetHeatingCoolingState]
        let target = thermostat[.targetTemperature]
        if mode == 1 || mode == 3 { climate.low = target }
        if mode == 2 || mode == 3 { climate.high = target }
        if mode == 3, let low = thermostat[.heatingThresholdTemperature],
            let high = thermostat[.coolingThresholdTemperature]
        {
            (climate.low, climate.high) = (low, high)
        }
        reaction.keep(climate, in: thermostat)
    }

    static func heaterCooler(
        _ reaction: inout Reaction, _ device: SimulatedService, _ changed: CharacteristicType, _ number: Double
    ) {
        guard
            [
                .active, .targetHeaterCoolerState, .heatingThresholdTemperature, .coolingThresholdTemperature,
                .currentTemperature,
            ].contains(changed)
        else { return }
        let (isOn, mode) = (device[.active] == 1, device[.targetHeaterCoolerState])
        reaction.keep(
            Climate(
                reading: .currentTemperature, state: .currentHeaterCoolerState,
                low: isOn && mode != 2 ? device[.heatingThresholdTemperature] : nil,
                high: isOn && mode != 1 ? device[.coolingThresholdTemperature] : nil,
                idle: isOn ? 1 : 0, raising: 2, lowering: 3, pace: device.travel ?? 2),
            in: device)
    }

    static func humidifier(
        _ reaction: inout Reaction, _ device: SimulatedService, _ changed: CharacteristicType, _ number: Double
    ) {
        guard
            [
                .active, .targetHumidifierDehumidifierState, .relativeHumidityHumidifierThreshold,
                .relativeHumidityDehumidifierThreshold, .currentRelativeHumidity,
            ].contains(changed)
        else { return }
        let (isOn, mode) = (device[.active] == 1, device[.targetHumidifierDehumidifierState])
        reaction.keep(
            Climate(
                reading: .currentRelativeHumidity, state: .currentHumidifierDehumidifierState,
                low: isOn && mode != 2 ? device[.relativeHumidityHumidifierThreshold] : nil,
                high: isOn && mode != 1 ? device[.relativeHumidityDehumidifierThreshold] : nil,
                idle: isOn ? 1 : 0, raising: 2, lowering: 3, pace: device.travel ?? 1),
            in: device)
    }

    /// An automatic air purifier becomes idle when it has cleaned the air.
    static func airPurifier(
        _ reaction: inout Reaction, _ device: SimulatedService, _ changed: CharacteristicType, _ number: Double
    ) {
        guard [.active, .targetAirPurifierState].contains(changed) else { return }
        reaction.stops.insert(.currentAirPurifierState)
        let isOn = device[.active] == 1
        reaction.now[.currentAirPurifierState] = .integer(isOn ? 2 : 0)
        guard isOn, device[.targetAirPurifierState] == 1 else { return }
        reaction.move(.currentAirPurifierState, to: 1, in: device.travel ?? 10)
    }

    /// A filter must be changed at 10 % of its life, and resetting the indication means that the filter is new.
    static func filter(
        _ reaction: inout Reaction, _ filter: SimulatedService, _ changed: CharacteristicType, _ number: Double
    ) {
        switch changed {
        case .filterLifeLevel: reaction.now[.filterChangeIndication] = .integer(number <= 10 ? 1 : 0)
        case .resetFilterIndication:
            reaction.now = [.filterLifeLevel: .float(100), .filterChangeIndication: .integer(0)]
        default: break
        }
    }
}
