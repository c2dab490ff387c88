import BoundedJSON
import DeviceKit
import HAPModel

/// A cover of class garage or gate (Lights 6.6).
struct MQTTGarageDoor: MQTTComponent {
    static let names: Set = ["cover"]
    static let kind = LightKind.garageDoor
    static let keys = MQTTCover.keys.filter { !$0.hasPrefix("tilt") } + ["obstruction_template", "obstruction_topic"]
    /// The device classes of garage doors and gates.
    static let classes: Set = ["garage", "gate"]
    /// The longest time between a press and the first report of the movement.
    ///
    /// Some openers flash and beep for several seconds before they close a door.
    private static let startTime = Duration.seconds(15)

    private let cover: MQTTCover
    private let obstruction: MQTTLightSettings.Source?

    var capabilities: LightCapabilities { LightCapabilities() }

    var sources: [MQTTLightSettings.Source?] { cover.sources + [obstruction] }

    static func isShown(_ reader: KeyReader, component: String) throws(MQTTProblem) -> Bool {
        classes.contains(try reader.string("device_class") ?? "")
    }

    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem) {
        cover = try MQTTCover(reader, component: component, &settings)
        obstruction = try reader.source(topic: "obstruction_topic", template: "obstruction_template")
    }

    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity? { nil }

    // MARK: Messages

    func received(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration) -> LightReport {
        let hasStopped = cover.hasStopped(topic: topic, payload, by: &light)
        var report = door(cover.received(topic: topic, payload, by: &light, now: now), hasStopped: hasStopped, &light)
        switch light.text(obstruction, topic, payload) {
        case light.settings.payloadOn?: report.values[.obstructionDetected] = true
        case light.settings.payloadOff?: report.values[.obstructionDetected] = false
        default: break
        }
        return report
    }

    /// Converts a report about the cover to a report about the door.
    ///
    /// A door that has stopped on its way, and reports no position, is neither open nor closed.
    private func door(_ report: LightReport, hasStopped: Bool, _ light: inout MQTTLight) -> LightReport {
        let position = report.position ?? (report.motion == nil ? nil : light.memory.position)
        light.memory.position = position ?? light.memory.position
        guard let state = hasStopped ? .stopped : DoorState(position: position, report.motion) else {
            return LightReport()
        }
        if light.memory[.currentDoorState] != state { light.deadlines.reaction = nil }
        if state == .opening || state == .closing { light.reportsMovement = true }
        light.memory[.currentDoorState] = state
        var door = LightReport()
        door.values[.currentDoorState] = state
        return door
    }

    func timePassed(of light: inout MQTTLight, now: Duration) -> LightReport? {
        if let end = light.deadlines.reaction, end <= now { light.deadlines.reaction = nil }
        return cover.timePassed(of: &light, now: now).map { door($0, hasStopped: false, &light) }
    }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool {
        cover.isUnreadable(topic: topic, payload, by: &light)
    }

    // MARK: Commands

    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage] {
        guard let target = command.values[.targetDoorState] else {
            throw .refused("the door doesn't support this command")
        }
        let state = light.memory[.currentDoorState]
        // While the state is unknown, a press that is meant to close the door could open it.
        if cover.isToggled, state == nil, cover.sources.contains(where: { $0 != nil }) {
            throw .refused("the door's state isn't known yet")
        }
        let isThere = target == .open ? state == .open || state == .opening : state == .closed || state == .closing
        guard cover.isToggled else { return [try cover.moveMessage(opens: target == .open, to: &light)] }
        // Until the door reacts to a press, another press could stop it on its way.
        if light.deadlines.reaction != nil {
            if target == light.memory[.targetDoorState] { return [] }
            throw .refused("the door hasn't reacted to the last press yet")
        }
        // The same message opens and closes the door, so sending it would move the door away from its target.
        if isThere { return [] }
        let press = try cover.moveMessage(opens: target == .open, to: &light)
        light.memory[.targetDoorState] = target
        light.deadlines.reaction = reactionTime(of: light).map { light.commandTime + $0 }
        return [press]
    }

    /// Returns the time without a report after which a press counts as lost.
    ///
    /// A closed door soon reports that it isn't closed anymore. Other doors soon report a movement if they report
    /// movements at all; otherwise, the first report arrives at the end of the movement.
    private func reactionTime(of light: MQTTLight) -> Duration? {
        let reportsStart = light.reportsMovement || light.memory[.currentDoorState] == .closed
        return reportsStart ? Self.startTime : Self.kind.rules.reaction?.time
    }

    func handedOver(_ command: LightCommand, to light: inout MQTTLight) -> LightReport {
        guard light.settings.isOptimistic || cover.sources.allSatisfy({ $0 == nil }),
            let target = command.values[.targetDoorState]
        else { return LightReport() }
        light.deadlines.reaction = nil
        light.memory[.currentDoorState] = target
        return LightReport(Self.kind.rules.outcome(of: command.values))
    }
}

extension MQTTCover {
    /// Returns whether a message from a cover without a position means that the cover has stopped.
    fileprivate func hasStopped(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool {
        hasOnlyWords && light.text(sources[1], topic, payload).map(isStop) ?? false
    }
}
