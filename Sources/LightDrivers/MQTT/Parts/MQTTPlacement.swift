import DeviceKit
import HAPModel

/// The placement of a device's buttons, scenes, sirens and choices: which of them are shown, and by which accessory.
struct MQTTPlacement: Equatable, Sendable {
    /// The light or other accessory that shows the buttons and scenes; `nil` if the device's sensor or a separate
    /// accessory shows them, or if nothing is shown.
    var host: LightID?
    var buttons: [PushButton] = []
    var scenes: [AccessoryFunction] = []
    /// If there is no host, the buttons and scenes as a part of the sensor or of the separate accessory.
    var part: LightDescription?
    /// If there is no host, the separate accessory.
    var accessory: LightDescription?
    /// The scenes of a kind that isn't shown, which the bridge counts.
    var hidden: LightDescription?
    /// The parts whose presses and values are reported.
    var active: Set<LightID> = []
    /// The part that each scene, siren or option belongs to, by the id of its function.
    var owners: [String: LightID] = [:]

    var isEmpty: Bool { buttons.isEmpty && scenes.isEmpty }

    /// Creates a placement without buttons and scenes.
    init() {}

    /// Creates the placement of a device.
    ///
    /// - Parameters:
    ///   - key: The id of the device.
    ///   - parts: The buttons and scenes that weren't withdrawn, sorted by id.
    ///   - host: The accessory of the device that can show them, or `nil` if there is none.
    ///   - kinds: The kinds that are shown.
    init(of key: String, _ parts: [MQTTPart], on host: LightID?, kinds: Set<LightKind>) {
        let forms = parts.compactMap { if case .buttons(_, let form) = $0.role { form } else { nil } }
        // Zigbee2MQTT announces each button in several forms. Use only the preferred form.
        let best = key.hasPrefix("zigbee2mqtt_") ? forms.max() : nil
        var words: [[PushButton]] = []
        for part in parts {
            guard case .buttons(let buttons, let form) = part.role, best == nil || form == best else { continue }
            words.append(buttons)
            active.insert(part.description.id)
        }
        // If the buttons have no host, report them even if buttons aren't shown: the bridge hides and counts their
        // accessory.
        if kinds.contains(.button) || host == nil { buttons = [PushButton](merging: words) }
        let shown = Self.fitting(parts)
        if kinds.contains(.scene) {
            scenes = shown.flatMap(\.functions)
            for part in shown {
                active.insert(part.description.id)
                for id in part.functions.compactMap(\.id) { owners[id] = part.description.id }
            }
        } else if let first = shown.first {
            hidden = first.device ?? first.description
            hidden?.id = MQTTDeviceParts.hiddenScenes(of: key)
            hidden?.functions = shown.flatMap(\.functions)
        }
        self.host = isEmpty ? nil : host
        let active = parts.filter { self.active.contains($0.description.id) }
        guard host == nil, !isEmpty, let first = active.first else { return }
        accessory = first.device ?? first.description
        // Buttons precede scenes.
        var part = (active.first { $0.functions.isEmpty } ?? first).description
        part.id = MQTTDeviceParts.buttons(of: key)
        if part.kind == .scene { part.functions = [] }
        part.buttons = buttons
        part.functions += scenes
        self.part = part
    }

    /// Returns the parts with scenes, up to the number that an accessory can show.
    ///
    /// If several parts have a function with the same id, only the first part is used.
    private static func fitting(_ parts: [MQTTPart]) -> [MQTTPart] {
        var room = AccessoryFunction.maximumScenes
        return distinct(parts).filter { part in
            guard part.functions.count <= room else { return false }
            room -= part.functions.count
            return true
        }
    }

    private static func distinct(_ parts: [MQTTPart]) -> [MQTTPart] {
        var ids: Set<String> = []
        return parts.filter { part in
            let own = part.functions.compactMap(\.id)
            guard !part.functions.isEmpty, ids.isDisjoint(with: own) else { return false }
            ids.formUnion(own)
            return true
        }
    }

    /// Returns the warning about scenes that don't fit, or `nil` if all scenes fit.
    func warning(of key: String, _ parts: [MQTTPart]) -> String? {
        let count = Self.distinct(parts).reduce(0) { $0 + $1.functions.count }
        guard hidden == nil, scenes.count < count else { return nil }
        return "\(MQTTProblem.quoted(key)): only \(scenes.count) of its \(count) scenes, sirens and options are shown; "
            + "remove some on the device"
    }

    /// Removes a part that was removed from the device.
    mutating func remove(_ id: LightID) { owners = owners.filter { $0.value != id } }

    /// Returns whether this placement and another placement are the same for controllers.
    func looks(like other: MQTTPlacement) -> Bool {
        host == other.host && buttons == other.buttons && scenes == other.scenes && part == other.part
            && accessory == other.accessory
    }
}
