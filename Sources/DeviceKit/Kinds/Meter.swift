package import HAPModel

extension LightKind {
    /// A meter of power or energy that measures no other device of the bridge.
    ///
    /// Excluding this kind also hides the meter readings of other devices, such as the power of an outlet.
    public static let meter = LightKind(
        "meter", plural: "energy", title: "Meter", SensorRules(possible: readings), readings.map(\.name),
        isShownByDefault: false)
    private static let readings = SensorReading.allCases.filter { $0.isMeter || $0.isBattery }
}

extension SensorReading {
    /// Creates the reading of a meter's characteristic; `nil` for other characteristics.
    package init?(meter type: CharacteristicType) {
        guard EveReading(type) != nil else { return nil }
        self.init(type)
    }

    /// A Boolean value that indicates whether the reading comes from a meter.
    public var isMeter: Bool {
        switch self {
        case .power, .energy, .voltage, .current: true
        default: false
        }
    }

    /// Returns the number with the resolution that controllers get: a meter often reports smaller changes every second.
    func rounded(_ number: Double) -> Double {
        let steps = self == .energy || self == .current ? 100.0 : 10
        return (number * steps).rounded() / steps
    }

    /// Returns the value of a meter's characteristic, clamped and rounded, or `nil` if it isn't a finite number.
    func valid(_ value: CharacteristicValue) -> CharacteristicValue? {
        guard let number = value.number, number.isFinite else { return nil }
        return .float(rounded(min(max(number, range.lowerBound), range.upperBound)))
    }
}

extension AccessoryFunction {
    /// A Boolean value that indicates whether the function is only a meter.
    var isMeter: Bool { type == EveReading.service }

    /// The readings of the meter, which may be part of another function.
    package var meterReadings: [SensorReading] { parts.compactMap { SensorReading(meter: $0.type) } }
}

extension LightDescription {
    /// Adds a meter's readings to the first function, which is the measured function.
    package mutating func addMeter(_ readings: some Sequence<SensorReading>) {
        guard !functions.isEmpty else { return }
        for reading in readings.filter(\.isMeter).sorted() where !functions[0].has(reading.characteristic) {
            reading.add(to: &functions[0])
        }
    }

    /// Returns the property of a meter's reading.
    package func meterProperty(_ reading: SensorReading) -> Property {
        let function = functions.first { $0.has(reading.characteristic) } ?? functions.first
        return Property(reading.characteristic, of: function?.id)
    }

    /// A Boolean value that indicates whether a meter is part of the device.
    package var hasMeter: Bool { functions.contains { !$0.meterReadings.isEmpty } }

    /// Returns the description without the functions of excluded kinds.
    ///
    /// A sensor becomes a meter if it has only meter readings, or if its other readings are excluded.
    package func including(_ kinds: Set<LightKind>) -> LightDescription {
        guard hasMeter else { return self }
        var description = self
        if kind == .sensor {
            let others = functions.filter { !$0.isMeter && $0.type != .battery }
            if others.isEmpty || (kinds.contains(.meter) && !kinds.contains(.sensor)) {
                description.kind = .meter
                description.functions.removeAll { others.contains($0) }
            }
        }
        guard description.kind != .meter, !kinds.contains(.meter) else { return description }
        description.functions.removeAll(where: \.isMeter)
        for index in description.functions.indices {
            for type in EveReading.allCases.map(\.type) { description.functions[index].remove(type) }
        }
        return description
    }
}

extension PropertyContainer {
    /// Sets a meter's readings, as properties of a description.
    package mutating func setMeter(_ readings: [SensorReading: SensorValue], of description: LightDescription) {
        for (reading, value) in readings where reading.isMeter {
            let property = description.meterProperty(reading)
            if let value = reading.characteristicValue(value) {
                values[property] = value
            } else {
                values.setUnknown(property)
            }
        }
    }

    /// A Boolean value that indicates whether there are values and all of them are meter readings.
    package var areOfMeter: Bool { !values.isEmpty && values.allSatisfy { EveReading($0.property.type) != nil } }

    /// Removes the readings of a meter.
    package mutating func removeMeter() {
        for (property, _) in values where EveReading(property.type) != nil { values.remove(property) }
    }
}
