import HAPModel

// Sensors that derive a state from a measured density.
extension Reaction {
    static func carbonDioxide(
        _ reaction: inout Reaction, _ sensor: SimulatedService, _ changed: CharacteristicType, _ number: Double
    ) {
        guard changed == .carbonDioxideLevel else { return }
        reaction.now[.carbonDioxideDetected] = .integer(number > 1000 ? 1 : 0)
        reaction.now[.carbonDioxidePeakLevel] = .float(max(number, sensor[.carbonDioxidePeakLevel] ?? 0))
    }

    static func carbonMonoxide(
        _ reaction: inout Reaction, _ sensor: SimulatedService, _ changed: CharacteristicType, _ number: Double
    ) {
        guard changed == .carbonMonoxideLevel else { return }
        reaction.now[.carbonMonoxideDetected] = .integer(number > 25 ? 1 : 0)
        reaction.now[.carbonMonoxidePeakLevel] = .float(max(number, sensor[.carbonMonoxidePeakLevel] ?? 0))
    }

    /// Derives the air quality from the worst density.
    static func airQuality(
        _ reaction: inout Reaction, _ sensor: SimulatedService, _ changed: CharacteristicType, _ number: Double
    ) {
        guard densities[changed] != nil else { return }
        let levels = densities.compactMap { type, limits in
            sensor[type].map { density in 1 + limits.count { density > $0 } }
        }
        reaction.now[.airQuality] = levels.max().map { .integer(Int64($0)) }
    }

    /// The highest densities of excellent, good, fair and inferior air, in µg/m³.
    private static let densities: [CharacteristicType: [Double]] = [
        .pm2_5Density: [9, 35, 55, 125], .pm10Density: [54, 154, 254, 354], .vocDensity: [250, 500, 750, 900],
        .nitrogenDioxideDensity: [30, 60, 80, 90], .ozoneDensity: [50, 100, 130, 240],
    ]
}
