internal import AccessoryRole
internal import HAPModel
internal import LightKit

/// A sensor: the service that HAP has for each of its readings, and Battery.
///
/// A reading that the sensor does not know, or has never said, keeps its last value, and StatusActive says so; Battery has
/// no such characteristic.
struct SensorAdapter: AccessoryAdapter {
    /// Up to this much a battery without a word of its own is low, in percent; Home Assistant's limit.
    static let lowBattery = 20.0

    let description: LightDescription
    let name: String
    let ids: InstanceIDs

    private let information: Service
    /// By the reading that each is of.
    private let services: [(reading: SensorReading, service: AdaptedService)]
    private let battery: AdaptedService?

    /// Gives every part of the accessory its iid, new ones to parts that had none.
    init(description: LightDescription, name: String, ids: InstanceIDs) {
        self.description = description
        self.name = name
        var ids = ids
        information = AccessoryInformation(of: description, name: name, kind: "Sensor").service(&ids)
        let readings = description.capabilities.readings
        var services: [(SensorReading, AdaptedService)] = []
        for reading in readings.sorted() where !reading.isBattery {
            services.append((reading, AdaptedService(reading.service, [reading.characteristic, .statusActive], &ids)))
        }
        self.services = services
        if readings.contains(where: \.isBattery) {
            let level: [CharacteristicType] = readings.contains(.battery) ? [.batteryLevel] : []
            battery = AdaptedService(.battery, [.statusLowBattery] + level, &ids)
        } else {
            battery = nil
        }
        self.ids = ids
    }

    func accessory(_ aid: AccessoryID, state: LightState) -> Accessory {
        let values = Dictionary(values(of: state), uniquingKeysWith: { $1 })
        let sensors = services.enumerated().map { $1.service.service(values, isPrimary: $0 == 0) }
        let battery = battery.map { [$0.service(values, isPrimary: services.isEmpty)] } ?? []
        return Accessory(aid: aid, services: [information] + sensors + battery)
    }

    func values(of state: LightState) -> [(InstanceID, CharacteristicValue)] {
        var values: [(InstanceID, CharacteristicValue)] = []
        for (reading, service) in services {
            let value = state.readings[reading]
            if let iid = service.iid(of: reading.characteristic), let value {
                values.append((iid, reading.characteristicValue(value)))
            }
            if let iid = service.iid(of: .statusActive) {
                let isKnown = value != nil && !state.unknownReadings.contains(reading)
                values.append((iid, .bool(state.isReachable && isKnown)))
            }
        }
        guard let battery else { return values }
        var level: Double?
        if case .number(let percent)? = state.readings[.battery] { level = percent }
        if let iid = battery.iid(of: .statusLowBattery) {
            let isLow = state.readings[.batteryLow].map { $0 == .flag(true) } ?? level.map { $0 <= Self.lowBattery }
            values.append((iid, .integer(isLow == true ? 1 : 0)))
        }
        if let iid = battery.iid(of: .batteryLevel) {
            // Of a battery that has said nothing yet no controller is to warn.
            values.append((iid, .integer(Int64((level ?? 100).rounded()))))
        }
        return values
    }

    func command(for writes: [CharacteristicWrite], state: LightState) -> LightCommand { LightCommand() }

    func possible(_ command: LightCommand) -> LightCommand? { nil }
}

extension SensorReading {
    fileprivate var service: ServiceType {
        switch self {
        case .motion: .motionSensor
        case .contact: .contactSensor
        case .occupancy: .occupancySensor
        case .leak: .leakSensor
        case .smoke: .smokeSensor
        case .temperature: .temperatureSensor
        case .humidity: .humiditySensor
        case .illuminance: .lightSensor
        case .battery, .batteryLow: .battery
        }
    }

    fileprivate var characteristic: CharacteristicType {
        switch self {
        case .motion: .motionDetected
        case .contact: .contactSensorState
        case .occupancy: .occupancyDetected
        case .leak: .leakDetected
        case .smoke: .smokeDetected
        case .temperature: .currentTemperature
        case .humidity: .currentRelativeHumidity
        case .illuminance: .currentAmbientLightLevel
        case .battery: .batteryLevel
        case .batteryLow: .statusLowBattery
        }
    }

    /// The value as its characteristic has it.
    fileprivate func characteristicValue(_ value: SensorValue) -> CharacteristicValue {
        switch value {
        case .number(let number): .float(number)
        case .flag(let flag):
            switch self {
            case .motion: .bool(flag)
            // 0 is contact, 1 is none.
            case .contact: .integer(flag ? 0 : 1)
            default: .integer(flag ? 1 : 0)
            }
        // Never kept as a value.
        case .unknown: .integer(0)
        }
    }
}
