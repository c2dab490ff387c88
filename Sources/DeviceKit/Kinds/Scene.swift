package import HAPModel

extension LightKind {
    /// Switches without a lasting state: scenes, sirens, choices, and commands of a device, such as "restart".
    ///
    /// Other devices can have such switches, too.
    public static let scene = LightKind(
        "scene", plural: "scenes", title: "Scene", SceneRules(), [.on], isShownByDefault: false)
}

extension AccessoryFunction {
    /// The maximum number of scenes of a room or a group; HAP allows 100 services in an accessory.
    package static let maximumScenes = 32
    /// The maximum number of options of a choice.
    ///
    /// A longer list would bury the other switches of a home.
    package static let maximumOptions = 12

    /// The prefix of the IDs of switches that activate a scene or send a command and then switch themselves off.
    fileprivate static let activation = "scene/"
    private static let siren = "siren/"
    fileprivate static let option = "option/"

    /// Creates a switch that activates a scene or sends a command, and then switches itself off.
    ///
    /// - Parameters:
    ///   - id: The id within the device; never change it.
    ///   - name: The name for people.
    /// - Returns: The function.
    package static func scene(_ id: String, name: String) -> AccessoryFunction {
        toggle(activation + id, name, fallback: "Scene")
    }

    /// Creates the switch of a siren.
    ///
    /// - Parameters:
    ///   - id: The id within the device; never change it.
    ///   - name: The name for people.
    /// - Returns: The function.
    package static func siren(_ id: String, name: String) -> AccessoryFunction {
        toggle(siren + id, name, fallback: "Siren")
    }

    /// Creates the switches of a choice, of which exactly one is on.
    ///
    /// - Parameters:
    ///   - id: The id within the device; never change it.
    ///   - options: The options, which are different and also the names of the switches.
    /// - Returns: The functions, in the order of the options.
    package static func choice(_ id: String, _ options: [String]) -> [AccessoryFunction] {
        let ids = options.map { optionID($0, of: id) }
        return zip(ids, options).map { own, name in
            toggle(own, name, fallback: "Option", linked: own == ids.first ? Array(ids.dropFirst()) : [])
        }
    }

    /// Returns the id of the switch of an option.
    package static func optionID(_ option: String, of choice: String) -> String { "\(self.option)\(choice)/\(option)" }

    private static func toggle(
        _ id: String, _ name: String, fallback: String, linked: [String] = []
    ) -> AccessoryFunction {
        let name = AccessoryName.sanitized(name, fallback: fallback)
        return AccessoryFunction(
            .switch, id: id, linked: linked,
            [.on: .bool(false), .name: .string(name), .configuredName: .string(name)])
    }

    /// A Boolean value that indicates whether the function is a scene, a siren or an option.
    package var isScene: Bool {
        guard type == .switch, let id else { return false }
        return [Self.activation, Self.siren, Self.option].contains(where: id.hasPrefix)
    }
}

extension LightDescription {
    /// The scenes, sirens and options among the functions.
    package var scenes: [AccessoryFunction] { functions.filter(\.isScene) }
}

extension Property {
    /// A Boolean value that indicates whether the property is the power of a switch that switches itself off.
    ///
    /// Its value isn't a state: only a command sets it, and no value remains after a restart.
    package var isActivation: Bool { type == .on && function?.hasPrefix(AccessoryFunction.activation) == true }

    /// A Boolean value that indicates whether the property is the power of an option's switch.
    var isOption: Bool { type == .on && function?.hasPrefix(AccessoryFunction.option) == true }
}

/// The rules of scenes, sirens and choices, which can be part of any device.
///
/// - Writing "on" to a scene activates it once. While the scene is on, "on" and "off" have no effect. The bridge
///   switches it off a second later.
///
/// - Writing "on" to an option chooses it and switches the other options off. "Off" has no effect.
struct SceneRules: DeviceRules {
    /// The rules of the other functions, or `nil` if the device has none.
    private var base: (any DeviceRules)?
    private var ids: Set<String> = []
    /// The ids of the switches of each choice.
    private var choices: [[String]] = []

    init() {}

