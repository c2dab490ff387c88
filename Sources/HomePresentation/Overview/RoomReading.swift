public import HAPModel
public import HomeModel
import Texts

/// A measurement or a detection of a room, combined from all sensors of one kind.
public struct RoomReading: Sendable, Hashable, Identifiable {
    /// The kind of sensor, whose icon represents the reading.
    public var kind: ServiceType
    /// The reading in English, such as `21.5 °C`, `14–22 °C`, `motion` or `2 open`.
    public var words: String
    /// A Boolean value that indicates whether something was detected or is open.
    public var isActive: Bool
    /// A Boolean value that indicates whether the reading needs attention, such as a leak.
    public var isAlert: Bool
    /// The services that the reading combines.
    public var services: [Service.ID]

    /// The reading's kind.
    public var id: ServiceType { kind }

    /// The name of the measurement in English, such as `Temperature`.
    public var title: String {
        let name = kind.localizedDescription
        return localized(key: name.hasSuffix(" Sensor") ? String(name.dropLast(7)) : name)
    }

    /// A Boolean value that indicates whether the reading is of interest in a summary: a measurement, or a detection.
    ///
    /// A dry leak sensor isn't.
    public var isNotable: Bool { isActive || isAlert || Self.measurements.contains(kind) }

    private static let measurements: Set<ServiceType> = [
        .temperatureSensor, .humiditySensor, .airQualitySensor, .carbonDioxideSensor, .lightSensor,
    ]
}

extension Home {
    /// Returns the readings of a room: climate, then light, then detections.
    ///
    /// Thermostats and other devices contribute their measured temperature and humidity. Accessories with a problem are
    /// omitted.
    public func readings(in room: Room.ID) -> [RoomReading] {
        let accessories = accessories.filter { $0.room == room && $0.problem == nil }
        return RoomReading.order.compactMap { reading($0, of: accessories) }
    }

    /// Returns the rows of a room's sensors in display order.
    public func sensors(in room: Room.ID) -> [ServiceRow] {
        accessories.filter { $0.room == room }.flatMap { accessory in
            accessory.sensors.map { service in
                var row = accessory.row(of: service)
                if accessory.sensors.count == 1, accessory.tiles.isEmpty {
                    (row.name, row.accessoryName) = (accessory.name, nil)
                }
                return row
            }
        }.sortedForProduct
    }

    private func reading(_ kind: ServiceType, of accessories: [Accessory]) -> RoomReading? {
        var services: [Service.ID] = []
        var numbers: [Characteristic] = []
        // Temperatures in a fridge or in a sauna, which aren't the climate of the room.
        var others: [Characteristic] = []
        var states: [ServiceState] = []
        let measured = RoomReading.quantities[kind]
        for accessory in accessories {
            for service in accessory.parts where measured != nil || service.type == kind {
                if let measured {
                    guard let value = service.characteristic(measured), let number = value.value?.number else {
                        continue
                    }
                    let isOfRoom =
                        measured != .currentTemperature || service.type != kind
                        || HomeStatus.roomTemperatures.contains(number)
                    if isOfRoom { numbers.append(value) } else { others.append(value) }
                } else {
                    let state = accessory.state(of: service)
                    guard state != .unknown else { continue }
                    states.append(state)
                }
                services.append(service.id)
            }
        }
        if measured != nil {
            guard let words = numbers.rangeWords ?? others.rangeWords else { return nil }
            return RoomReading(kind: kind, words: words, isActive: false, isAlert: false, services: services)
        }
        guard let worst = states.first(where: \.isAlert) ?? states.first(where: \.isActive) ?? states.first else {
            return nil
        }
        let count = states.count(where: \.isActive)
        let words = kind == .contactSensor && count > 1 ? localized("\(count) open") : worst.words
        return RoomReading(
            kind: kind, words: words, isActive: worst.isActive, isAlert: worst.isAlert, services: services)
    }
}

extension RoomReading {
    fileprivate static let order: [ServiceType] = [
        .temperatureSensor, .humiditySensor, .airQualitySensor, .carbonDioxideSensor, .lightSensor, .motionSensor,
        .occupancySensor, .contactSensor, .leakSensor, .smokeSensor, .carbonMonoxideSensor,
    ]

    /// The measured value of kinds that measure a quantity.
    fileprivate static let quantities: [ServiceType: CharacteristicType] = [
        .temperatureSensor: .currentTemperature, .humiditySensor: .currentRelativeHumidity,
        .lightSensor: .currentAmbientLightLevel,
    ]
}

extension Collection<Characteristic> {
    /// The values in words, such as `21.5 °C`, `14–22 °C` or `-3 to 5 °C`; `nil` without numbers.
    var rangeWords: String? {
        let known = filter { $0.value?.number != nil }.sorted { ($0.value?.number ?? 0) < ($1.value?.number ?? 0) }
        guard let low = known.first, let high = known.last, let lowest = low.value?.number,
            let highest = high.value?.number
        else { return nil }
        let ends = [lowest, highest].map { $0.rounded(toDigits: 0) }
        guard ends[0] != ends[1] else { return high.valueWords }
        let end = high.words(for: .float(highest.rounded()))
        return lowest < 0 ? localized("\(ends[0]) to \(end)") : "\(ends[0])–\(end)"
    }
}
