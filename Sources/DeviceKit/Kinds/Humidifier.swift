package import HAPModel

extension LightKind {
    /// A humidifier or a dehumidifier.
    public static let humidifier = LightKind(
        "humidifier", plural: "humidifiers", title: "Humidifier", HumidifierRules(),
        [
            .on, humidity("humidity", .currentRelativeHumidity, target: .relativeHumidityHumidifierThreshold),
            humidity("humidifierThreshold", .relativeHumidityHumidifierThreshold),
            humidity("dehumidifierThreshold", .relativeHumidityDehumidifierThreshold),
            PropertyName(
                "activity", .currentHumidifierDehumidifierState, .choice(HumidifierActivity.allCases.map(\.rawValue))),
        ])
}

/// The activity of a humidifier or a dehumidifier, in the order of HAP's CurrentHumidifierDehumidifierState.
public enum HumidifierActivity: String, CaseIterable, Hashable, Sendable {
    /// The device is off.
    case inactive
    /// The device is on, and the humidity is as requested.
    case idle
    /// The device makes the air damper.
    case humidifying
    /// The device makes the air drier.
    case dehumidifying

    fileprivate var value: CharacteristicValue { .integer(Int64(Self.allCases.firstIndex(of: self) ?? 0)) }
}

extension PropertyContainer {
    /// The relative humidity in percent below which a humidifier humidifies.
    public var humidifierThreshold: Double? {
        get { values[.humidifierThreshold] }
        set { values[.humidifierThreshold] = newValue }
    }

    /// The relative humidity in percent above which a dehumidifier dehumidifies.
    public var dehumidifierThreshold: Double? {
        get { values[.dehumidifierThreshold] }
        set { values[.dehumidifierThreshold] = newValue }
    }

    /// The activity of a humidifier or a dehumidifier.
    public var humidifierActivity: HumidifierActivity? {
        get {
            guard let place = values[Property(.currentHumidifierDehumidifierState)].flatMap(Int.init) else {
                return nil
            }
            return HumidifierActivity.allCases.indices.contains(place) ? HumidifierActivity.allCases[place] : nil
        }
        set { values[Property(.currentHumidifierDehumidifierState)] = newValue?.value }
    }
}

extension CharacteristicKey<Double> {
    fileprivate static var humidifierThreshold: Self { Self(.relativeHumidityHumidifierThreshold) }
    fileprivate static var dehumidifierThreshold: Self { Self(.relativeHumidityDehumidifierThreshold) }
}

/// The features of a humidifier or a dehumidifier.
package struct HumidifierFeatures: Equatable, Sendable {
    /// A Boolean value that indicates whether the device dehumidifies; otherwise, it humidifies.
    package var dehumidifies = false
    /// The limits of the target in percent.
    package var humidities: ClosedRange<Double> = 0...100
    /// A Boolean value that indicates whether the device measures the humidity.
    package var measuresHumidity = true
    /// A Boolean value that indicates whether the device reports its activity.
    ///
    /// If it doesn't, its power and the humidity determine the activity.
    package var reportsActivity = false

    package init() {}

    /// The type of the target.
    package var target: CharacteristicType {
        dehumidifies ? .relativeHumidityDehumidifierThreshold : .relativeHumidityHumidifierThreshold
    }

    /// The HumidifierDehumidifier service.
    package var function: AccessoryFunction {
        let mode: Int64 = dehumidifies ? 2 : 1
        var parts = [AccessoryFunction.Part(.active, .integer(0))]
        if reportsActivity { parts.append(.init(.currentHumidifierDehumidifierState, .integer(0))) }
        parts.append(.init(.targetHumidifierDehumidifierState, .integer(mode)) { $0.validValues = [mode] })
        if measuresHumidity { parts.append(.init(.currentRelativeHumidity, .float(50))) }
        parts.append(.init(target, .float(50), within: humidities))
        return AccessoryFunction(.humidifierDehumidifier, id: nil, parts: parts)
    }
}

