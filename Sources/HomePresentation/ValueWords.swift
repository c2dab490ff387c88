import BoundedJSON
public import HAPModel
public import HomeModel
import Texts

extension Characteristic {
    /// Returns a value in words, in the language of the request: `72 %`, `21.5 °C`, `open`, `5 min`.
    ///
    /// Color temperatures are in kelvin, and insignificant digits are omitted. The text is for display, not for
    /// parsing.
    public func words(for value: CharacteristicValue) -> String {
        switch value {
        case .bool(let flag): type.localizedWords(for: flag ? 1 : 0) ?? (flag ? localized("yes") : localized("no"))
        case .integer(let number): type.localizedWords(for: number) ?? quantity(Double(number))
        case .unsigned(let number): "\(number)"
        case .float(let number): quantity(number)
        case .string(let text): text
        case .data(let bytes):
            bytes.isEmpty
                ? localized("empty")
                : localized("\(bytes.count) byte", plural: "\(bytes.count) bytes", count: bytes.count)
        }
    }

    /// The last received value in words; `nil` if no value was received.
    public var valueWords: String? { value.map(words) }

    private func quantity(_ number: Double) -> String {
        if type == .colorTemperature, number >= 1 {
            // People can't see differences of less than 50 kelvin.
            return "\(((1_000_000 / number / 50).rounded() * 50).rounded(toDigits: 0)) K"
        }
        switch unit {
        case .celsius: return "\(number.rounded(toDigits: 1)) °C"
        case .percentage: return "\(number.rounded(toDigits: 0)) %"
        case .arcdegrees: return "\(number.rounded(toDigits: 0))°"
        case .lux: return "\(number.rounded(toDigits: number < 10 ? 1 : 0)) lx"
        case .seconds: return Self.duration(number)
        case nil: break
        }
        guard let unit = conventionalUnit else { return number.rounded(toDigits: 2) }
        let digits = EveReading(type) == nil ? 0 : number.magnitude < 10 ? 2 : 1
        return "\(number.rounded(toDigits: digits)) \(unit)"
    }

    /// The symbol of the usual unit of a quantity for which HAP defines no unit; `nil` for other values.
    package var conventionalUnit: String? {
        if Self.partsPerMillion.contains(type) { return "ppm" }
        if Self.microgramsPerCubicMeter.contains(type) { return "µg/m³" }
        return Self.percentages.contains(type) ? "%" : EveReading(type)?.unit
    }

    /// The value's unit.
    ///
    /// Many accessories omit it, and HAP has no unit for some percentages.
    private var unit: CharacteristicUnit? {
        if let unit = metadata.unit { return unit }
        if Self.percentages.contains(type) { return .percentage }
        return CharacteristicDefinition.of(type)?.metadata.unit
    }

    /// Returns a duration in words, with at most two units: `1 h 2 min`.
    private static func duration(_ seconds: Double) -> String {
        guard seconds >= 60, seconds < 1e9 else { return localized("\(seconds.rounded(toDigits: 0)) s") }
        let whole = Int(seconds.rounded())
        let (days, hours, minutes) = (whole / 86_400, whole / 3600 % 24, whole / 60 % 60)
        let parts = [
            (days, localized("\(days) d")), (hours, localized("\(hours) h")), (minutes, localized("\(minutes) min")),
            (whole % 60, localized("\(whole % 60) s")),
        ]
        return parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }.map(\.1).joined(separator: " ")
    }

    /// Types that HAP 9 measures in percent without a unit.
    private static let percentages: Set<CharacteristicType> = [.filterLifeLevel, .waterLevel]

    /// Types that HAP 9 measures in parts per million, for which it defines no unit.
    private static let partsPerMillion: Set<CharacteristicType> = [
        .carbonDioxideLevel, .carbonDioxidePeakLevel, .carbonMonoxideLevel, .carbonMonoxidePeakLevel,
    ]

    /// Types that HAP 9 measures in micrograms per cubic meter, for which it defines no unit.
    private static let microgramsPerCubicMeter: Set<CharacteristicType> = [
        .airParticulateDensity, .nitrogenDioxideDensity, .ozoneDensity, .pm10Density, .pm2_5Density,
        .sulphurDioxideDensity, .vocDensity,
    ]
}

extension CharacteristicType {
    /// Returns the English word for a number of an enumeration, or for a Boolean as 0 or 1; `nil` for quantities.
    package func words(for number: Int64) -> String? {
        Self.plainWords[self]?[number]?.key ?? valueNames[number].map { $0.catalogueWords.lowercased() }
    }

    /// Returns the word for a number in the language of the request.
    func localizedWords(for number: Int64) -> String? { words(for: number).map { localized(key: $0) } }

