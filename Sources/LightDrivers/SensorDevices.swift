import DeviceKit

/// Combines readings and buttons, which have separate ids, into one sensor per device, and adds a meter's readings to
/// the measured device.
///
/// The sensor to which a reading belongs depends as little as possible on the order of the readings. A device has the
/// id that its producer assigns, and all its readings join it. A second reading of the same kind becomes a separate
/// sensor, and so does a reading without a device. Such a reading remains a separate sensor after a restart. A
/// substitute, such as vibration for motion, becomes a separate sensor when the device has the reading itself. A sensor
/// that has only a battery isn't shown; with buttons, it is a button.
///
/// A meter's reading whose device is another light, such as an outlet, becomes a part of that light. Voltage and
/// current are shown only together with power or energy: alone, they are often measured at a battery.
struct SensorDevices: Sendable {
    /// A change for the host.
    enum Change: Equatable {
        case added(LightDescription)
        case removed(LightID)
        case report(LightID, LightReport)
    }

    private struct Part {
        var description: LightDescription
        /// The device that the reading belongs to, as described along with the reading; `nil` if there is none.
        var device: LightDescription?
        var sensor: LightID
        var isSubstitute = false
        var isReachable = false

        var reading: SensorReading? { description.capabilities.readings.first }

        /// Returns the sort key for choosing the device's description.
        ///
        /// A meter is last, because it may not be shown.
        func place(_ id: LightID) -> (Int, String) { (reading?.isMeter == true ? 1 : 0, id.rawValue) }
    }

    private var parts: [LightID: Part] = [:]
    /// The ids of the readings of each sensor, which avoids a search among thousands of readings.
    private var partsOfSensor: [LightID: Set<LightID>] = [:]
    /// The last description and reachability of each shown sensor.
    private var shown: [LightID: (description: LightDescription, isReachable: Bool)] = [:]
    /// The lights that meters' readings can join, as their producer describes them.
    private var lights: [LightID: LightDescription] = [:]
    /// The ids of the sensors that the bridge knew before the start.
    private let known: Set<LightID>
    /// The kinds that are shown.
    private let kinds: Set<LightKind>

    init(kinds: Set<LightKind> = Set(LightKind.allCases), known: some Sequence<LightID> = []) {
        self.kinds = kinds
        self.known = Set(known)
    }

    var ids: some Sequence<LightID> { shown.keys }

    /// Returns whether a sensor with these readings is shown.
    ///
    /// A sensor that has only a battery or a tamper switch isn't shown.
    static func isShown(_ readings: some Sequence<SensorReading>) -> Bool {
        readings.contains { !$0.isAboutSensor && (!$0.isMeter || $0 == .power || $0 == .energy) }
    }

    /// Returns the kind and the capabilities of a device with readings and buttons.
    ///
    /// A device with both is a sensor. If only sensors or only buttons are shown, the device has no functions of the
    /// other kind, except for its battery.
    static func accessory(
        _ readings: Set<SensorReading>, _ buttons: [PushButton], kinds: Set<LightKind>
    ) -> (kind: LightKind, capabilities: LightCapabilities) {
        let isMeter = readings.contains(where: \.isMeter) && readings.allSatisfy { $0.isMeter || $0.isBattery }
        let hasBoth = isShown(readings) && !buttons.isEmpty && (!isMeter || kinds.contains(.meter))
        var capabilities = LightCapabilities.sensor(readings)
        if !hasBoth || kinds.contains(.button) { capabilities.buttons = buttons }
        let isButton =
            hasBoth ? kinds.contains(.button) && !kinds.contains(isMeter ? .meter : .sensor) : !buttons.isEmpty
        return (isButton ? .button : isMeter ? .meter : .sensor, capabilities)
    }

    func isReading(_ id: LightID) -> Bool { parts[id] != nil }

    /// Returns the sensor that shows a reading or buttons.
    func sensor(of id: LightID) -> LightID? { parts[id].flatMap { shown[$0.sensor] == nil ? nil : $0.sensor } }

    /// Returns the ids of the readings and buttons that a sensor shows.
    func ids(joining sensor: LightID) -> Set<LightID> { partsOfSensor[sensor] ?? [] }

