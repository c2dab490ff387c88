import BoundedJSON
package import DeviceKit
package import Discovery
package import HTTPKit

/// A session with one Shelly device of the first generation (Lights 9.6.1).
///
/// It sends one HTTP request at a time and polls the device's status. A CoIoT packet from the device only triggers an
/// immediate poll; its content isn't needed.
package struct ShellyGen1Session: DeviceSession {
    package typealias Options = ShellyOptions

    package enum Output: Equatable, Sendable {
        /// Send a request, with the password if the device requires one.
        case request(number: Int, HTTPClientRequest, isProtected: Bool)
        /// Listen to the device's CoIoT packets.
        case listen
    }

    package enum Input: Equatable, Sendable {
        case answer(number: Int, HTTPClientResponse)
        case noAnswer(number: Int, HTTPFault)
        /// The device has sent a CoIoT packet.
        case pushed
    }

    package static let traits = DeviceTraits(
        driverName: "shelly-gen1", serviceType: "_http._tcp", port: 80, maximumDevices: 128)

    /// The maximum length of an answer in bytes.
    static let maximumBody = 1 << 16
    static let maximumOutputs = 8
    static let maximumProbes = 6
    static let maximumInputs = 8
    /// The intervals between polls: normally, while a motor is running, and after a command; and the shortest interval
    /// before a poll that a packet causes.
    static let pollIntervals = (
        calm: Duration.seconds(5), moving: Duration.seconds(1), afterCommand: Duration.seconds(1),
        pushed: Duration.seconds(1)
    )
    /// The duration of an identification.
    static let identification = Duration.seconds(1)
    /// The number of unusable answers in a row that end the session.
    private static let tolerance = 3

    private enum Request: Equatable, Sendable {
        case identity, settings, status
        /// A command. If its number is `nil`, it is the last step of an identification, whose result isn't reported.
        case command(LightCommand, LightID, number: Int?)

        var isQuestion: Bool { if case .command = self { false } else { true } }
        var command: Int? { if case .command(_, _, let number) = self { number } else { nil } }
    }

    private let name: String
    private let isConfigured: Bool
    private let kinds: Set<LightKind>
    private let options: ShellyOptions
    private var identity: JSONValue = .null
    private var mac = ""
    private var settings: JSONValue = .null
    private var outputs: [ShellyGen1Output] = []
    private var sensors: [ShellyGen1Sensor] = []
    private var buttons: [ShellyGen1Button] = []
    /// The counters of events at the last poll, by input.
    private var eventCounts: [Int: Int] = [:]
    private var lights: [LightDescription]?
    private var queue = CallQueue<Request>()
    private var pollAt: Duration?
    private var lastPoll = Duration.zero
    /// The parts of the last status that change with the settings.
    private var revision: [JSONValue?]?
    private var isRevised = false
    /// The number of polls in a row without a usable answer.
    private var missedPolls = 0
    /// A Boolean value that indicates whether the device isn't used, and therefore not queried.
    private var isIdle = false
    private var blinking = BlinkingLights(count: 1, pause: identification)

    /// Returns whether a service may be a Shelly device, as in `shelly1-25A73E` or `ShellyVintage-AABBCCDDEEFF`.
    package static func isDevice(named name: String) -> Bool {
        guard name.lowercased().hasPrefix("shelly"), let digits = name.split(separator: "-").last else { return false }
        return digits.isMAC || (digits.utf8.count == 6 && digits.allSatisfy { $0.isASCII && $0.isHexDigit })
    }

    /// Returns the MAC address at the end of the service's name.
    ///
    /// Older firmware versions announce only half of the address.
    package static func id(of service: DiscoveredService) -> String? {
        service.name.split(separator: "-").last.map { $0.lowercased() }.flatMap { $0.isMAC ? $0 : nil }
    }

    package static func secretFile(of target: DeviceTarget, options: ShellyOptions) -> String? { options.passwordFile }

    package init(target: DeviceTarget, kinds: Set<LightKind>, options: ShellyOptions, now: Duration) {
        name = target.name
        isConfigured = target.isConfigured
        self.kinds = kinds
        self.options = options
    }

    // MARK: From the device

    package mutating func started(now: Duration) -> [SessionEvent<Output>] {
        queue.ask(.identity)
        return transmit(now)
    }

    package mutating func received(_ input: Input, now: Duration) -> [SessionEvent<Output>] {
        switch input {
        case .answer(let number, let response):
            guard let request = queue.answered(number) else { return [] }
            return answered(request, response, now: now) + transmit(now)
        case .noAnswer(let number, let fault):
            return queue.answered(number) == nil ? [] : [.failed(.unreachable(fault.text))]
        case .pushed:
            guard lights != nil, !isIdle else { return [] }
            poll(at: max(now, lastPoll + Self.pollIntervals.pushed))
            return timePassed(now: now)
        }
    }

    /// Connects again to a device that isn't used, because its settings may have changed.
    package mutating func announcedAgain(now: Duration) -> [SessionEvent<Output>] {
        isIdle ? [.failed(.unreachable("it may have new settings"))] : []
    }

    private mutating func answered(
        _ request: Request, _ response: HTTPClientResponse, now: Duration
    ) -> [SessionEvent<Output>] {
        if response.status == 401, request != .identity { return [refused] }
        let json = try? JSONValue(parsing: response.body, maximumLength: Self.maximumBody)
        let object = json?.object == nil || response.status != 200 ? nil : json
        switch request {
        case .identity: return met(object, response)
        case .settings:
            guard let object, object["device"]?.object != nil else { return missed(response, now: now) }
            return configured(object)
        case .status:
            guard let object else { return missed(response, now: now) }
            if let other = object["mac"]?.string, other.lowercased() != mac {
                return [.failed(.unreachable("another device answers at its address"))]
            }
            missedPolls = 0
            let events = learnt(object)
            poll(at: now + (outputs.contains(where: \.isMoving) ? Self.pollIntervals.moving : Self.pollIntervals.calm))
            return events
        case .command(let command, let light, let number):
            var events: [SessionEvent<Output>] = []
            if let object, let index = outputs.firstIndex(where: { id($0) == light }) {
                outputs[index].accepted(command, object)
                if !blinking.contains(light) { events.append(.report(light, outputs[index].report)) }
            }
            poll(at: number == nil ? now : now + Self.pollIntervals.afterCommand)
            return events + (number.map { [.finished(command: $0, Self.error(response.status))] } ?? [])
        }
    }

    private static func error(_ status: Int) -> LightError? {
        switch status {
        case 200: nil
        case 429, 500...599: .busy
        default: .refused("the device answered with status \(status)")
        }
    }

    /// Processes an answer that isn't usable.
    ///
    /// Once the state is known, a few unusable answers in a row are tolerated.
    private mutating func missed(_ response: HTTPClientResponse, now: Duration) -> [SessionEvent<Output>] {
        guard let reason = response.transientFault else {
            return [.failed(.unusable("\(name) doesn't report its settings or its status; update its firmware"))]
        }
        missedPolls += 1
        guard lights != nil, missedPolls < Self.tolerance else { return [.failed(.unreachable(reason))] }
        poll(at: now + Self.pollIntervals.calm)
        return []
    }

    private mutating func met(_ json: JSONValue?, _ response: HTTPClientResponse) -> [SessionEvent<Output>] {
        guard let json, let digits = json["mac"]?.string?.lowercased(), digits.isMAC,
            json["gen"] != nil || json["type"]?.string != nil
        else {
            if let reason = response.transientFault { return [.failed(.unreachable(reason))] }
            let remedy =
                isConfigured ? "remove it from hosts" : "list the Shelly devices in hosts, with discover: false"
            return [.failed(.unusable("\(name) isn't a Shelly device; \(remedy)"))]
        }
        identity = json
        mac = digits
        guard json["gen"]?.int ?? 1 < 2 else {
            // Later generations announce the same service. The `shelly` driver also finds them.
            guard isConfigured else { return unused(nil) }
            return [.failed(.unusable("\(name) is a later Shelly device; move it to the shelly driver"))]
        }
        if json["sleep_mode"]?.bool == true { return asleep }
        if json["auth"]?.bool == true, options.passwordFile == nil { return [refused] }
        queue.ask(.settings)
        return []
    }

    private var asleep: [SessionEvent<Output>] {
        mutating get {
            unused("\(name) isn't shown, because it sleeps most of the time; connect it over MQTT with the mqtt driver")
        }
    }

    /// Stops using the device, without further connection attempts.
    private mutating func unused(_ warning: String?) -> [SessionEvent<Output>] {
        isIdle = true
        return [.identified(mac), .lights([]), .warning(warning)]
    }

    private var refused: SessionEvent<Output> {
        guard let file = options.passwordFile else {
            return .failed(
                .unauthorized(
                    "\(name) requires a password; put the password in a file, and set password-file to the file's path")
            )
        }
        return .failed(.unauthorized("\(name) rejected the password in \(file); correct the password"))
    }

    private mutating func configured(_ json: JSONValue) -> [SessionEvent<Output>] {
        if json["sleep_mode"]?.object != nil || json["device"]?["sleep_mode"]?.bool == true { return asleep }
        settings = json
        isRevised = false
        outputs = ShellyGen1Output.all(in: json, type: type, maximum: Self.maximumOutputs).filter(isShown)
        sensors = []
        queue.ask(.status)
        return []
    }

    private func isShown(_ output: ShellyGen1Output) -> Bool {
        output.kind != .relay || options.switches || output.switchesLamp
    }

    private mutating func learnt(_ status: JSONValue) -> [SessionEvent<Output>] {
        for index in outputs.indices { outputs[index].merge(status: status) }
        readSensors(status)
        let new = [status["cfg_changed_cnt"], status["mode"]]
        isRevised = isRevised || (revision.map { $0 != new } ?? false)
        revision = new
        let presses = readButtons(status)
        var events: [SessionEvent<Output>] = lights == nil ? [.identified(mac), .output(.listen)] : []
        let descriptions = descriptions
        if descriptions != lights {
            lights = descriptions
            events.append(.lights(descriptions))
        }
        for output in outputs where output.isKnown && !blinking.contains(id(output)) {
            var report = output.report
            if let light = descriptions.first(where: { $0.id == id(output) }) {
                report.setMeter(output.meter.readings, of: light)
            }
            events.append(.report(id(output), report))
        }
        for sensor in sensors {
            events.append(.report(id(sensor), LightReport(readings: sensor.readings, reachable: true)))
        }
        if descriptions.last?.id == buttonsID { events.append(.report(buttonsID, LightReport(reachable: true))) }
        return events + presses
    }

    /// Reads the sensors.
    ///
    /// A missing sensor becomes unknown until the settings are read again.
    private mutating func readSensors(_ status: JSONValue) {
        let new = ShellyGen1Sensor.all(in: status, maximumProbes: Self.maximumProbes)
        let missing = sensors.filter { known in !new.contains { $0.key == known.key } }
        sensors = (new + missing.map(\.unknown)).sorted { $0.key < $1.key }
    }

    /// Reads the inputs with push buttons, and returns the presses since the last poll.
    ///
    /// An input has a press only if its counter has risen. After a restart of the device, the counter is lower.
    private mutating func readButtons(_ status: JSONValue) -> [SessionEvent<Output>] {
        let inputs = (status["inputs"]?.array ?? []).prefix(Self.maximumInputs)
        buttons = []
        var presses: [SessionEvent<Output>] = []
        for (number, input) in inputs.enumerated() {
            guard let button = ShellyGen1Button(number, input, settings: settings, type: type) else { continue }
            buttons.append(button)
            let former = eventCounts[number]
            eventCounts[number] = ShellyGen1Button.count(input)
            guard let former, let count = eventCounts[number], count > former, kinds.contains(.button),
                let press = ShellyGen1Button.press(input)
            else { continue }
            let events = button.words.events(press)
            if !events.isEmpty { presses.append(.occurred(host(of: button), events)) }
        }
        return presses
    }

    // MARK: Descriptions

    private var type: String { identity["type"]?.shortText ?? "" }

    private var deviceName: String {
        let names = [settings["name"], identity["name"], settings["device"]?["hostname"]].compactMap { $0?.shortText }
        return names.first { !$0.isEmpty } ?? "Shelly \(mac)"
    }

    /// The version in a firmware's name, such as 1.14.0 in `20230913-114427/v1.14.0-gcb84623`.
    private var firmware: String? {
        let text = identity["fw"]?.shortText?.split(separator: "/").last.map(String.init)
        return text.map { String($0.drop { $0 == "v" }.prefix { $0 != "-" && $0 != "@" }) }
    }

    private func id(_ output: ShellyGen1Output) -> LightID { LightID("\(mac)/\(output.key)") }
    private func id(_ sensor: ShellyGen1Sensor) -> LightID { LightID("\(mac)/\(sensor.key)") }
    private var buttonsID: LightID { LightID("\(mac)/buttons") }

    private var descriptions: [LightDescription] {
        var descriptions = outputs.indices.map { description(of: outputs[$0], index: $0) }
        descriptions += sensors.descriptions(hasOutputs: !outputs.isEmpty, of: deviceName) {
            description(LightID("\(mac)/\($0)"), $1, $2, $3)
        }
        if buttons.contains(where: { host(of: $0) == buttonsID }) {
            descriptions.append(description(buttonsID, deviceName, .button, LightCapabilities()))
        }
        // If a button has no host, report it even if buttons aren't shown: the bridge hides and counts its accessory.
        for button in buttons where kinds.contains(.button) || host(of: button) == buttonsID {
            guard let index = descriptions.firstIndex(where: { $0.id == host(of: button) }) else { continue }
            descriptions[index].buttons += button.words.buttons
        }
        return descriptions
    }

    /// Returns the accessory of a button: the output with its number, another output, a sensor, or a separate
    /// accessory.
    private func host(of button: ShellyGen1Button) -> LightID {
        let shown = outputs.indices.filter { kinds.contains(kind(of: outputs[$0])) }
        let output = shown.first { outputs[$0].number == button.number } ?? shown.first
        if let output { return id(outputs[output]) }
        return kinds.contains(.sensor) ? sensors.first { !$0.isMeter }.map { id($0) } ?? buttonsID : buttonsID
    }

    private func kind(of output: ShellyGen1Output) -> LightKind {
        switch output.kind {
        case .light: .light
        case .roller: .cover
        case .relay: output.switchesLamp ? .light : type.hasPrefix("SHPLG") ? .outlet : .switch
        }
    }

    private func description(of output: ShellyGen1Output, index: Int) -> LightDescription {
        let usual = outputs.count > 1 ? "\(deviceName) \(index + 1)" : deviceName
        var description = description(id(output), output.name ?? usual, kind(of: output), output.capabilities)
        if let functions = output.functions { description.functions = functions }
        description.addMeter(output.meter.readings.keys)
        return description
    }

    private func description(
        _ id: LightID, _ name: String, _ kind: LightKind, _ capabilities: LightCapabilities
    ) -> LightDescription {
        LightDescription(
            id: id, name: name, kind: kind, capabilities: capabilities, manufacturer: "Shelly", model: type,
            serialNumber: mac, firmware: firmware)
    }

    // MARK: To the device

    private mutating func transmit(_ now: Duration) -> [SessionEvent<Output>] {
        guard let (number, request) = queue.transmit(now: now) else { return [] }
        if request == .status { lastPoll = now }
        return [
            .output(
                .request(
                    number: number, HTTPClientRequest(method: .get, path: path(request)),
                    isProtected: request != .identity && identity["auth"]?.bool == true))
        ]
    }

    private func path(_ request: Request) -> String {
        switch request {
        case .identity: "/shelly"
        case .settings: "/settings"
        case .status: "/status"
        // If the output has been removed in the meantime, send a request that changes nothing.
        case .command(let command, let light, _): output(light)?.path(for: command) ?? "/shelly"
        }
    }

    private func output(_ light: LightID) -> ShellyGen1Output? { outputs.first { id($0) == light } }

    package mutating func apply(
        _ command: LightCommand, to light: LightID, number: Int, now: Duration
    ) throws(LightError) -> [SessionEvent<Output>] {
        guard output(light) != nil else { throw .unknownLight }
        blinking.end(light)
        return add(.command(command, light, number: number), now)
    }

    package mutating func identify(
        _ light: LightID, number: Int, now: Duration
    ) throws(LightError) -> [SessionEvent<Output>] {
        guard let output = output(light) else { throw .unknownLight }
        // Don't switch relays or motors for identification, because their appliances may not tolerate it.
        guard output.kind == .light else { return [.finished(command: number, nil)] }
        blinking.begin(light, number: number, isOn: output.power ?? false, now: now)
        return blink(now)
    }

    private mutating func blink(_ now: Duration) -> [SessionEvent<Output>] {
        blinking.steps(now: now).flatMap { step in
            let command = LightCommand(on: step.isOn, transition: .zero)
            return add(.command(command, step.light, number: step.isLast ? nil : step.number), now)
        }
    }

    private mutating func add(_ request: Request, _ now: Duration) -> [SessionEvent<Output>] {
        queue.add(request) { $0.isQuestion }
        return transmit(now)
    }

    package mutating func cancelled(command: Int) { queue.forget { $0.command == command } }

    // MARK: Time

    /// Schedules the next poll, unless an earlier poll is scheduled.
    private mutating func poll(at time: Duration) { pollAt = min(pollAt ?? time, time) }

    package var deadline: Duration? { [pollAt, blinking.deadline].compactMap { $0 }.min() }

    package mutating func timePassed(now: Duration) -> [SessionEvent<Output>] {
        let events = blink(now)
        if let at = pollAt, at <= now {
            pollAt = nil
            queue.ask(isRevised ? .settings : .status)
        }
        return events + transmit(now)
    }
}
