import DeviceKit
import HAPModel

/// Combines the parts of each device into one accessory.
///
/// Several valves form an irrigation system. Readings join the device's sensor. Buttons, scenes, sirens, choices and the
/// readings of meters join a light, a switch or another accessory of the device. If the device has no such accessory,
/// they join its sensor. Buttons and scenes of a device without any accessory form a separate accessory.
///
/// The parts of a device are announced separately and in any order. Apart from readings, they therefore wait a moment
/// until the device is complete.
struct MQTTDeviceParts: Sendable {
    /// The time without a new part after which a device counts as complete.
    static let settlingTime = Duration.seconds(2)

    private struct Member {
        var part: MQTTPart
        /// A Boolean value that indicates whether the reading of a meter waits for its accessory.
        var isWaiting: Bool
        /// The last values and the reachability of a button, a scene or a meter.
        var report = LightReport()
        /// The accessory that a meter's reading belongs to, or `nil` if there is none.
        var host: LightID?
        var isWithdrawn = false
    }

    private struct Device {
        var members: Set<LightID> = []
        var placement = MQTTPlacement()
    }

    private let kinds: Set<LightKind>
    private var sensors: SensorDevices
    private var irrigation: IrrigationSystems
    private var members: [LightID: Member] = [:]
    private var devices: [String: Device] = [:]
    /// The times at which devices count as complete.
    private var settling: [String: Duration] = [:]

    /// Creates an instance without parts.
    ///
    /// - Parameters:
    ///   - kinds: The kinds to show.
    ///   - known: The ids of the accessories that the bridge showed before the start.
    init(kinds: Set<LightKind> = Set(LightKind.allCases), known: some Sequence<LightID> = []) {
        self.kinds = kinds
        sensors = SensorDevices(kinds: kinds, known: known)
        irrigation = IrrigationSystems(known: known)
    }

    /// The time of the next call of ``due(now:)``.
    var deadline: Duration? { settling.values.min() }

    /// Returns the id of a device's buttons and scenes as a part of the sensor or of the separate accessory.
    static func buttons(of key: String) -> LightID { LightID("\(key)/buttons") }

    /// Returns the id under which the bridge counts a device's scenes that aren't shown.
    static func hiddenScenes(of key: String) -> LightID { LightID("\(key)/scenes") }

    // MARK: Announcements

    /// Adds an announced entity, or updates it.
    ///
    /// Returns whether the entity was known and has changed.
    mutating func announced(_ part: MQTTPart, now: Duration) -> Bool {
        let id = part.description.id
        let former = members[id]?.part
        if let former, former.key != part.key { remove(id, now: now) }
        let isChanged = former.map { $0 != part } ?? false
        // An accessory without a device has no other parts.
        guard part.key != nil || part.role != .accessory else { return isChanged }
        members[id, default: Member(part: part, isWaiting: part.role == .meter && part.key != nil)].part = part
        members[id]?.isWithdrawn = false
        guard let key = part.key else { return isChanged }
        if part.description.kind == .valve, let system = part.device { irrigation.announced(id, of: system) }
        devices[key, default: Device()].members.insert(id)
        changed(key, now: now)
        return isChanged
    }

    /// Handles the withdrawal of an entity, which is removed unless it is announced again soon.
    mutating func withdrawn(_ id: LightID) { members[id]?.isWithdrawn = true }

    private mutating func remove(_ id: LightID, now: Duration) {
        guard let key = members.removeValue(forKey: id)?.part.key else { return }
        devices[key]?.members.remove(id)
        devices[key]?.placement.remove(id)
        changed(key, now: now)
    }

    private mutating func changed(_ key: String, now: Duration) {
        guard let device = devices[key] else { return }
        if device.placement != MQTTPlacement()
            || device.members.contains(where: { members[$0]?.part.role != .accessory || irrigation.isWaiting($0) })
        {
            settling[key] = now + Self.settlingTime
        } else if device.members.isEmpty {
            devices[key] = nil
            settling[key] = nil
        }
    }

    // MARK: Actions

