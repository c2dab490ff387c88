import DeviceKit
import Glibc

/// An entity of a device.
///
/// It has a description and a state, and creates the messages for commands.
struct ESPHomeLight: Equatable, Sendable {
    let entity: ESPHomeEntity
    var description: LightDescription
    var state: ESPHomeState?
    /// The last requested target of an alarm panel.
    var askedTarget: Int?
    /// The last requested speed of a fan, in percent.
    var askedSpeed: Int?
    /// For a sensor entity, the description of the accessory that combines the sensors of the device or subdevice,
    /// without their readings.
    private(set) var sensor: LightDescription?

    /// Creates a light.
    ///
    /// `isNamesake` indicates that another entity of the same kind has the same object id.
    init(_ entity: ESPHomeEntity, of device: ESPHomeDeviceInfo, isNamesake: Bool = false) {
        self.entity = entity
        let deviceName = device.friendlyName.isEmpty ? device.name : device.friendlyName
        let owner = device.parts[entity.key.part] ?? deviceName
        // Devices with firmware since 2026 don't send the object id. It is derived from the name: lowercase letters,
        // digits, underscores and hyphens.
        let name = entity.name.isEmpty ? owner : entity.name
        var objectID = entity.objectID.isEmpty ? Self.objectID(name) : entity.objectID
        if isNamesake { objectID += "~" + String(entity.key.key, radix: 16) }
        var id = "\(device.mac)/"
        switch entity.kind {
        case .light: break
        case .switch: id += "switch/"
        case .fan: id += "fan/"
        case .sensor: id += "sensor/"
        case .cover(let cover): id += "\(cover.kind.rawValue)/"
        case .targetState(let device): id += "\(device.kind.rawValue)/"
        case .event: id += "event/"
        case .component(let component): id += type(of: component.base).idPart
        }
        if entity.key.part != 0 { id += String(entity.key.part, radix: 16) + "/" }
        var description = LightDescription(
            id: LightID(id + objectID), name: entity.name.isEmpty ? owner : "\(owner) \(entity.name)",
            kind: entity.lightKind, capabilities: entity.capabilities,
            manufacturer: device.manufacturer.isEmpty ? "ESPHome" : device.manufacturer,
            model: [device.projectName, device.model].first { !$0.isEmpty }, serialNumber: device.mac,
            firmware: [device.projectVersion, device.version].first { !$0.isEmpty },
            suggestedRoom: device.area.isEmpty ? nil : device.area)
        if case .fan(let fan) = entity.kind { description.functions = fan.functions }
        if case .cover(let cover) = entity.kind { description.functions = [cover.function] }
        if case .targetState(let device) = entity.kind { description.functions = [device.function] }
        if case .component(let component) = entity.kind { description.functions = component.base.functions }
        self.description = description
        guard isPart else { return }
        var sensor = description
        let part = entity.key.part == 0 ? "" : String(entity.key.part, radix: 16) + "/"
        sensor.id = LightID("\(device.mac)/\(part)sensors")
        sensor.name = owner
        sensor.capabilities = LightCapabilities()
        self.sensor = sensor
    }

    /// A Boolean value that indicates whether the entity is a reading or a button, which joins another accessory.
    var isPart: Bool {
        switch entity.kind {
        case .sensor, .event: true
        case .light, .switch, .fan, .cover, .targetState, .component: false
        }
    }

    /// A Boolean value that indicates whether the entity is a sensor whose reading is a substitute, such as vibration
    /// for motion.
    var isSubstitute: Bool { if case .sensor(let reading) = entity.kind { reading.isSubstitute } else { false } }

    static func objectID(_ name: String) -> String {
        String(
            name.unicodeScalars.map { scalar -> Character in
                switch scalar {
                case "a"..."z", "0"..."9", "_", "-": Character(scalar)
                case "A"..."Z": Character(scalar.properties.lowercaseMapping)
                default: "_"
                }
            })
    }

    // MARK: From the device

