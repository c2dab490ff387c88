package import HAPModel

extension LightKind {
    /// An air purifier, with its filter.
    public static let airPurifier = LightKind(
        "air-purifier", plural: "air-purifiers", title: "Air Purifier", AirPurifierRules(),
        [
            .on, PropertyName("speed", .rotationSpeed, .whole(0...100, unit: "percent")),
            PropertyName("mode", .targetAirPurifierState, .choice(["manual", "auto"])),
            PropertyName("activity", .currentAirPurifierState, .choice(["inactive", "idle", "purifying"])),
            PropertyName("filterLife", .filterLifeLevel, .number(0...100, unit: "percent", symbol: " %")),
            PropertyName(
                "filterChange", .filterChangeIndication, .flag(yes: "filter used up", no: "filter not used up")),
        ])
}

extension PropertyContainer {
    /// A Boolean value that indicates whether an air purifier chooses its speed itself.
    public var purifiesAutomatically: Bool? {
        get { values[Property(.targetAirPurifierState)].flatMap(Bool.init) }
        set { values[Property(.targetAirPurifierState)] = newValue.map { .integer($0 ? 1 : 0) } }
    }

    /// The remaining life of an air purifier's filter in percent.
    public var filterLife: Double? {
        get { values[AirPurifierFeatures.life]?.number }
        set { values[AirPurifierFeatures.life] = newValue.map { .float($0) } }
    }

    /// A Boolean value that indicates whether an air purifier's filter must be replaced.
    public var needsNewFilter: Bool? {
        get { values[AirPurifierFeatures.change].flatMap(Bool.init) }
        set { values[AirPurifierFeatures.change] = newValue.map { .integer($0 ? 1 : 0) } }
    }
}

/// The features of an air purifier.
package struct AirPurifierFeatures: Equatable, Sendable {
    private static let filter = "filter"
    static let life = Property(.filterLifeLevel, of: filter)
    static let change = Property(.filterChangeIndication, of: filter)

    /// A Boolean value that indicates whether the speed can be set.
    package var hasSpeed = true
    /// A Boolean value that indicates whether the purifier can choose its speed itself.
    package var hasAuto = true
    /// A Boolean value that indicates whether the purifier reports the remaining life of its filter.
    package var reportsFilterLife = true
    /// A Boolean value that indicates whether the purifier reports that its filter must be replaced.
    package var reportsFilterChange = false

    package init() {}

    /// The AirPurifier service and, if the purifier reports the state of its filter, the FilterMaintenance service.
    package var functions: [AccessoryFunction] {
        let modes: [Int64] = hasAuto ? [0, 1] : [0]
        var parts = [
            AccessoryFunction.Part(.active, .integer(0)),
            .init(.targetAirPurifierState, .integer(0)) { $0.validValues = modes },
        ]
        if hasSpeed { parts.append(.init(.rotationSpeed, .float(100))) }
        guard reportsFilterLife || reportsFilterChange else {
            return [AccessoryFunction(.airPurifier, id: nil, parts: parts)]
        }
        var filter: [AccessoryFunction.Part] = []
        if reportsFilterChange { filter.append(.init(.filterChangeIndication, .integer(0))) }
        if reportsFilterLife { filter.append(.init(.filterLifeLevel, .float(100))) }
        return [
            AccessoryFunction(.airPurifier, id: nil, linked: [Self.filter], parts: parts),
            AccessoryFunction(.filterMaintenance, id: Self.filter, parts: filter),
        ]
    }
}

/// The rules of an air purifier.
///
/// Its power and its speed follow the rules of a fan.
struct AirPurifierRules: DeviceRules {
    /// The remaining life in percent below which a filter must be replaced, as in Home Assistant.
    private static let leastLife = 10.0
    private let fan = FanRules()

    var power: CharacteristicType? { fan.power }

    func functions(_ capabilities: LightCapabilities) -> [AccessoryFunction] { AirPurifierFeatures().functions }

    /// Adds the state characteristics, without which the Home app shows a purifier as "turning on" forever.
    func shown(_ functions: [AccessoryFunction]) -> [AccessoryFunction] {
        functions.map { function in
            var shown = function
            switch function.type {
            case .airPurifier:
                if !shown.has(.currentAirPurifierState) { shown.add(.currentAirPurifierState, .integer(0)) }
                if !shown.has(.targetAirPurifierState) {
                    shown.add(.targetAirPurifierState, .integer(0))
                    shown = shown.with(.targetAirPurifierState) { $0.validValues = [0] }
                }
            case .filterMaintenance:
                if !shown.has(.filterChangeIndication) { shown.add(.filterChangeIndication, .integer(0), at: 0) }
            default: break
            }
            return shown
        }
    }

    func valid(
        _ value: CharacteristicValue, of property: Property, _ metadata: CharacteristicMetadata
    ) -> CharacteristicValue? { fan.valid(value, of: property, metadata) }

    func command(_ written: PropertyValues, over state: DeviceState) -> PropertyValues {
        var command = fan.command(written, over: state)
        command.remove(Property(.currentAirPurifierState))
        // Setting a speed ends the automatic mode. In the automatic mode, the purifier chooses the speed.
        if command.purifiesAutomatically == true {
            command.remove(Property(.rotationSpeed))
        } else if command.speed != nil, state.values.purifiesAutomatically == true {
            command.purifiesAutomatically = false
        }
        return command
    }

    func derived(
        _ type: CharacteristicType, of function: AccessoryFunction, in state: DeviceState
    ) -> CharacteristicValue? {
        switch type {
        case .currentAirPurifierState: return .integer(state[.on] == true ? 2 : 0)
        case .filterChangeIndication:
            let life = state.values[Property(.filterLifeLevel, of: function.id)]?.number
            return life.map { .integer($0 < Self.leastLife ? 1 : 0) }
        default: return nil
        }
    }

    func isLasting(_ type: CharacteristicType) -> Bool {
        type != .currentAirPurifierState && SensorReading(type)?.isMomentary != true
    }
}
