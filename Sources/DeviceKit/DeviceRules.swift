package import HAPModel

/// The rules for the values of a kind of device, in addition to those in HAP's catalog.
///
/// The default implementations fit devices whose values don't depend on each other and have the catalog's ranges.
package protocol DeviceRules: Sendable {
    /// The characteristic that switches the device on and off.
    ///
    /// The bridge always stores its value as On.
    ///
    /// Values that are requested together with "off" are held until the next "on".
    var power: CharacteristicType? { get }

    /// The time after a command during which newer commands are collected, so that only the last values are sent.
    ///
    /// Devices such as motors need a pause.
    var pause: Duration { get }

    /// The target that the device reports as soon as it reacts to a command, and the time limit for this reaction;
    /// `nil` for devices that execute commands immediately.
    ///
    /// A command without a reaction isn't repeated, because the second command could stop a motor. After the time
    /// limit, the device is considered to be at rest.
    var reaction: (target: Property, time: Duration)? { get }

    /// Returns the values of a device at rest, except for its targets.
    func rest(_ state: DeviceState) -> PropertyValues

    /// The values that the bridge stores with the state of a device although controllers don't see them.
    var memory: [CharacteristicType] { get }

    /// The functions of this kind of device that capabilities can't describe.
    var otherFunctions: [AccessoryFunction] { get }

    /// Returns the functions of a device with these capabilities.
    func functions(_ capabilities: LightCapabilities) -> [AccessoryFunction]

    /// Returns the rules for a device with these functions.
    func adapted(to functions: [AccessoryFunction]) -> any DeviceRules

    /// Returns the functions as controllers see them, with all characteristics that HAP requires.
    func shown(_ functions: [AccessoryFunction]) -> [AccessoryFunction]

    /// Returns a value in the property's format and range, rounded or clamped if necessary, or `nil` if no device of
    /// this kind can have it.
    func valid(_ value: CharacteristicValue, of property: Property, _ metadata: CharacteristicMetadata)
        -> CharacteristicValue?

    /// Returns whether reported values confirm commanded values, which may differ by the device's rounding.
    ///
    /// - Parameters:
    ///   - reported: Values of one ``Property/group``.
    ///   - wanted: The commanded values of the same group.
    /// - Returns: Whether they are equal except for rounding.
    func resembles(_ reported: PropertyValues, _ wanted: PropertyValues) -> Bool

    /// Returns whether a command may be sent again if the device sends no report.
    func mayRepeat(_ command: PropertyValues) -> Bool

    /// Returns the command for the values of a write request.
    ///
    /// - Parameters:
    ///   - written: The values, within their limits.
    ///   - state: The device's state as it will be after the pending commands.
    /// - Returns: The command's values.
    func command(_ written: PropertyValues, over state: DeviceState) -> PropertyValues

    /// Adds the values that follow from reported values, such as the target of a device that has stopped.
    ///
    /// - Parameters:
    ///   - reported: The values of a report.
    ///   - state: Returns the device's state as it will be after the pending commands.
    func complete(_ reported: inout PropertyValues, over state: () -> DeviceState)

    /// Returns the values of a device that has executed a command.
    func outcome(of command: PropertyValues) -> PropertyValues

    /// Updates the values of a state that depend on other values.
    ///
    /// - Returns: Whether the state has changed.
    func reconcile(_ state: inout DeviceState, after new: PropertyValues) -> Bool

    /// Returns the value of a characteristic that is computed from other values, or `nil` if the value isn't computed.
    func derived(_ type: CharacteristicType, of function: AccessoryFunction, in state: DeviceState)
        -> CharacteristicValue?

    /// Returns whether a value stays valid after a restart.
    func isLasting(_ type: CharacteristicType) -> Bool
}

extension DeviceRules {
    package var power: CharacteristicType? { nil }

    package var pause: Duration { .zero }

    package var reaction: (target: Property, time: Duration)? { nil }

    package func rest(_ state: DeviceState) -> PropertyValues {
        guard let target = reaction?.target else { return PropertyValues() }
        var values = state.values.members(of: target)
        values.remove(target)
        return values
    }

    package var memory: [CharacteristicType] { [] }