    /// Creates the rules for a device that also has other functions.
    init(_ base: any DeviceRules, _ functions: [AccessoryFunction]) {
        self.base = base is SceneRules ? nil : base
        ids = Set(functions.filter(\.isScene).compactMap(\.id))
        choices = functions.filter { $0.isScene && !$0.linked.isEmpty }.map { [$0.id ?? ""] + $0.linked }
    }

    var power: CharacteristicType? { base?.power }

    var pause: Duration { base?.pause ?? .zero }

    var reaction: (target: Property, time: Duration)? { base?.reaction }

    func rest(_ state: DeviceState) -> PropertyValues { base?.rest(state) ?? PropertyValues() }

    var memory: [CharacteristicType] { base?.memory ?? [] }

    func functions(_ capabilities: LightCapabilities) -> [AccessoryFunction] {
        [.scene("activate", name: LightKind.scene.title)]
    }

    var otherFunctions: [AccessoryFunction] { [.siren("siren", name: "Siren")] }

    func shown(_ functions: [AccessoryFunction]) -> [AccessoryFunction] { functions }

    private func isOwn(_ property: Property) -> Bool { property.function.map(ids.contains) ?? false }

    /// Separates the values of the switches from the values of the other functions.
    private func divided(_ values: PropertyValues) -> (own: PropertyValues, others: PropertyValues) {
        var (own, others) = (PropertyValues(), PropertyValues())
        for (property, value) in values {
            if isOwn(property) { own.set(value, for: property) } else { others.set(value, for: property) }
        }
        return (own, others)
    }

    func valid(
        _ value: CharacteristicValue, of property: Property, _ metadata: CharacteristicMetadata
    ) -> CharacteristicValue? {
        if isOwn(property), property.type == .on { return Bool(value).map { .bool($0) } }
        return base?.valid(value, of: property, metadata) ?? (base == nil ? metadata.clamped(value) : nil)
    }

    func resembles(_ reported: PropertyValues, _ wanted: PropertyValues) -> Bool {
        guard let base, !reported.contains(where: { isOwn($0.property) }) else { return reported == wanted }
        return base.resembles(reported, wanted)
    }

    func mayRepeat(_ command: PropertyValues) -> Bool {
        !command.contains { $0.property.isActivation } && base?.mayRepeat(command) != false
    }

    func command(_ written: PropertyValues, over state: DeviceState) -> PropertyValues {
        var (own, others) = divided(written)
        // The operator can omit the name of the only switch.
        if base == nil, ids.count == 1, let only = ids.first, let value = others[Property(.on)] {
            others.remove(Property(.on))
            own[Property(.on, of: only)] = value
        }
        var command = others.isEmpty ? others : base?.command(others, over: state) ?? others
        for (property, value) in own {
            let isOn = value?.bool == true
            if property.isActivation, !isOn || state.values[property]?.bool == true { continue }
            if property.isOption, !isOn { continue }
            command.set(value, for: property)
        }
        return command
    }

    func complete(_ reported: inout PropertyValues, over state: () -> DeviceState) {
        for (property, _) in reported where property.isActivation { reported.remove(property) }
        base?.complete(&reported, over: state)
    }

    func outcome(of command: PropertyValues) -> PropertyValues { base?.outcome(of: command) ?? command }

    func reconcile(_ state: inout DeviceState, after new: PropertyValues) -> Bool {
        var isChanged = base?.reconcile(&state, after: new) ?? false
        for choice in choices {
            let chosen = Array(new).last { property, value in
                property.isOption && value?.bool == true && choice.contains(property.function ?? "")
            }
            guard let chosen = chosen?.property else { continue }
            for id in choice {
                let property = Property(.on, of: id)
                isChanged = state.values.set(.bool(property == chosen), for: property) || isChanged
            }
        }
        return isChanged
    }

    func derived(
        _ type: CharacteristicType, of function: AccessoryFunction, in state: DeviceState
    ) -> CharacteristicValue? { base?.derived(type, of: function, in: state) }

    func isLasting(_ type: CharacteristicType) -> Bool {
        base?.isLasting(type) ?? (SensorReading(type)?.isMomentary != true)
    }
}