    /// Replaces the parts in actions with the accessories that show them.
    mutating func joined(_ actions: [MQTTAction], now: Duration) -> [MQTTAction] {
        irrigation.joined(joinedSensors(actions.flatMap { joined($0, now: now) }))
    }

    private mutating func joined(_ action: MQTTAction, now: Duration) -> [MQTTAction] {
        switch action {
        case .added(let light):
            guard let member = members[light.id] else { return [action] }
            return member.part.isButton || member.isWaiting ? [] : [.added(withButtons(light))]
        case .removed(let id):
            let isAdded = members[id].map { !$0.part.isButton && !$0.isWaiting } ?? true
            remove(id, now: now)
            return isAdded ? [action] : []
        case .report(let id, let report):
            guard let member = members[id], let key = member.part.key, member.part.role != .accessory else {
                return [action]
            }
            members[id]?.report.merge(report)
            guard member.part.isButton else { return member.isWaiting ? [] : [action] }
            var actions: [MQTTAction] = []
            if report.reachable != nil, sensors.isReading(Self.buttons(of: key)) { actions.append(reach(key)) }
            if !report.values.isEmpty, let target = accessory(of: id) {
                actions.append(.report(target, LightReport(report.values)))
            }
            return actions
        default: return [action]
        }
    }

    private mutating func joinedSensors(_ actions: [MQTTAction]) -> [MQTTAction] {
        sensors.joined(actions) { [members, devices] light in
            if let host = members[light.id]?.host, let member = members[host] { return member.part.description }
            if let key = Self.key(ofButtons: light.id), let device = devices[key] { return device.placement.accessory }
            return light.kind == .sensor || light.kind == .meter ? members[light.id]?.part.device ?? light : nil
        } isSubstitute: { [members] id in
            members[id]?.part.role == .reading(isSubstitute: true)
        }
    }

    /// Returns an accessory with the buttons and scenes of its device, if it shows them.
    private func withButtons(_ light: LightDescription) -> LightDescription {
        guard let key = members[light.id]?.part.key, let placement = devices[key]?.placement,
            placement.host == light.id
        else { return light }
        var light = light
        if !placement.buttons.isEmpty { light.buttons = placement.buttons }
        light.functions += placement.scenes
        return light
    }

    // MARK: Complete devices

    /// Returns the devices whose parts are complete, sorted.
    mutating func due(now: Duration) -> [String] {
        guard !settling.isEmpty else { return [] }
        let due = settling.filter { $0.value <= now }.keys.sorted()
        for key in due { settling[key] = nil }
        return due
    }

    /// Adds the parts of a complete device to its accessories.
    ///
    /// - Returns: The actions, and a warning about scenes that don't fit, or `nil` if all scenes fit.
    mutating func place(_ key: String) -> (actions: [MQTTAction], warning: String?) {
        guard let device = devices[key] else { return ([], nil) }
        let all = device.members.sorted { $0.rawValue < $1.rawValue }.compactMap { members[$0] }
        let hosts = all.filter { $0.part.role == .accessory && kinds.contains($0.part.description.kind) }
            .map(\.part.description)
        let buttons = all.filter { $0.part.isButton && ($0.part.functions.isEmpty || !$0.isWithdrawn) }.map(\.part)
        let placement = MQTTPlacement(of: key, buttons, on: hosts.first?.id, kinds: kinds)
        devices[key] = device.members.isEmpty ? nil : Device(members: device.members, placement: placement)
        var actions = changes(of: key, from: device.placement, to: placement)
        actions += placeMeters(all.filter { $0.part.role == .meter }.map(\.part.description), on: hosts)
        actions = irrigation.joined(actions) + irrigation.complete(device.members)
        return (actions, placement.warning(of: key, buttons))
    }

