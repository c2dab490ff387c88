import DeviceKit
import HAPModel

/// The devices with buttons, scenes, sirens or choices, which become a part of another accessory of their device.
///
/// The parts of a device are announced separately and in any order. ``MQTTDeviceRegistry`` therefore waits a moment,
/// and then adds the buttons to a light, a switch or another device, to the sensor, or else to a separate accessory. In
/// this type, "buttons" includes scenes, sirens and choices.
struct MQTTButtons: Sendable {
    /// The time without a new part of a device after which its buttons get their accessory.
    static let settlingTime = Duration.seconds(2)

    struct Device: Sendable {
        /// The announced buttons.
        var parts: Set<LightID> = []
        /// The accessories that can have the buttons.
        var hosts: Set<LightID> = []

        /// The parts whose presses are events.
        var active: Set<LightID> = []
        /// The buttons that are shown.
        var buttons: [PushButton] = []
        /// The scenes, sirens and choices that are shown.
        var scenes: [AccessoryFunction] = []
        /// The parts with scenes, sirens and choices, by the ids of these functions.
        var owners: [String: LightID] = [:]
        /// A Boolean value that indicates whether the bridge counts the device's scenes, because they aren't shown.
        var hasHiddenScenes = false
        /// The accessory that shows the buttons and scenes, or `nil` for the sensor or the separate accessory.
        var host: LightID?

        var hasFunctions: Bool { !buttons.isEmpty || !scenes.isEmpty }
        var hasButtons: Bool { !parts.isEmpty || hasFunctions || hasHiddenScenes }
    }

    private(set) var devices: [String: Device] = [:]
    private var keys: [LightID: String] = [:]
    /// The times at which devices with buttons count as complete.
    private var settling: [String: Duration] = [:]

    /// The time of the next call of `due(now:)`.
    var deadline: Duration? { settling.values.min() }

    /// Returns the id of a device's buttons as a part of the sensor or of the separate accessory.
    static func part(of key: String) -> LightID { LightID("\(key)/buttons") }

    /// Returns the id under which the bridge counts a device's scenes that aren't shown.
    static func hiddenScenes(of key: String) -> LightID { LightID("\(key)/scenes") }

    /// Returns the device whose buttons have this id.
    func key(ofPart id: LightID) -> String? {
        guard id.rawValue.hasSuffix("/buttons") else { return nil }
        let key = String(id.rawValue.dropLast("/buttons".count))
        return devices[key] == nil ? nil : key
    }

    /// Returns the accessory of a device's buttons if the device has no light, with the sensor's id.
    func accessory(of key: String, _ members: MQTTMembers) -> LightDescription? {
        guard let first = devices[key]?.active.min(by: { $0.rawValue < $1.rawValue }), let member = members[first]
        else { return nil }
        return member.device ?? member.description
    }

    /// Returns the device of a button or an accessory.
    func key(of id: LightID) -> String? { keys[id] }

    func isButton(_ id: LightID) -> Bool { keys[id].flatMap { devices[$0] }?.parts.contains(id) == true }

    /// Adds the buttons and scenes that an accessory has to its description.
    func complete(_ host: inout LightDescription) {
        guard let key = keys[host.id], let device = devices[key], device.host == host.id else { return }
        if !device.buttons.isEmpty { host.buttons = device.buttons }
        host.functions += device.scenes
    }

    /// Splits a command to the accessory of a device into commands to the parts with scenes and a command to the accessory
    /// itself.
    func divided(
        _ command: LightCommand, to key: String
    ) -> (parts: [(id: LightID, command: LightCommand)], own: LightCommand?) {
        let owners = devices[key]?.owners ?? [:]
        var own = command
        var parts: [(id: LightID, command: LightCommand)] = []
        for (property, value) in command.values {
            guard let part = property.function.flatMap({ owners[$0] }) else { continue }
            own.values.remove(property)
            let index = parts.firstIndex { $0.id == part } ?? parts.endIndex
            if index == parts.endIndex { parts.append((part, LightCommand())) }
            parts[index].command.values.set(value, for: property)
        }
        return (parts, own.isEmpty && !parts.isEmpty ? nil : own)
    }

    /// Adds a part of a device, or moves it to another device.
    mutating func add(_ id: LightID, of key: String, isButton: Bool, now: Duration) {
        if let former = keys[id], former != key { remove(id, now: now) }
        keys[id] = key
        if isButton {
            devices[key, default: Device()].parts.insert(id)
        } else {
            devices[key, default: Device()].hosts.insert(id)
        }
        changed(key, now: now)
    }

    mutating func remove(_ id: LightID, now: Duration) {
        guard let key = keys.removeValue(forKey: id) else { return }
        if var device = devices[key], device.parts.remove(id) != nil {
            device.owners = device.owners.filter { $0.value != id }
            devices[key] = device
        }
        devices[key]?.hosts.remove(id)
        changed(key, now: now)
    }

    private mutating func changed(_ key: String, now: Duration) {
        guard let device = devices[key] else { return }
        if device.hasButtons {
            settling[key] = now + Self.settlingTime
        } else if device.hosts.isEmpty {
            devices[key] = nil
        }
    }

    /// Returns the devices whose parts are complete, sorted.
    mutating func due(now: Duration) -> [String] {
        guard !settling.isEmpty else { return [] }
        let due = settling.filter { $0.value <= now }.keys.sorted()
        for key in due { settling[key] = nil }
        return due
    }

    /// Assigns the buttons and scenes of a device to an accessory.
    ///
    /// Without a host, it is the sensor or the separate accessory.
    mutating func settle(
        _ key: String, _ buttons: [PushButton], _ scenes: [(id: LightID, functions: [AccessoryFunction])],
        of active: Set<LightID>, on host: LightID?, hidesScenes: Bool
    ) {
        devices[key]?.active = active
        devices[key]?.buttons = buttons
        devices[key]?.scenes = scenes.flatMap(\.functions)
        devices[key]?.hasHiddenScenes = hidesScenes
        devices[key]?.host = host
        devices[key]?.owners = [:]
        for (id, functions) in scenes {
            for function in functions { function.id.map { devices[key]?.owners[$0] = id } }
        }
        if let device = devices[key], !device.hasButtons, device.hosts.isEmpty { devices[key] = nil }
    }
}