    package var otherFunctions: [AccessoryFunction] { [] }

    package func adapted(to functions: [AccessoryFunction]) -> any DeviceRules { self }

    package func shown(_ functions: [AccessoryFunction]) -> [AccessoryFunction] { functions }

    package func valid(
        _ value: CharacteristicValue, of property: Property, _ metadata: CharacteristicMetadata
    ) -> CharacteristicValue? { metadata.clamped(value) }

    package func resembles(_ reported: PropertyValues, _ wanted: PropertyValues) -> Bool { reported == wanted }

    package func mayRepeat(_ command: PropertyValues) -> Bool { true }

    package func command(_ written: PropertyValues, over state: DeviceState) -> PropertyValues { written }

    package func complete(_ reported: inout PropertyValues, over state: () -> DeviceState) {}

    package func outcome(of command: PropertyValues) -> PropertyValues { command }

    package func reconcile(_ state: inout DeviceState, after new: PropertyValues) -> Bool { false }

    package func derived(
        _ type: CharacteristicType, of function: AccessoryFunction, in state: DeviceState
    ) -> CharacteristicValue? { nil }

    package func isLasting(_ type: CharacteristicType) -> Bool { SensorReading(type)?.isMomentary != true }
}

/// The limits of a device's properties.
package final class ValueLimits: Sendable {
    package let rules: any DeviceRules
    private let kind: LightKind
    private let power: CharacteristicType?
    private let properties: [Property]
    private let metadata: [CharacteristicMetadata]

    /// Creates the limits of a device.
    package init(of description: LightDescription) {
        kind = description.kind
        let rules = kind.rules.adapted(to: description.functions)
        self.rules =
            description.functions.contains(where: \.isScene) ? SceneRules(rules, description.functions) : rules
        power = rules.power
        let parts = description.functions.flatMap { function in
            function.parts.compactMap { part in part.metadata.map { (Property(part.type, of: function.id), $0) } }
        }
        properties = parts.map { $0.0 }
        metadata = parts.map { $0.1 }
    }

    /// Validates values from a driver, a controller or the operator, and converts them to the formats and ranges of
    /// their properties.
    ///
    /// - Parameter values: The values.
    /// - Returns: The valid values, and the number of invalid values.
    package func canonical(_ values: PropertyValues) -> (values: PropertyValues, invalid: Int) {
        guard !isCanonical(values) else { return (values, 0) }
        var canonical = PropertyValues()
        var invalid: Set<Property> = []
        for (property, value) in values {
            let property = kind.property(property.type, of: property.function)
            guard !property.type.isMomentary else {
                invalid.insert(property)
                continue
            }
            guard let value else {
                canonical.setUnknown(property)
                continue
            }
            if let valid = valid(value, of: property) {
                canonical[property] = valid
            } else {
                invalid.insert(property.group)
            }
        }
        // Hue and saturation are valid only together.
        if canonical.contains(Property(.hue)) != canonical.contains(Property(.saturation)) { canonical.color = nil }
        return (canonical, invalid.count)
    }

    /// Replaces a target that controllers can't choose with a similar target.
    ///
    /// For example, a panel can be armed by hand in a mode that its driver doesn't offer. It must not be shown as
    /// disarmed, or as arming forever.
    package func adaptTarget(in values: inout PropertyValues) {
        guard let target = rules.reaction?.target, let value = values[target].flatMap(Int.init).map(Int64.init),
            let index = properties.firstIndex(of: target), let choices = metadata[index].validValues,
            !choices.contains(value)
        else { return }
        // The last choice means disarmed.
        let similar = choices.dropLast().min { abs($0 - value) < abs($1 - value) }
        values[target] = similar.map { .integer($0) }
    }

    /// Returns whether all values already have the formats and ranges of their properties, which is the usual case.
    private func isCanonical(_ values: PropertyValues) -> Bool {
        for (property, value) in values {
            guard let value, property.type != power || power == .on, !property.type.isMomentary,
                valid(value, of: property) == value
            else { return false }
        }
        return values.contains(Property(.hue)) == values.contains(Property(.saturation))
    }

    private func valid(_ value: CharacteristicValue, of property: Property) -> CharacteristicValue? {
        if let reading = SensorReading(meter: property.type) { return reading.valid(value) }
        for index in properties.indices
        where properties[index].type == property.type && properties[index].function == property.function {
            return rules.valid(value, of: property, metadata[index])
        }
        if rules.memory.contains(property.type) { return value }
        return CharacteristicDefinition.of(property.type).flatMap { rules.valid(value, of: property, $0.metadata) }
    }
}