    private mutating func changes(
        of key: String, from old: MQTTPlacement, to new: MQTTPlacement
    ) -> [MQTTAction] {
        var actions: [MQTTAction] = []
        if let hidden = new.hidden, hidden != old.hidden { actions.append(.added(hidden)) }
        if old.hidden != nil, new.hidden == nil { actions.append(.removed(Self.hiddenScenes(of: key))) }
        guard !new.looks(like: old) else { return actions }
        if old.part != nil, new.part == nil { actions.append(.removed(Self.buttons(of: key))) }
        for host in Set([old.host, new.host].compactMap(\.self)).sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let light = members[host]?.part.description else { continue }
            actions.append(.added(withButtons(light)))
        }
        if let part = new.part { actions += [.added(part), reach(key)] }
        actions = joinedSensors(actions)
        // Deliver the states that were reported while there was no accessory for them.
        for id in Set(new.owners.values).sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let values = members[id]?.report.values, !values.isEmpty, let target = accessory(of: id) else {
                continue
            }
            actions.append(.report(target, LightReport(values)))
        }
        return actions
    }

    /// Adds the readings of meters to the accessories that they measure.
    private mutating func placeMeters(_ meters: [LightDescription], on hosts: [LightDescription]) -> [MQTTAction] {
        var placed: [LightDescription] = []
        for meter in meters {
            let host = meter.measured(of: hosts)
            guard let member = members[meter.id], member.isWaiting || member.host != host else { continue }
            members[meter.id]?.isWaiting = false
            members[meter.id]?.host = host
            placed.append(meter)
        }
        // Add all readings before reporting their values. For example, a current isn't shown before a power is.
        let reports = placed.compactMap { meter in members[meter.id].map { MQTTAction.report(meter.id, $0.report) } }
        return joinedSensors(placed.map { .added($0) } + reports)
    }

    /// Returns the report of the reachability of a device's buttons.
    private func reach(_ key: String) -> MQTTAction {
        let isReachable = devices[key]?.members.contains { id in
            members[id].map { $0.part.isButton && $0.report.reachable == true } ?? false
        }
        return .report(Self.buttons(of: key), LightReport(reachable: isReachable ?? false))
    }

    // MARK: Events and commands

    /// Returns the accessory that shows a button or scene, or `nil` while there is none.
    func accessory(of id: LightID) -> LightID? {
        guard let key = members[id]?.part.key, let placement = devices[key]?.placement, placement.active.contains(id)
        else { return nil }
        return placement.host.map(irrigation.accessory(of:)) ?? sensors.sensor(of: Self.buttons(of: key))
    }

    /// Returns the entity that represents an accessory, such as the first valve of an irrigation system.
    func entity(of accessory: LightID) -> LightID { irrigation.firstValve(of: accessory) }

    /// Splits a command to an accessory into commands to the parts with scenes and a command to the accessory itself.
    func divided(
        _ command: LightCommand, to accessory: LightID
    ) -> (parts: [(id: LightID, command: LightCommand)], own: LightCommand?) {
        if let commands = irrigation.divided(command, to: accessory), !commands.isEmpty {
            let parts = commands.flatMap { id, command in
                let (parts, own) = divided(command, to: id)
                return parts + (own.map { [(id: id, command: $0)] } ?? [])
            }
            return (parts, nil)
        }
        let key =
            members[accessory]?.part.key ?? sensors.ids(joining: accessory).lazy.compactMap(Self.key(ofButtons:)).first
        let owners = key.flatMap { devices[$0]?.placement.owners } ?? [:]
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

    /// Returns whether an accessory of buttons and scenes waits until its device is complete.
    func isSettling(_ accessory: LightID) -> Bool {
        sensors.ids(joining: accessory).contains { id in Self.key(ofButtons: id).map { settling[$0] != nil } ?? false }
    }

    /// Stores the values of a command to a part, which count as its state.
    ///
    /// - Returns: The values as values of the accessory that shows the part.
    mutating func handedOver(_ report: LightReport, to id: LightID) -> LightReport {
        members[id]?.report.values.merge(report.values)
        return irrigation.translated(report, from: id)
    }

    /// Returns the device whose buttons have this id.
    private static func key(ofButtons id: LightID) -> String? {
        id.rawValue.hasSuffix("/buttons") ? String(id.rawValue.dropLast("/buttons".count)) : nil
    }
}