    /// Returns the word for a number of an enumeration with dashes, as people type it.
    func typedWord(for number: Int64) -> String? { valueNames[number] == nil ? nil : words(for: number)?.dashedWords }

    /// Words in place of technical names in the catalog, and for Booleans, which have no names there.
    private static let plainWords: [CharacteristicType: [Int64: LocalizableText]] = [
        .active: [0: "off", 1: "on"],
        .airParticulateSize: [0: "PM2.5", 1: "PM10"],
        .carbonDioxideDetected: [0: "normal", 1: "too high"],
        .carbonMonoxideDetected: [0: "normal", 1: "too high"],
        .chargingState: [0: "not charging", 1: "charging", 2: "not rechargeable"],
        .contactSensorState: [0: "closed", 1: "open"],
        .currentAirPurifierState: [0: "off", 1: "idle", 2: "purifying"],
        .currentFanState: [0: "off", 1: "idle", 2: "running"],
        .currentHeaterCoolerState: [0: "off", 1: "idle", 2: "heating", 3: "cooling"],
        .currentHeatingCoolingState: [0: "off", 1: "heating", 2: "cooling"],
        .currentHumidifierDehumidifierState: [0: "off", 1: "idle", 2: "humidifying", 3: "dehumidifying"],
        .currentMediaState: [0: "playing", 1: "paused", 2: "stopped", 4: "loading", 5: "interrupted"],
        .filterChangeIndication: [0: "filter OK", 1: "change filter"],
        .inputSourceType: [
            1: "home screen", 3: "HDMI", 4: "composite video", 5: "S-Video", 7: "DVI", 8: "AirPlay", 9: "USB",
        ],
        .inUse: [0: "not running", 1: "running"],
        .leakDetected: [0: "dry", 1: "leak"],
        .lockCurrentState: [0: "unlocked", 1: "locked", 2: "jammed", 3: "unknown"],
        .lockPhysicalControls: [0: "unlocked", 1: "locked"],
        .lockTargetState: [0: "unlocked", 1: "locked"],
        .manuallyDisabled: [0: "enabled", 1: "disabled"],
        .motionDetected: [0: "no motion", 1: "motion"],
        .mute: [0: "not muted", 1: "muted"],
        .obstructionDetected: [0: "clear", 1: "obstructed"],
        .occupancyDetected: [0: "not occupied", 1: "occupied"],
        .on: [0: "off", 1: "on"],
        .outletInUse: [0: "not in use", 1: "in use"],
        .positionState: [0: "closing", 1: "opening", 2: "stopped"],
        .programMode: [0: "no program", 1: "program", 2: "manual"],
        .programmableSwitchEvent: [0: "pressed", 1: "pressed twice", 2: "held"],
        .rotationDirection: [0: "clockwise", 1: "counterclockwise"],
        .securitySystemCurrentState: [0: "armed, at home", 1: "armed, away", 2: "armed, night", 3: "off", 4: "alarm"],
        .securitySystemTargetState: [0: "armed, at home", 1: "armed, away", 2: "armed, night", 3: "off"],
        .smokeDetected: [0: "no smoke", 1: "smoke"],
        .statusActive: [0: "not working", 1: "working"],
        .statusFault: [0: "no fault", 1: "fault"],
        .statusJammed: [0: "not jammed", 1: "jammed"],
        .statusLowBattery: [0: "battery OK", 1: "battery low"],
        .statusTampered: [0: "not tampered with", 1: "tampered with"],
        .swingMode: [0: "not swinging", 1: "swinging"],
        .targetAirPurifierState: [0: "manual", 1: "automatic"],
        .targetFanState: [0: "manual", 1: "automatic"],
        .targetHeaterCoolerState: [0: "automatic", 1: "heat", 2: "cool"],
        .targetHeatingCoolingState: [0: "off", 1: "heat", 2: "cool", 3: "automatic"],
        .targetHumidifierDehumidifierState: [0: "automatic", 1: "humidify", 2: "dehumidify"],
        .temperatureDisplayUnits: [0: "°C", 1: "°F"],
        .volumeSelector: [0: "volume up", 1: "volume down"],
    ]
}

extension Double {
    /// Returns the number with up to the given number of decimal places, without trailing zeros.
    ///
    /// The number may be infinite or not a number.
    func rounded(toDigits digits: Int) -> String {
        let scale = [1.0, 10, 100][digits]
        let number = (self * scale).rounded() / scale
        guard number.magnitude < 1e15 else { return "\(self)" }
        // The conversion to an integer removes the minus sign of a negative zero.
        if let whole = Int64(exactly: number) { return "\(whole)" }
        return JSONValue.number(number).text.withDecimalSeparator
    }
}
