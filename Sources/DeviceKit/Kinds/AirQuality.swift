internal import HAPModel

/// The concentrations above which a sensor detects gas, in parts per million.
///
/// The defaults are the same as in Home Assistant's bridge.
package struct GasThresholds: Equatable, Sendable {
    package var carbonMonoxide = 25.0
    package var carbonDioxide = 1000.0

    package init() {}
}

/// The values of air sensors that HAP requires and devices don't report.
enum AirQuality {
    /// HAP's levels, in order.
    static let words = ["unknown", "excellent", "good", "fair", "inferior", "poor"]

    /// The highest density of each level except the last, in micrograms per cubic meter.
    ///
    /// - Particles: the air quality index of the United States.
    /// - Nitrogen dioxide and volatile organic compounds: Home Assistant's bridge (`components/homekit/util.py`). Its
    ///   limits for the compounds are from the World Health Organization.
    /// - Ozone: the European Air Quality Index.
    private static let limits: [CharacteristicType: [Double]] = [
        .pm2_5Density: [9, 35.4, 55.4, 125.4],
        .pm10Density: [54, 154, 254, 354],
        .nitrogenDioxideDensity: [30, 60, 80, 90],
        .vocDensity: [250, 500, 1000, 3000],
        .ozoneDensity: [50, 100, 130, 240],
    ]

    /// The gases, with the characteristics of their level, alarm and highest level.
    private static let gases: [(level: CharacteristicType, detected: CharacteristicType, peak: CharacteristicType)] = [
        (.carbonMonoxideLevel, .carbonMonoxideDetected, .carbonMonoxidePeakLevel),
        (.carbonDioxideLevel, .carbonDioxideDetected, .carbonDioxidePeakLevel),
    ]

    /// Adds the characteristics that HAP requires, and the highest level since the start of the bridge.
    static func complete(_ function: inout AccessoryFunction) {
        for gas in gases where function.has(gas.level) {
            if !function.has(gas.detected) { function.add(gas.detected, .integer(0), at: 0) }
            guard !function.has(gas.peak) else { continue }
            let maximum = function.metadata(of: gas.level)?.maximum
            function.add(gas.peak, .integer(0))
            function = function.with(gas.peak) { $0.maximum = maximum }
        }
        if function.type == .airQualitySensor, !function.has(.airQuality) {
            function.add(.airQuality, .integer(0), at: 0)
        }
    }

    /// Updates the highest levels, and an air quality that the device no longer knows.
    ///
    /// - Returns: Whether the state has changed.
    static func update(_ state: inout DeviceState, after new: PropertyValues) -> Bool {
        var isChanged = false
        for (property, value) in new {
            if property.type == .airQuality, value == nil {
                isChanged = state.values.set(.integer(0), for: property) || isChanged
            }
            guard let gas = gases.first(where: { $0.level == property.type }), let value else { continue }
            let peak = Property(gas.peak, of: property.function)
            if (value.number ?? 0) > (state.values[peak]?.number ?? 0) {
                isChanged = state.values.set(value, for: peak) || isChanged
            }
        }
        return isChanged
    }

    /// Returns an alarm or the air quality, derived from the device's levels and densities.
    static func derived(
        _ type: CharacteristicType, of function: AccessoryFunction, in state: DeviceState
    ) -> CharacteristicValue? {
        if let gas = gases.first(where: { $0.detected == type }) {
            let level = state.values[Property(gas.level, of: function.id)]?.number
            let threshold =
                type == .carbonMonoxideDetected ? state.thresholds.carbonMonoxide : state.thresholds.carbonDioxide
            return level.map { .integer($0 > threshold ? 1 : 0) }
        }
        guard type == .airQuality else { return nil }
        let levels = function.parts.compactMap { part -> Int? in
            let property = Property(part.type, of: function.id)
            guard let limits = limits[part.type], state.knows(property), let density = state.values[property]?.number
            else { return nil }
            return (limits.firstIndex { density <= $0 } ?? limits.count) + 1
        }
        return .integer(Int64(levels.max() ?? 0))
    }
}