    var report: LightReport? {
        guard let state else { return nil }
        var report = LightReport(on: state.on, reachable: true)
        if case .cover(let cover) = entity.kind { return cover.report(state) }
        if case .targetState(let device) = entity.kind { return device.report(state, asked: askedTarget) }
        if case .component(let component) = entity.kind { return component.base.report(state) }
        guard !state.isInvalid else { return report }
        let range: ClosedRange<Int>?
        switch entity.kind {
        case .light(_, let mireds): range = mireds
        case .switch: return report
        case .fan(let fan): return state.report(of: fan, asked: askedSpeed, isLegacy: entity.isLegacy)
        case .sensor(let reading):
            return LightReport(readings: [reading.reading: reading.value(state)], reachable: true)
        case .cover, .targetState, .component: return report
        case .event: return nil
        }
        // A light that is off still reports its brightness; 0 means that it has never been on.
        if entity.capabilities.brightness, state.brightness > 0 {
            report.brightness = max(1, Int((state.brightness * 100).rounded()))
        }
        guard let mode = entity.legacyMode ?? state.mode else { return report }
        let showsColor =
            mode.contains(.rgb) && (entity.isLegacy ? state.showsLegacyColor : state.colorBrightness > 0.001)
        if showsColor {
            let rgb = ColorConversion.RGB(
                red: Double(state.rgb[0]) * 255, green: Double(state.rgb[1]) * 255, blue: Double(state.rgb[2]) * 255)
            report.color = LightColor(rgb)
        } else if mode.hasTemperature, let range, let mireds = mireds(state, range) {
            report.color = .temperature(mired: range.clamp(mireds))
        } else if mode.contains(.white), entity.capabilities.color {
            report.color = .hueSaturation(hue: 0, saturation: 0)
        }
        return report
    }

    /// Returns the color temperature of a state.
    ///
    /// A light that mixes cold and warm white reports a temperature only if a temperature was set. Otherwise the
    /// temperature is computed from the shares of cold and warm white. The reported shares aren't gamma-corrected, so
    /// they are corrected here with the default exponent.
    private func mireds(_ state: ESPHomeState, _ range: ClosedRange<Int>) -> Int? {
        if state.mireds >= 1 { return Int(min(state.mireds, 10_000).rounded()) }
        guard state.mode?.contains(.coldWarm) == true else { return nil }
        let (cold, warm) = (power(state.cold), power(state.warm))
        guard cold + warm > 0 else { return nil }
        return range.lowerBound + Int((Double(range.count - 1) * warm / (cold + warm)).rounded())
    }

    private func power(_ share: Float) -> Double { pow(Double(share), 2.8) }

    // MARK: To the device

    func message(for command: LightCommand) -> ESPHomeFraming.Message? {
        let modes: [ESPHomeColorMode]
        switch entity.kind {
        case .light(let own, _): modes = own
        case .switch: return command.on.map { ESPHomeLightCommand.message(on: $0, to: entity.key) }
        case .fan(let fan): return command.message(to: fan, entity.key, isLegacy: entity.isLegacy)
        case .sensor, .event: return nil
        case .cover(let cover): return cover.message(for: command, to: entity.key)
        case .targetState(let device): return device.message(for: command, to: entity.key)
        case .component(let component): return component.base.message(for: command, to: entity.key, in: state)
        }
        var order = ESPHomeLightCommand(on: command.on)
        if let percent = command.brightness { order.brightness = Float(percent) / 100 }
        switch command.color {
        case .hueSaturation(let hue, let saturation)?: order.show(hue, saturation, modes, now: state?.mode)
        case .temperature(let mired)?: order.show(mireds: mired, modes, now: state?.mode)
        case nil: break
        }
        if entity.isLegacy { order.makeLegacy() }
        if let transition = command.transition, description.capabilities.transition {
            let (seconds, attoseconds) = transition.components
            order.milliseconds = UInt64(clamping: min(seconds, 3600) * 1000 + attoseconds / 1_000_000_000_000_000)
        }
        return order.message(to: entity.key)
    }
}

extension ESPHomeEntity {
    /// The only mode of a light whose firmware has no color modes.
    fileprivate var legacyMode: ESPHomeColorMode? {
        guard isLegacy, case .light(let modes, _) = kind else { return nil }
        return modes.first
    }
}