extension AccessoryFunction.Part {
    /// A Boolean value that indicates whether the description determines the value, so that the device never reports
    /// it.
    fileprivate var isFixed: Bool {
        type == .configuredName || type == .valveType || metadata?.permissions.contains(.notify) == false
    }
}

extension LightDescription {
    /// Validates values, and converts them to the formats and ranges of their properties.
    ///
    /// Returns the valid values, and the number of invalid values.
    package func canonical(_ values: PropertyValues) -> (values: PropertyValues, invalid: Int) {
        ValueLimits(of: self).canonical(values)
    }

    /// Returns whether a property belongs to the device and represents momentary events.
    package func isMomentary(_ property: Property) -> Bool {
        property.type.isMomentary && functions.contains { $0.id == property.function && $0.has(property.type) }
    }

    /// Returns whether one of the functions has a characteristic of this type.
    package func has(_ type: CharacteristicType) -> Bool { functions.contains { $0.has(type) } }

    /// The characteristics of all functions, with their properties.
    package var properties: [(property: Property, part: AccessoryFunction.Part)] {
        functions.flatMap { function in function.parts.map { (kind.property($0.type, of: function.id), $0) } }
    }

    /// The values before the first report.
    package var initialValues: PropertyValues {
        var values = PropertyValues()
        for (property, part) in properties where !part.isFixed && EveReading(part.type) == nil {
            values[property] = part.value
        }
        return canonical(values).values
    }

    /// Returns the known values of a state as a report.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - isForRestart: Whether to omit transient values such as motion.
    /// - Returns: The report, without the reachability.
    package func report(of state: DeviceState, isForRestart: Bool = false) -> LightReport {
        var report = LightReport()
        for (property, part) in properties where !isForRestart || kind.rules.isLasting(part.type) {
            if isForRestart, property.isActivation { continue }
            if let value = state.values[property] { report.values[property] = value }
        }
        if isForRestart, !kind.rules.memory.isEmpty {
            for (property, value) in state.values where kind.rules.memory.contains(property.type) {
                report.values[property] = value
            }
        }
        if report.color != nil { report.color = state.color }
        return report
    }
}

/// The last known values and reachability of a device.
package struct DeviceState: Equatable, Sendable {
    /// The last value of each property, in the property's format and range.
    package var values: PropertyValues
    /// The properties that the device currently doesn't know, according to its reports.
    package private(set) var unknown: Set<Property> = []
    package var isReachable = false
    /// A Boolean value that indicates whether a lamp shows a white, and not a color.
    ///
    /// While the lamp shows a white, hue and saturation describe that white.
    package var isWhite = true
    package var thresholds = GasThresholds()

    package init(_ values: PropertyValues = PropertyValues()) { self.values = values }

    /// Returns whether a property has a value that the device currently knows.
    package func knows(_ property: Property) -> Bool { values.contains(property) && !unknown.contains(property) }

    /// Applies new values, which must have the formats and ranges of their properties.
    ///
    /// - Returns: Whether the state has changed.
    @discardableResult
    package mutating func apply(_ new: PropertyValues, _ rules: any DeviceRules) -> Bool {
        guard !new.isEmpty else { return false }
        var isChanged = false
        for (property, value) in new {
            if let value {
                if values.set(value, for: property) { isChanged = true }
                if !unknown.isEmpty, unknown.remove(property) != nil { isChanged = true }
            } else if unknown.insert(property).inserted {
                isChanged = true
            }
        }
        return rules.reconcile(&self, after: new) || isChanged
    }

    /// The value of a characteristic from the first function that has it.
    package subscript<Value>(key: CharacteristicKey<Value>) -> Value? { values.first(key.type).flatMap(Value.init) }
}