/// The rules of a humidifier or a dehumidifier.
struct HumidifierRules: DeviceRules {
    /// The largest difference between a requested and a rounded humidity, in percent.
    private static let tolerance = 1.0
    private static let mode = Property(.targetHumidifierDehumidifierState)

    private var targets: [CharacteristicType] = [.relativeHumidityHumidifierThreshold]
    /// A Boolean value that indicates whether the device has only one mode, which commands can't change.
    private var hasOneMode = true

    var power: CharacteristicType? { .active }

    func adapted(to functions: [AccessoryFunction]) -> any DeviceRules {
        guard let function = functions.first(where: { $0.type == .humidifierDehumidifier }) else { return self }
        var rules = self
        rules.targets = [.relativeHumidityHumidifierThreshold, .relativeHumidityDehumidifierThreshold]
            .filter(function.has)
        rules.hasOneMode = function.metadata(of: Self.mode.type)?.validValues?.count == 1
        return rules
    }

    func functions(_ capabilities: LightCapabilities) -> [AccessoryFunction] { [HumidifierFeatures().function] }

    var otherFunctions: [AccessoryFunction] {
        var features = HumidifierFeatures()
        features.dehumidifies = true
        return [features.function]
    }

    func shown(_ functions: [AccessoryFunction]) -> [AccessoryFunction] {
        functions.map { function in
            guard function.type == .humidifierDehumidifier else { return function }
            var shown = function
            for (type, value) in [
                (CharacteristicType.currentHumidifierDehumidifierState, CharacteristicValue.integer(0)),
                (.currentRelativeHumidity, .float(0)),
            ] where !shown.has(type) {
                shown.add(type, value)
            }
            // The Home app shows a shifted scale if the maximum is below 100 %. Values beyond the device's limits are
            // clamped.
            for type in [
                CharacteristicType.relativeHumidityHumidifierThreshold, .relativeHumidityDehumidifierThreshold,
            ] {
                shown = shown.with(type) { ($0.minimum, $0.maximum) = (0, 100) }
            }
            return shown
        }
    }

    func resembles(_ reported: PropertyValues, _ wanted: PropertyValues) -> Bool {
        for (property, value) in wanted {
            guard property.type != .on, let number = value?.number, let other = reported[property]?.number else {
                guard reported[property] == value else { return false }
                continue
            }
            guard (number - other).magnitude <= Self.tolerance else { return false }
        }
        return true
    }

    func command(_ written: PropertyValues, over state: DeviceState) -> PropertyValues {
        var command = written
        // The operator can also set the target by the name of the humidity.
        for target in targets where command[Property(target)] == nil {
            command[Property(target)] = command[Property(.currentRelativeHumidity)]
        }
        command.remove(Property(.currentRelativeHumidity))
        command.remove(Property(.currentHumidifierDehumidifierState))
        if hasOneMode { command.remove(Self.mode) }
        return command
    }

    func derived(
        _ type: CharacteristicType, of function: AccessoryFunction, in state: DeviceState
    ) -> CharacteristicValue? {
        let isDehumidifier = !function.has(.relativeHumidityHumidifierThreshold)
        let target = isDehumidifier ? state.values.dehumidifierThreshold : state.values.humidifierThreshold
        switch type {
        case .currentRelativeHumidity: return target.map { .float($0) }
        case .currentHumidifierDehumidifierState:
            guard state[.on] == true else { return HumidifierActivity.inactive.value }
            let current: Double? = state[.currentRelativeHumidity]
            let works = target.flatMap { target in current.map { isDehumidifier ? $0 > target : $0 < target } } ?? true
            let activity: HumidifierActivity = !works ? .idle : isDehumidifier ? .dehumidifying : .humidifying
            return activity.value
        default: return nil
        }
    }

    func isLasting(_ type: CharacteristicType) -> Bool {
        type != .currentHumidifierDehumidifierState && SensorReading(type)?.isMomentary != true
    }
}