extension ESPHomeState {
    /// A Boolean value that indicates whether a light without color modes shows its color.
    ///
    /// If the color is gray and the white channel is on, the light shows white instead.
    fileprivate var showsLegacyColor: Bool {
        guard let highest = rgb.max(), let lowest = rgb.min(), highest > 0 else { return false }
        return white < 0.01 || highest - lowest > 0.01
    }
}

extension ESPHomeLightCommand {
    /// Removes the fields that firmware without color modes doesn't support.
    fileprivate mutating func makeLegacy() {
        if colorBrightness == 0 { rgb = [0, 0, 0] }
        (mode, colorBrightness) = (nil, nil)
    }

    /// Sets a color.
    ///
    /// On a light with a separate white channel, a color without saturation selects that channel.
    fileprivate mutating func show(
        _ hue: Double, _ saturation: Double, _ modes: [ESPHomeColorMode], now: ESPHomeColorMode?
    ) {
        let isWhite = saturation < 1
        if isWhite, let pure = modes.first(where: { $0.contains(.white) && !$0.contains(.rgb) && !$0.hasTemperature }) {
            (mode, white) = (pure, 1)
            return
        }
        guard let chosen = Self.best(modes, now: now, { $0.contains(.rgb) }),
            let color = ColorConversion.rgb(hue: hue, saturation: saturation)
        else { return }
        mode = chosen
        rgb = [color.red, color.green, color.blue].map { Float($0 / 255) }
        if chosen.contains(.white), !chosen.hasTemperature {
            (colorBrightness, white) = isWhite ? (0, 1) : (1, 0)
        } else {
            colorBrightness = 1
            if chosen.contains(.white) { white = 0 }
            if chosen.contains(.coldWarm) { (cold, warm) = (0, 0) }
        }
    }

    /// Sets a color temperature.
    ///
    /// The device must mix cold and warm white itself, because only it knows its gamma.
    fileprivate mutating func show(mireds value: Int, _ modes: [ESPHomeColorMode], now: ESPHomeColorMode?) {
        guard let chosen = Self.best(modes, now: now, \.hasTemperature) else { return }
        (mode, mireds) = (chosen, Float(value))
        if chosen.contains(.rgb) { colorBrightness = 0 }
        if chosen.contains(.white) { white = 1 }
    }

    /// Returns the current mode if it is suitable, otherwise the simplest suitable mode.
    private static func best(
        _ modes: [ESPHomeColorMode], now: ESPHomeColorMode?, _ isUsable: (ESPHomeColorMode) -> Bool
    ) -> ESPHomeColorMode? {
        let usable = modes.filter(isUsable)
        if let now, usable.contains(now) { return now }
        return usable.min { $0.rawValue.nonzeroBitCount < $1.rawValue.nonzeroBitCount }
    }
}

extension ESPHomeEntity {
    fileprivate var lightKind: LightKind {
        switch kind {
        case .light: .light
        case .switch(let isOutlet): isOutlet ? .outlet : .switch
        case .fan: .fan
        case .sensor(let meaning): meaning.kind
        case .cover(let cover): cover.kind
        case .targetState(let device): device.kind
        case .event: .button
        case .component(let component): type(of: component.base).kind
        }
    }

    /// A Boolean value that indicates whether the entity is a meter's reading.
    var isMeter: Bool { if case .sensor(let meaning) = kind { meaning.reading.isMeter } else { false } }

    fileprivate var capabilities: LightCapabilities {
        let (modes, mireds): ([ESPHomeColorMode], ClosedRange<Int>?)
        switch kind {
        case .light(let own, let range): (modes, mireds) = (own, range)
        case .switch, .targetState, .fan: return LightCapabilities()
        case .sensor(let reading): return .sensor([reading.reading])
        case .cover(let cover): return .cover(tilt: cover.hasTilt, stop: cover.canStop)
        case .component: return LightCapabilities()
        case .event(let words):
            var capabilities = LightCapabilities()
            capabilities.buttons = words.buttons
            return capabilities
        }
        let brightness = modes.contains { $0.contains(.brightness) }
        return LightCapabilities(
            brightness: brightness, color: modes.contains { $0.contains(.rgb) },
            temperature: modes.contains(where: \.hasTemperature) ? mireds : nil, transition: brightness)
    }
}
