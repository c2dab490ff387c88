package import HAPModel

extension LightKind {
    /// A valve, a tap or an irrigation valve.
    public static let valve = LightKind(
        "valve", plural: "valves", title: "Valve", ValveRules(),
        [
            .on, PropertyName("duration", .setDuration, .whole(ValveRules.durations, unit: "seconds")),
            PropertyName("remaining", .remainingDuration, .whole(ValveRules.durations, unit: "seconds")),
        ])
}

/// The purpose of a valve, in the order of HAP's ValveType.
package enum ValvePurpose: Int64, Sendable {
    case generic, irrigation, shower, faucet
}

extension AccessoryFunction {
    /// Creates the function of a valve, which the bridge closes after a set duration.
    package static func valve(_ purpose: ValvePurpose = .generic) -> AccessoryFunction {
        let function = AccessoryFunction(
            .valve,
            [
                .active: .integer(0), .valveType: .integer(purpose.rawValue), .setDuration: .integer(0),
                .remainingDuration: .integer(0),
            ])
        // The catalog's maximum is an hour.
        return [.setDuration, .remainingDuration].reduce(function) { function, type in
            function.with(type) { $0.maximum = ValveRules.durations.upperBound }
        }
    }
}

extension AccessoryFunction {
    /// Creates the function of an irrigation system, whose values follow from its valves.
    ///
    /// - Parameter valves: The ids of the functions of the valves.
    /// - Returns: The function.
    package static func irrigationSystem(_ valves: [String]) -> AccessoryFunction {
        AccessoryFunction(.irrigationSystem, linked: valves, [.active: .integer(0)])
    }

    /// Returns the function of a valve as a part of an irrigation system.
    package func irrigationValve(_ id: String, name: String) -> AccessoryFunction {
        let name = AccessoryName.sanitized(name, fallback: LightKind.valve.title)
        var valve = AccessoryFunction(type, id: id, linked: linked, parts: parts)
        valve.remove(.valveType)
        valve.add(.valveType, .integer(ValvePurpose.irrigation.rawValue))
        valve.add(.name, .string(name))
        valve.add(.configuredName, .string(name))
        return valve
    }
}

extension CharacteristicType {
    /// A Boolean value that indicates whether the bridge itself stores the values that controllers write, such as
    /// names.
    package var isKeptByBridge: Bool { self == .configuredName || self == .setDuration }

    /// The end of a valve's run in seconds since 2001-01-01T00:00Z, which the bridge stores; no controller sees it.
    package static let runEnd = CharacteristicType(HAPType(apple: 0xFFFF_FF01))
}

/// The rules of a valve.
///
/// The bridge stores the set duration and ends each run itself, because controllers only display the countdown. With a
/// set duration of 0, the valve stays open. Unless the device reports In Use, an open valve is shown as in use, because
/// controllers show "Waiting" for a valve that is active but not in use.
///
/// An irrigation system is active while one of its valves is open. Switching it off closes all valves. Switching it on
/// has no effect, because it has no program.
struct ValveRules: DeviceRules {
    /// The ids of the functions of an irrigation system's valves; empty for a single valve.
    private var valves: [String] = []

    /// The durations of runs in seconds, up to Home Assistant's maximum of 48 hours.
    static let durations = 0.0...172_800

    var power: CharacteristicType? { .active }

    var memory: [CharacteristicType] { [.runEnd] }

    func functions(_ capabilities: LightCapabilities) -> [AccessoryFunction] { [.valve()] }

    var otherFunctions: [AccessoryFunction] { [.irrigationSystem([])] }

    func adapted(to functions: [AccessoryFunction]) -> any DeviceRules {
        var rules = self
        rules.valves = functions.first { $0.type == .irrigationSystem }?.linked ?? []
        return rules
    }

    func shown(_ functions: [AccessoryFunction]) -> [AccessoryFunction] {
        functions.map { function in
            if function.type == .irrigationSystem {
                var shown = function
                for type in [CharacteristicType.programMode, .inUse, .remainingDuration] {
                    shown.add(type, .integer(0))
                }
                return shown.with(.remainingDuration) { $0.maximum = Self.durations.upperBound }
            }
            guard function.type == .valve else { return function }
            var shown = function
            if !shown.has(.inUse) { shown.add(.inUse, .integer(0), at: 1) }
            if !shown.has(.valveType) { shown.add(.valveType, .integer(0)) }
            return shown
        }
    }

    func command(_ written: PropertyValues, over state: DeviceState) -> PropertyValues {
        let system = Property(.on)
        guard !valves.isEmpty, let isOn = written[system]?.bool else { return written }
        var command = written
        command.remove(system)
        guard !isOn else { return command }
        for id in valves {
            let valve = Property(.on, of: id)
            if !command.contains(valve), state.values[valve]?.bool != false { command[valve] = .bool(false) }
        }
        return command
    }

    func complete(_ reported: inout PropertyValues, over state: () -> DeviceState) {
        for (property, _) in reported
        where [.setDuration, .remainingDuration, .runEnd].contains(property.type) { reported.remove(property) }
    }

    func reconcile(_ state: inout DeviceState, after new: PropertyValues) -> Bool {
        var isChanged = false
        for (property, value) in new where property.type == .on {
            let use = Property(.inUse, of: property.function)
            guard state.values.contains(use), !new.contains(use), let isOpen = value?.bool else { continue }
            isChanged = state.values.set(.integer(isOpen ? 1 : 0), for: use) || isChanged
        }
        guard !valves.isEmpty else { return isChanged }
        let isOpen = valves.contains { state.values[Property(.on, of: $0)]?.bool == true }
        return state.values.set(.bool(isOpen), for: Property(.on)) || isChanged
    }

    func derived(
        _ type: CharacteristicType, of function: AccessoryFunction, in state: DeviceState
    ) -> CharacteristicValue? {
        if function.type == .irrigationSystem, type == .remainingDuration {
            return remaining(in: state)
        }
        guard type == .inUse else { return nil }
        return state.values[Property(.on, of: function.id)]?.bool.map { .integer($0 ? 1 : 0) }
    }

    /// Returns the remaining duration of an irrigation system, which is the longest of its valves, or `nil` for a valve.
    private func remaining(in state: DeviceState) -> CharacteristicValue? {
        guard !valves.isEmpty else { return nil }
        let left = valves.compactMap { state.values[Property(.remainingDuration, of: $0)]?.number }
        return .integer(Int64(left.max() ?? 0))
    }

    func isLasting(_ type: CharacteristicType) -> Bool {
        type != .remainingDuration && SensorReading(type)?.isMomentary != true
    }
}
