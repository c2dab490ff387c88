import DeviceKit
import HAPModel

/// Combines the water valves of a device into one accessory, an irrigation system.
///
/// A new valve waits until its device is complete, and is a separate accessory if the device has no other valve. Valves
/// that were separate accessories before the start remain separate, and so do the other valves of their device.
struct IrrigationSystems: Sendable {
    private struct Valve {
        var description: LightDescription
        var report = LightReport()
    }

    private struct System {
        var device: LightDescription
        var valves: Set<LightID> = []
        var shown: LightDescription?
        var isReachable: Bool?
    }

    /// The valves of systems, and the valves that wait.
    private var valves: [LightID: Valve] = [:]
    /// The systems of the waiting valves.
    private var waiting: [LightID: LightDescription] = [:]
    private var systems: [LightID: System] = [:]
    private var systemOfValve: [LightID: LightID] = [:]
    /// The ids of the systems whose valves are separate accessories.
    private var separate: Set<LightID> = []
    /// The accessories other than systems.
    private var shown: Set<LightID> = []
    /// The ids of the accessories that the bridge showed before the start.
    private let known: Set<LightID>

    init(known: some Sequence<LightID> = []) { self.known = Set(known) }

    /// Returns whether a valve waits until its device is complete.
    func isWaiting(_ id: LightID) -> Bool { waiting[id] != nil }

    /// Returns the accessory that shows a light.
    func accessory(of id: LightID) -> LightID { systemOfValve[id] ?? id }

    /// Returns the first valve of a system; any other id is returned unchanged.
    func firstValve(of id: LightID) -> LightID { systems[id]?.valves.min { $0.rawValue < $1.rawValue } ?? id }

    /// Handles the announcement of a valve of a device.
    ///
    /// - Parameters:
    ///   - id: The valve.
    ///   - system: The description of the device's irrigation system, without its functions.
    mutating func announced(_ id: LightID, of system: LightDescription) {
        guard systemOfValve[id] == nil, !separate.contains(system.id) else { return }
        if known.contains(id), !known.contains(system.id) {
            separate.insert(system.id)
        } else {
            waiting[id] = system
        }
    }

    // MARK: Actions

    /// Replaces the valves in actions with the systems that show them.
    mutating func joined(_ actions: [MQTTAction]) -> [MQTTAction] { actions.flatMap { joined($0) } }

    private mutating func joined(_ action: MQTTAction) -> [MQTTAction] {
        switch action {
        case .added(let light):
            if waiting[light.id] != nil, light.kind == .valve {
                valves[light.id, default: Valve(description: light)].description = light
                return []
            }
            waiting[light.id] = nil
            guard let system = systemOfValve[light.id] else {
                if systems[light.id] == nil { shown.insert(light.id) }
                return [action]
            }
            guard light.kind == .valve else { return remove(light.id, from: system) + joined(action) }
            valves[light.id]?.description = light
            return update(system)
        case .removed(let id):
            if let system = systemOfValve[id] { return remove(id, from: system) }
            waiting[id] = nil
            let isNew = valves.removeValue(forKey: id) != nil && !shown.contains(id)
            shown.remove(id)
            return isNew ? [] : [action]
        case .report(let id, let report):
            guard valves[id] != nil else { return [action] }
            valves[id]?.report.merge(report)
            return systemOfValve[id].map { self.report(report, of: id, in: $0) } ?? []
        default: return [action]
        }
    }

    /// Adds the waiting valves of a complete device with these entities.
    mutating func complete(_ members: Set<LightID>) -> [MQTTAction] {
        let new = members.filter { waiting[$0] != nil && valves[$0] != nil }.sorted { $0.rawValue < $1.rawValue }
        guard let system = new.first.flatMap({ waiting[$0] }) else { return [] }
        for id in new { waiting[id] = nil }
        let isKnown = systems[system.id] != nil || known.contains(system.id)
        guard !separate.contains(system.id), isKnown || new.count > 1 else {
            separate.insert(system.id)
            return new.flatMap { id -> [MQTTAction] in
                guard let valve = valves.removeValue(forKey: id) else { return [] }
                shown.insert(id)
                return [.added(valve.description), .report(id, valve.report)]
            }
        }
        // A valve that another source has announced as a switch may already be shown.
        let former = new.filter { shown.remove($0) != nil }.map { MQTTAction.removed($0) }
        for id in new { systemOfValve[id] = system.id }
        systems[system.id, default: System(device: system)].valves.formUnion(new)
        return former + update(system.id)
            + new.flatMap { id in report(valves[id]?.report ?? LightReport(), of: id, in: system.id) }
    }

    private mutating func remove(_ id: LightID, from system: LightID) -> [MQTTAction] {
        valves[id] = nil
        systemOfValve[id] = nil
        systems[system]?.valves.remove(id)
        return update(system)
    }

    /// Returns the action that adds, changes or removes a system.
    private mutating func update(_ id: LightID) -> [MQTTAction] {
        guard let system = systems[id] else { return [] }
        let own = system.valves.sorted { $0.rawValue < $1.rawValue }.compactMap { valves[$0]?.description }
        guard let first = own.first else {
            systems[id] = nil
            return [.removed(id)]
        }
        var description = system.device
        description.firmware = first.firmware
        description.functions =
            [.irrigationSystem(own.map(\.id.rawValue))]
            + own.flatMap { valve in
                valve.functions.map { function in
                    guard function.type == .valve else { return function }
                    return function.irrigationValve(valve.id.rawValue, name: valve.shortName(in: system.device.name))
                }
            }
        guard description != system.shown else { return [] }
        systems[id]?.shown = description
        return [.added(description)]
    }

    /// Returns the report of a valve as a report of its system.
    private mutating func report(_ report: LightReport, of id: LightID, in system: LightID) -> [MQTTAction] {
        var report = translated(report, from: id)
        if report.reachable != nil {
            let isReachable = systems[system]?.valves.contains { valves[$0]?.report.reachable == true }
            report.reachable = isReachable == systems[system]?.isReachable ? nil : isReachable
            systems[system]?.isReachable = isReachable
        }
        return report.isEmpty ? [] : [.report(system, report)]
    }

    /// Returns values of a valve as values of its system.
    func translated(_ report: LightReport, from id: LightID) -> LightReport {
        guard systemOfValve[id] != nil else { return report }
        var translated = report
        translated.values = PropertyValues()
        for (property, value) in report.values {
            translated.values.set(value, for: Property(property.type, of: property.function ?? id.rawValue))
        }
        return translated
    }

    /// Splits a command to a system into commands to its valves, or returns `nil` if the accessory isn't a system.
    func divided(_ command: LightCommand, to accessory: LightID) -> [(id: LightID, command: LightCommand)]? {
        guard let system = systems[accessory] else { return nil }
        var commands: [(id: LightID, command: LightCommand)] = []
        for id in system.valves.sorted(by: { $0.rawValue < $1.rawValue }) {
            var own = LightCommand()
            let functions = Set(valves[id]?.description.functions.compactMap(\.id) ?? [])
            for (property, value) in command.values {
                guard let function = property.function else { continue }
                if function == id.rawValue {
                    own.values.set(value, for: Property(property.type))
                } else if functions.contains(function) {
                    own.values.set(value, for: property)
                }
            }
            if !own.isEmpty { commands.append((id, own)) }
        }
        return commands
    }
}

extension LightDescription {
    /// Returns the name without the name of its device.
    fileprivate func shortName(in device: String) -> String {
        guard name.hasPrefix(device + " ") else { return name }
        return String(name.dropFirst(device.count + 1))
    }
}