    /// Adds a reading, or updates its description.
    ///
    /// A reading without a device becomes a separate sensor.
    ///
    /// - Parameters:
    ///   - reading: The reading.
    ///   - device: The device that the reading belongs to, or `nil` if there is none.
    ///   - isSubstitute: A Boolean value that indicates whether the device measures something else.
    /// - Returns: The changes of sensors.
    mutating func added(
        _ reading: LightDescription, of device: LightDescription?, isSubstitute: Bool = false
    ) -> [Change] {
        let former = parts[reading.id]
        var moved: [LightID] = []
        let sensor: LightID
        if let former, former.device?.id == device?.id, former.reading == reading.capabilities.readings.first {
            sensor = former.sensor
        } else {
            (sensor, moved) = place(of: reading, device, isSubstitute: isSubstitute)
        }
        for id in moved {
            parts[id]?.sensor = id
            partsOfSensor[sensor]?.remove(id)
            partsOfSensor[id, default: []].insert(id)
        }
        if let former { partsOfSensor[former.sensor]?.remove(reading.id) }
        partsOfSensor[sensor, default: []].insert(reading.id)
        parts[reading.id] = Part(
            description: reading, device: device, sensor: sensor, isSubstitute: isSubstitute,
            isReachable: former?.isReachable ?? false)
        var changes: [Change] = []
        if let former, former.sensor != sensor { changes += update(former.sensor) }
        return changes + update(sensor) + moved.flatMap { update($0) }
    }

    /// Returns the sensor of a reading, and the substitutes that become separate sensors because of it.
    private func place(
        of reading: LightDescription, _ device: LightDescription?, isSubstitute: Bool
    ) -> (sensor: LightID, moved: [LightID]) {
        guard let device, !known.contains(reading.id) else { return (reading.id, []) }
        let rivals = parts(of: device.id).filter { id, part in
            id != reading.id && part.description.capabilities == reading.capabilities
        }
        let isTaken = rivals.contains { isSubstitute || !$0.part.isSubstitute }
        return isTaken ? (reading.id, []) : (device.id, rivals.map(\.id))
    }

    mutating func removed(_ id: LightID) -> [Change] {
        guard let part = parts.removeValue(forKey: id) else { return [] }
        partsOfSensor[part.sensor]?.remove(id)
        return update(part.sensor)
    }

    /// Processes a reading's value and reachability.
    mutating func reported(_ report: LightReport, from id: LightID) -> [Change] {
        guard let part = parts[id] else { return [] }
        if let isReachable = report.reachable { parts[id]?.isReachable = isReachable }
        var readings = report.readings
        // The value of an unreachable reading is unknown. The sensor is unreachable only if all its readings are.
        if report.reachable == false, let reading = part.reading { readings[reading] = .unknown }
        if let light = lights[part.sensor] {
            var values = LightReport()
            values.setMeter(readings, of: light)
            return values.isEmpty ? [] : [.report(part.sensor, values)]
        }
        guard let sensor = shown[part.sensor] else { return [] }
        var sum = LightReport(readings: readings)
        if report.reachable != nil, case let isReachable = isReachable(part.sensor), isReachable != sensor.isReachable {
            shown[part.sensor]?.isReachable = isReachable
            sum.reachable = isReachable
        }
        return sum.isEmpty ? [] : [.report(part.sensor, sum)]
    }

    /// Replaces the readings in actions with the sensors that show them.
    ///
    /// - Parameters:
    ///   - actions: The actions, in order.
    ///   - device: Returns the description of the sensor that a reading belongs to, or of the reading itself if there
    ///     is no such sensor. Returns `nil` for a light that isn't a reading.
    ///   - isSubstitute: Returns whether the device of a reading measures something else.
    /// - Returns: The actions for the host.
    mutating func joined<Action: LightAction>(
        _ actions: [Action], device: (LightDescription) -> LightDescription?,
        isSubstitute: (LightID) -> Bool = { _ in false }
    ) -> [Action] {
        let joined = actions.flatMap { action -> [Action] in
            let changes: [Change]
            switch action.change {
            case .added(let light)?:
                guard let device = device(light) else {
                    lights[light.id] = light
                    return [.added(withMeter(light))]
                }
                changes = added(light, of: device, isSubstitute: isSubstitute(light.id))
            case .removed(let id)? where isReading(id): changes = removed(id)
            case .removed(let id)?:
                lights[id] = nil
                return [action]
            case .report(let id, let report)? where isReading(id): changes = reported(report, from: id)
            default: return [action]
            }
            return changes.map { change in
                switch change {
                case .added(let light): .added(light)
                case .removed(let id): .removed(id)
                case .report(let id, let report): .report(id, report)
                }
            }
        }
        return Self.withoutIntermediate(joined)
    }

