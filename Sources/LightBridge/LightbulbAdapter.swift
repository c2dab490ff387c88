internal import AccessoryRole
internal import HAPModel
internal import HAPProtocol
internal import LightKit

/// A light, a switch or an outlet.
final class LightbulbAdapter: AccessoryAdapter {
    /// The colour temperatures that HomeKit knows, in mired (HAP 12).
    static let temperatureLimits = 50...500

    let description: LightDescription
    /// The name controllers see.
    let name: String
    let ids: InstanceIDs

    /// Where this light's characteristics are.
    private struct Places {
        var on = InstanceID(0)
        var inUse: InstanceID?
        var brightness: InstanceID?
        var hue: InstanceID?
        var saturation: InstanceID?
        var temperature: InstanceID?
        var transitionControl: InstanceID?
        var activeTransitions: InstanceID?
    }

    private let information: Service
    private let places: Places
    private let temperature: ClosedRange<Int>?

    /// Gives every part of the accessory its iid, new ones to parts that had none.
    init(description: LightDescription, name: String, ids: InstanceIDs) {
        self.description = description
        self.name = name
        temperature = description.kind == .light ? Self.temperature(of: description.capabilities) : nil

        var ids = ids
        var places = Places()
        information = AccessoryInformation(of: description, name: name, kind: "Light").service(&ids)
        let service = Self.service(of: description.kind)
        _ = ids.id(of: service)
        places.on = ids.id(of: .on, in: service)
        if description.kind == .outlet { places.inUse = ids.id(of: .outletInUse, in: service) }
        if description.kind == .light {
            if description.capabilities.brightness { places.brightness = ids.id(of: .brightness, in: service) }
            if description.capabilities.color {
                places.hue = ids.id(of: .hue, in: service)
                places.saturation = ids.id(of: .saturation, in: service)
            }
            if temperature != nil { places.temperature = ids.id(of: .colorTemperature, in: service) }
            if places.brightness != nil, places.temperature != nil {
                places.transitionControl = ids.id(of: .characteristicValueTransitionControl, in: service)
                places.activeTransitions = ids.id(of: .characteristicValueActiveTransitionCount, in: service)
                _ = ids.id(of: .supportedCharacteristicValueTransitionConfiguration, in: service)
            }
        }
        self.ids = ids
        self.places = places
    }

    private static func temperature(of capabilities: LightCapabilities) -> ClosedRange<Int>? {
        guard let range = capabilities.temperature else { return nil }
        let clamped = range.clamped(to: temperatureLimits)
        return clamped.isEmpty || !range.overlaps(temperatureLimits) ? nil : clamped
    }

    private static func service(of kind: LightKind) -> ServiceType {
        switch kind {
        case .light: .lightbulb
        case .switch: .switch
        case .outlet: .outlet
        case .fan, .sensor: preconditionFailure("these have adapters of their own")
        }
    }

    // MARK: The accessory

    /// The accessory object with the values of a state.
    func accessory(_ aid: AccessoryID, state: LightState) -> Accessory {
        var values = Dictionary(values(of: state), uniquingKeysWith: { $1 })
        let service = Self.service(of: description.kind)
        var types: [CharacteristicType] = [.on]
        if places.inUse != nil { types.append(.outletInUse) }
        if places.brightness != nil { types.append(.brightness) }
        if places.hue != nil { types += [.hue, .saturation] }
        if places.temperature != nil { types.append(.colorTemperature) }
        if places.transitionControl != nil {
            types += [
                .supportedCharacteristicValueTransitionConfiguration, .characteristicValueTransitionControl,
                .characteristicValueActiveTransitionCount,
            ]
        }
        var ids = ids
        if let transition = transition() {
            let supported = ids.id(of: .supportedCharacteristicValueTransitionConfiguration, in: service)
            values[supported] = .data(transition.supportedConfiguration)
        }
        let characteristics = types.map { type in
            let iid = ids.id(of: type, in: service)
            let metadata = metadata(of: type)
            return Characteristic(
                iid: iid, type: type, metadata: metadata,
                value: values[iid].flatMap(metadata.clamped) ?? metadata.defaultValue)
        }
        return Accessory(
            aid: aid,
            services: [
                information,
                Service(iid: ids.id(of: service), type: service, isPrimary: true, characteristics: characteristics),
            ])
    }