    /// Removes descriptions that later descriptions replace, because each reading of a meter changes the description
    /// of its device.
    private static func withoutIntermediate<Action: LightAction>(_ actions: [Action]) -> [Action] {
        var last: [LightID: LightDescription] = [:]
        var count = 0
        for action in actions {
            switch action.change {
            case .added(let light)?:
                last[light.id] = light
                count += 1
            case .removed?: return actions
            case .report?, nil: break
            }
        }
        guard last.count < count else { return actions }
        return actions.compactMap { action in
            guard case .added(let light)? = action.change else { return action }
            return last.removeValue(forKey: light.id).map(Action.added)
        }
    }

    /// Returns a light with the readings of its meter.
    private func withMeter(_ light: LightDescription) -> LightDescription {
        var light = light
        light.addMeter(readings(of: parts(of: light.id).map(\.part)))
        return light
    }

    /// Returns the readings of an accessory with these parts.
    private func readings(of parts: [Part]) -> Set<SensorReading> {
        let readings = parts.reduce(into: Set<SensorReading>()) { $0.formUnion($1.description.capabilities.readings) }
        return readings.isDisjoint(with: [.power, .energy]) ? readings.filter { !$0.isMeter } : readings
    }

    private func parts(of sensor: LightID) -> [(id: LightID, part: Part)] {
        (partsOfSensor[sensor] ?? []).compactMap { id in parts[id].map { (id, $0) } }
    }

    private func isReachable(_ sensor: LightID) -> Bool { parts(of: sensor).contains { $0.part.isReachable } }

    /// Updates the description of a sensor after its readings have changed.
    ///
    /// Adds or removes the sensor if necessary.
    private mutating func update(_ sensor: LightID) -> [Change] {
        let own = parts(of: sensor)
        if own.isEmpty { partsOfSensor[sensor] = nil }
        if let light = lights[sensor] { return [.added(withMeter(light))] }
        let readings = readings(of: own.map(\.part))
        let descriptions = own.sorted { $0.id.rawValue < $1.id.rawValue }.map(\.part.description)
        let buttons = [PushButton](merging: [descriptions.flatMap(\.buttons)])
        let scenes = descriptions.flatMap(\.scenes)
        guard Self.isShown(readings) || !buttons.isEmpty || !scenes.isEmpty,
            // Each reading comes with a description of the device. Choose a description independently of their order of
            // arrival.
            let first = own.min(by: { $0.part.place($0.id) < $1.part.place($1.id) })?.part
        else { return shown.removeValue(forKey: sensor) == nil ? [] : [.removed(sensor)] }
        var description = sensor == first.description.id ? first.description : first.device ?? first.description
        let (kind, capabilities) = Self.accessory(readings, buttons, kinds: kinds)
        let hasOthers = (Self.isShown(readings) || !buttons.isEmpty) && kinds.contains(kind)
        description.kind = hasOthers || scenes.isEmpty ? kind : .scene
        if description.kind == kind { description.capabilities = capabilities } else { description.functions = [] }
        description.functions += scenes
        let former = shown[sensor]
        guard former?.description != description else { return [] }
        let isReachable = isReachable(sensor)
        shown[sensor] = (description, isReachable)
        guard former == nil else { return [.added(description)] }
        return [.added(description), .report(sensor, LightReport(reachable: isReachable))]
    }
}

/// An action that a registry of devices requests.
///
/// Some actions change lights.
protocol LightAction {
    static func added(_ light: LightDescription) -> Self
    static func removed(_ light: LightID) -> Self
    static func report(_ light: LightID, _ report: LightReport) -> Self

    /// The change if the action changes a light; otherwise `nil`.
    var change: SensorDevices.Change? { get }
}

extension DeviceAction: LightAction {
    var change: SensorDevices.Change? {
        switch self {
        case .added(let light): .added(light)
        case .removed(let id): .removed(id)
        case .report(let id, let report): .report(id, report)
        case .connect, .occurred, .output, .close, .warn, .finished: nil
        }
    }
}

extension MQTTAction: LightAction {
    var change: SensorDevices.Change? {
        switch self {
        case .added(let light): .added(light)
        case .removed(let id): .removed(id)
        case .report(let id, let report): .report(id, report)
        case .occurred, .subscribe, .unsubscribe, .warn, .idMissing, .publish: nil
        }
    }
}