    private func metadata(of type: CharacteristicType) -> CharacteristicMetadata {
        guard var metadata = CharacteristicDefinition.of(type)?.metadata else {
            preconditionFailure("the types named here are in the catalogue")
        }
        if type == .colorTemperature, let temperature {
            metadata.minimum = Double(temperature.lowerBound)
            metadata.maximum = Double(temperature.upperBound)
        }
        return metadata
    }

    /// What follows curves of adaptive lighting for this light; `nil` if it lacks brightness or whites.
    func transition() -> AdaptiveLightingTransition? {
        guard let brightness = places.brightness, let white = places.temperature, let temperature else { return nil }
        return AdaptiveLightingTransition(brightness: brightness, colorTemperature: white, miredRange: temperature)
    }

    /// The same with a transition that was stored, if it can still be followed.
    func transition(
        resuming saved: [UInt8]?, now: ContinuousClock.Instant, wallClock: Duration
    ) -> AdaptiveLightingTransition? {
        guard let brightness = places.brightness, let white = places.temperature, let temperature, let saved else {
            return transition()
        }
        let resumed = try? AdaptiveLightingTransition(
            resuming: saved, brightness: brightness, colorTemperature: white, miredRange: temperature, now: now,
            wallClock: wallClock)
        return resumed ?? transition()
    }

    // MARK: Values

    /// The light's characteristics in a state: hue and saturation before colour temperature, because the Home app takes
    /// the last one for the mode (Lights 2).
    func values(of state: LightState) -> [(InstanceID, CharacteristicValue)] {
        var values: [(InstanceID, CharacteristicValue)] = []
        values.reserveCapacity(6)
        values.append((places.on, .bool(state.on)))
        if let inUse = places.inUse { values.append((inUse, .bool(state.on))) }
        if let brightness = places.brightness { values.append((brightness, .integer(Int64(state.brightness)))) }
        if let hue = places.hue, let saturation = places.saturation {
            values.append((hue, .float(state.hue)))
            values.append((saturation, .float(state.saturation)))
        }
        if let temperature = places.temperature { values.append((temperature, .integer(Int64(state.mired)))) }
        if let control = places.transitionControl, let count = places.activeTransitions {
            values.append((control, .data(state.transition.control)))
            values.append((count, .integer(state.transition.isActive ? 1 : 0)))
        }
        return values
    }

    // MARK: Commands

    func command(for writes: [CharacteristicWrite], state: LightState) -> LightCommand {
        Self.command(for: writes, state: state)
    }

    /// What written values ask of the light: all values of one request make one command.
    static func command(for writes: [CharacteristicWrite], state: LightState) -> LightCommand {
        var command = LightCommand()
        var hue: Double?
        var saturation: Double?
        var isZero = false
        for write in writes {
            switch write.type {
            case .on: command.on = write.value.bool
            case .brightness:
                guard let percent = write.value.number.flatMap({ Int(exactly: $0) }) else { continue }
                isZero = percent == 0
                command.brightness = isZero ? nil : percent
            case .hue: hue = write.value.number
            case .saturation: saturation = write.value.number
            case .colorTemperature:
                if let mired = write.value.number.flatMap({ Int(exactly: $0) }) {
                    command.color = .temperature(mired: mired)
                }
            default: break
            }
        }
        // Zero means off, in whatever order it stands; the level to come back to stays (HAP 11). Beside On it is the
        // lowest level, rounded down by a controller with a finer scale: Home Assistant sends that for its levels 1 and 2.
        if isZero {
            if command.on == true { command.brightness = 1 } else { command.on = false }
        }
        if hue != nil || saturation != nil {
            command.color = .hueSaturation(hue: hue ?? state.hue, saturation: saturation ?? state.saturation)
        }
        return command
    }

    /// What an operator asks, without what this light cannot do; `nil` if nothing is left.
    func possible(_ command: LightCommand) -> LightCommand? {
        var possible = command
        if places.brightness == nil { possible.brightness = nil }
        switch command.color {
        case .hueSaturation?: if places.hue == nil { possible.color = nil }
        case .temperature(let mired)?:
            possible.color = temperature.map { .temperature(mired: min(max(mired, $0.lowerBound), $0.upperBound)) }
        case nil: break
        }
        return possible.isEmpty ? nil : possible
    }
}
