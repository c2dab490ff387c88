import BoundedJSON
package import DeviceKit
package import Discovery
package import HTTPKit

/// The configuration keys of the `shelly` and `shelly-gen1` drivers that apply to all of their devices.
package struct ShellyOptions: Equatable, Sendable {
    /// A Boolean value that indicates whether all relays are added.
    ///
    /// Otherwise only relays that are configured on the device as switches for lamps are added.
    package var switches: Bool
    /// The file with the devices' password.
    package var passwordFile: String?
    /// The ids of the covers that are garage doors or gates, such as `A8032AB12345/cover:0`.
    package var garageDoors: Set<String>

    package init(switches: Bool = false, passwordFile: String? = nil, garageDoors: Set<String> = []) {
        self.switches = switches
        self.passwordFile = passwordFile
        self.garageDoors = Set(garageDoors.map { $0.lowercased() })
    }
}

/// A session with one Shelly device of the second generation or later (Lights 9.6).
///
/// The session requests the device's identity by HTTP. Everything else uses the device's WebSocket: calls, which are
/// sent one at a time, and changes that the device reports without a request. The session also polls the status,
/// because a device that has lost power can't report that.
package struct ShellySession: DeviceSession {
    package typealias Options = ShellyOptions

    package enum Output: Equatable, Sendable {
        /// Request the device's identity by HTTP.
        case identify
        case open
        case call(ShellyCall)
    }

    package enum Input: Equatable, Sendable {
        case identity(HTTPClientResponse)
        case opened
        case message([UInt8])
        case closed(HTTPFault)
    }

    package static let traits = DeviceTraits(
        driverName: "shelly", serviceType: "_shelly._tcp", port: 80, maximumDevices: 128)

    /// The maximum number of outputs of a device, and also of its sensors.
    static let maximumOutputs = 16
    /// The interval between status queries, and the delay between a command and the next query.
    static let pollIntervals = (calm: Duration.seconds(20), afterCommand: Duration.seconds(1))
    /// The duration of an identification.
    static let identification = Duration.seconds(1)

    private enum Request: Equatable, Sendable {
        case configuration
        /// The dynamic components from a number on.
        case components(Int)
        case status
        /// A command. If its number is `nil`, it is the last step of an identification, whose result isn't reported.
        case command(LightCommand, LightID, number: Int?)

        var isQuestion: Bool { if case .command = self { false } else { true } }
        var command: Int? { if case .command(_, _, let number) = self { number } else { nil } }
    }

    private let name: String
    private let kinds: Set<LightKind>
    private let options: ShellyOptions
    /// The device's identity from the HTTP request.
    private var identity: JSONValue?
    private var mac = ""
    private var configuration: JSONValue?
    private var outputs: [ShellyOutput] = []
    private var sensors: [ShellySensor] = []
    private var buttons: [ShellyButton] = []
    private var bluetooth: [ShellyBluetooth] = []
    /// The dynamic components that were read so far.
    private var components: [JSONValue] = []
    private var lights: [LightDescription]?
    private var queue = CallQueue<Request>()
    private var challenge: ShellyChallenge?
    /// A Boolean value that indicates whether the current request was repeated without authentication, so that the
    /// device sends a new challenge.
    private var isNonceRenewed = false
    /// The number of challenges that were answered for the current request.
    ///
    /// Another challenge may follow if the previous challenge has expired.
    private var challengesAnswered = 0
    private var pollAt: Duration?
    private var blinking = BlinkingLights(count: 1, pause: identification)

    /// Returns the MAC address at the end of the service's name, as in `shellyplus1-aabbccddeeff`.
    package static func id(of service: DiscoveredService) -> String? {
        service.name.split(separator: "-").last.map { $0.lowercased() }.flatMap { $0.isMAC ? $0 : nil }
    }

    package static func secretFile(of target: DeviceTarget, options: ShellyOptions) -> String? { options.passwordFile }

    package static func namedLights(in options: ShellyOptions) -> NamedLights? {
        guard !options.garageDoors.isEmpty else { return nil }
        return NamedLights(
            key: ShellyDriverConfiguration.CodingKeys.garageDoors.rawValue,
            ids: Set(options.garageDoors.map { LightID($0) }), kind: .garageDoor, noun: "cover")
    }

    package init(target: DeviceTarget, kinds: Set<LightKind>, options: ShellyOptions, now: Duration) {
        name = target.name
        self.kinds = kinds
        self.options = options
    }

    // MARK: From the device

    package mutating func started(now: Duration) -> [SessionEvent<Output>] { [.output(.identify)] }

    package mutating func received(_ input: Input, now: Duration) -> [SessionEvent<Output>] {
        switch input {
        case .identity(let response): return met(response)
        case .opened:
            queue.ask(.configuration)
            return transmit(now)
        case .message(let bytes):
            guard let json = try? JSONValue(parsing: bytes) else { return [.unreadable] }
            return received(json, now: now)
        case .closed(let fault): return [.failed(.unreachable(fault.text))]
        }
    }

    private mutating func met(_ response: HTTPClientResponse) -> [SessionEvent<Output>] {
        let json = try? JSONValue(parsing: response.body)
        let digits = json?["mac"]?.string?.lowercased() ?? ""
        guard response.status == 200, let json, digits.utf8.count == 12,
            digits.allSatisfy({ $0.isASCII && $0.isHexDigit })
        else {
            if let reason = response.transientFault { return [.failed(.unreachable(reason))] }
            return [.failed(.unusable("\(name) isn't a Shelly device; remove it from hosts"))]
        }
        guard json["gen"]?.int ?? 1 >= 2 else {
            let text = "\(name) is a first-generation Shelly device; move it to the shelly-gen1 driver"
            return [.failed(.unusable(text))]
        }
        if json["auth_en"]?.bool == true, options.passwordFile == nil { return [refused] }
        identity = json
        mac = digits
        return [.output(.open)]
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

    private mutating func received(_ json: JSONValue, now: Duration) -> [SessionEvent<Output>] {
        switch json["method"]?.string {
        case nil:
            guard let request = json["id"]?.int.flatMap({ queue.answered($0) }) else { return [] }
            return answered(request, json, now: now) + transmit(now)
        case "NotifyStatus", "NotifyFullStatus":
            guard lights != nil, let params = json["params"] else { return [] }
            return learnt(params)
        case "NotifyEvent":
            let events = json["params"]?["events"]?.array ?? []
            let presses = lights == nil ? [] : events.compactMap(press)
            let changes: Set = ["config_changed", "component_added", "component_removed"]
            guard events.contains(where: { $0["event"]?.string.map(changes.contains) == true }) else { return presses }
            queue.ask(.configuration)
            return presses + transmit(now)
        default: return []
        }
    }

    private mutating func answered(_ request: Request, _ json: JSONValue, now: Duration) -> [SessionEvent<Output>] {
        let error = json["error"]
        switch error?["code"]?.int {
        case 401: return challenged(error?["message"]?.string, again: request)
        case 429: return throttled(again: request, now: now)
        default: break
        }
        challengesAnswered = 0
        isNonceRenewed = false
        switch request {
        case .components(let offset):
            // Firmware without dynamic components has no Bluetooth devices.
            guard error?["code"]?.int != 404 else { return listed([], total: 0) }
            guard let result = json["result"], error == nil else {
                return [.failed(.unreachable("it answered with error \(error?["code"]?.int ?? 0)"))]
            }
            // If the configuration was read in the meantime, the list starts again.
            guard offset == components.count else { return [] }
            return listed(result["components"]?.array ?? [], total: result["total"]?.int ?? 0)
        case .configuration, .status:
            guard let result = json["result"], error == nil else {
                // Error 404 means that the firmware is too old to have this method. Treat other errors as temporary.
                guard let code = error?["code"]?.int, code != 404 else {
                    return [.failed(.unusable("\(name) doesn't report its components; update its firmware"))]
                }
                return [.failed(.unreachable("it answered with error \(code)"))]
            }
            if request == .configuration { return configured(result) }
            pollAt = now + Self.pollIntervals.calm
            return learnt(result)
        case .command(_, _, nil):
            pollAt = now
            return []
        case .command(_, _, let number?):
            let soon = now + Self.pollIntervals.afterCommand
            pollAt = min(pollAt ?? soon, soon)
            return [.finished(command: number, error.map { Self.lightError($0["code"]?.int ?? 0) })]
        }
    }

    private static func lightError(_ code: Int) -> LightError {
        // These codes mean that the device is overloaded or not ready.
        [-108, -114].contains(code) ? .busy : .refused("the device answered with error \(code)")
    }

    private mutating func challenged(_ message: String?, again request: Request) -> [SessionEvent<Output>] {
        guard options.passwordFile != nil, let new = message.flatMap({ ShellyChallenge($0) }),
            challengesAnswered == 0 || (challengesAnswered < 3 && new.isStale)
        else { return [refused] }
        challenge = new
        challengesAnswered += 1
        queue.repeatNow(request)
        return []
    }

    /// Repeats a request after error 429.
    ///
    /// The error means that the nonce has expired, which firmware 2.0 reports in this way, or that the device issues no
    /// more nonces at the moment.
    private mutating func throttled(again request: Request, now: Duration) -> [SessionEvent<Output>] {
        challenge = nil
        challengesAnswered = 0
        guard isNonceRenewed else {
            // The device answers a request without authentication with a new challenge.
            isNonceRenewed = true
            queue.repeatNow(request)
            return []
        }
        isNonceRenewed = false
        if let command = request.command { return [.finished(command: command, .busy)] }
        guard lights != nil else { return [.failed(.unreachable("it accepts no more logins at the moment"))] }
        pollAt = now + Self.pollIntervals.calm
        return []
    }

    private mutating func configured(_ json: JSONValue) -> [SessionEvent<Output>] {
        guard json["sys"]?.object != nil, let members = json.object?.members else {
            return [.failed(.unusable("\(name) doesn't report its components; update its firmware"))]
        }
        configuration = json
        let former = outputs
        outputs = []
        for member in members where outputs.count < Self.maximumOutputs {
            guard var output = ShellyOutput(member.name, member.value), isShown(output),
                !outputs.contains(where: { $0.key == output.key })
            else { continue }
            if options.garageDoors.contains(id(output).rawValue) { output.becomeDoor() }
            if let known = former.first(where: { $0.key == output.key }) { output.keepState(of: known) }
            outputs.append(output)
        }
        readSensors(members)
        buttons = Array(members.compactMap { ShellyButton($0.name, $0.value) }.prefix(Self.maximumOutputs))
        components = []
        // Read the Bluetooth devices before the lights are listed, because lights that aren't listed are removed.
        if json["bthome"] == nil {
            bluetooth = []
            queue.ask(.status)
        } else {
            queue.ask(.components(0))
        }
        return []
    }

    /// Processes a page of the list of dynamic components.
    private mutating func listed(_ page: [JSONValue], total: Int) -> [SessionEvent<Output>] {
        components += page.prefix(ShellyBluetooth.maximum.components)
        if !page.isEmpty, components.count < min(total, ShellyBluetooth.maximum.components) {
            queue.ask(.components(components.count))
        } else {
            bluetooth = ShellyBluetooth.devices(in: components)
            components = []
            queue.ask(.status)
        }
        return []
    }

    private mutating func readSensors(_ members: [JSONObject.Member]) {
        let former = sensors
        sensors = []
        for member in members {
            guard let component = ShellySensor.Component(member.name) else { continue }
            if let index = sensors.firstIndex(where: { $0.number == component.number }) {
                sensors[index].add(component, member.value)
            } else if sensors.count < Self.maximumOutputs {
                var sensor = ShellySensor(number: component.number)
                sensor.add(component, member.value)
                sensors.append(sensor)
            }
        }
        sensors.removeAll { !SensorDevices.isShown($0.readings.keys) }
        for index in sensors.indices {
            if let known = former.first(where: { $0.number == sensors[index].number }) {
                sensors[index].keepReadings(of: known)
            }
        }
    }

    private func isShown(_ output: ShellyOutput) -> Bool {
        output.kind != .relay || options.switches || switchesLamp(output)
    }

    /// Returns whether the device's configuration marks a relay as a switch for a lamp.
    private func switchesLamp(_ output: ShellyOutput) -> Bool {
        let uses = configuration?["sys"]?["ui_data"]?["consumption_types"]?.array ?? []
        return uses.indices.contains(output.number)
            && uses[output.number].string?.lowercased().hasPrefix("light") == true
    }

    private mutating func learnt(_ status: JSONValue) -> [SessionEvent<Output>] {
        for index in outputs.indices {
            if let json = status[outputs[index].key] { outputs[index].merge(json) }
        }
        // Ignore the sensors of a device that sleeps. It accepts connections only while it is measuring, so it would be
        // unreachable most of the time.
        if let period = status["sys"]?["wakeup_period"]?.int, period > 0 { sensors = [] }
        for index in sensors.indices { sensors[index].merge(status) }
        for index in bluetooth.indices { bluetooth[index].merge(status) }
        var events: [SessionEvent<Output>] = lights == nil ? [.identified(mac)] : []
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
        if descriptions.contains(where: { $0.id == buttonsID }) {
            events.append(.report(buttonsID, LightReport(reachable: true)))
        }
        return events + bluetooth.map { .report(id($0), $0.report) }
    }

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
        return descriptions + bluetooth.map { $0.description(id($0), kinds: kinds) }
    }

    // MARK: Buttons

    private var buttonsID: LightID { LightID("\(mac)/buttons") }

    /// Returns the accessory of a button: the output with its number, another output, a sensor, or a separate
    /// accessory.
    private func host(of button: ShellyButton) -> LightID {
        let shown = outputs.indices.filter { kinds.contains(description(of: outputs[$0], index: $0).kind) }
        let output = shown.first { outputs[$0].number == button.number } ?? shown.first
        if let output { return id(outputs[output]) }
        return kinds.contains(.sensor) ? sensors.first { !$0.isMeter }.map { id($0) } ?? buttonsID : buttonsID
    }

    private func press(_ event: JSONValue) -> SessionEvent<Output>? {
        if let device = bluetooth.first(where: { $0.key == event["component"]?.string }) {
            let events = device.events(event)
            return events.isEmpty || !kinds.contains(.button) ? nil : .occurred(id(device), events)
        }
        guard kinds.contains(.button), let button = buttons.first(where: { $0.key == event["component"]?.string }),
            let events = event["event"]?.string.map(button.words.events), !events.isEmpty
        else { return nil }
        return .occurred(host(of: button), events)
    }

    private func id(_ output: ShellyOutput) -> LightID { LightID("\(mac)/\(output.key)") }

    private func id(_ sensor: ShellySensor) -> LightID { LightID("\(mac)/\(sensor.key)") }

    private func id(_ device: ShellyBluetooth) -> LightID { LightID("\(mac)/bluetooth:\(device.address)") }

    private var product: String? { identity?["app"]?.shortText }

    private var deviceName: String {
        let names = [configuration?["sys"]?["device"]?["name"], identity?["name"]].compactMap { $0?.shortText }
        return names.first { !$0.isEmpty } ?? "Shelly \(product ?? mac)"
    }

    private func description(of output: ShellyOutput, index: Int) -> LightDescription {
        let isPlug = product?.contains("Plug") ?? false
        let kind: LightKind =
            output.kind == .cover
            ? output.coverKind
            : output.kind == .thermostat
                ? .thermostat
                : output.kind != .relay || switchesLamp(output) ? .light : isPlug ? .outlet : .switch
        var description = description(
            id(output), output.name ?? (outputs.count > 1 ? "\(deviceName) \(index + 1)" : deviceName), kind,
            output.capabilities)
        if let functions = output.functions { description.functions = functions }
        description.addMeter(output.meter.readings.keys)
        return description
    }

    private func description(
        _ id: LightID, _ name: String, _ kind: LightKind, _ capabilities: LightCapabilities
    ) -> LightDescription {
        LightDescription(
            id: id, name: name, kind: kind, capabilities: capabilities, manufacturer: "Shelly",
            model: identity?["model"]?.shortText ?? product, serialNumber: mac, firmware: identity?["ver"]?.shortText)
    }

    // MARK: To the device

    private mutating func transmit(_ now: Duration) -> [SessionEvent<Output>] {
        guard let (number, request) = queue.transmit(now: now) else { return [] }
        let (method, params) = message(request)
        return [
            .output(
                .call(ShellyCall(number: number, method: method, params: params, challenge: challenge?.next())))
        ]
    }

    private func message(_ request: Request) -> (method: String, params: JSONValue?) {
        switch request {
        case .configuration: ("Shelly.GetConfig", nil)
        case .components(let offset):
            ("Shelly.GetComponents", ["dynamic_only": true, "offset": .integer(Int64(offset))])
        case .status: ("Shelly.GetStatus", nil)
        case .command(let command, let light, _): message(command, to: light)
        }
    }

    private func message(_ command: LightCommand, to light: LightID) -> (method: String, params: JSONValue?) {
        // If the output has been removed in the meantime, call a method that changes nothing.
        let none: (String, JSONValue?) = ("Shelly.GetDeviceInfo", nil)
        if let device = bluetooth.first(where: { id($0) == light }) {
            return device.thermostat?.call(for: command).map { ($0.method, $0.params) } ?? none
        }
        return output(light)?.call(for: command) ?? none
    }

    private func output(_ light: LightID) -> ShellyOutput? { outputs.first { id($0) == light } }

    package mutating func apply(
        _ command: LightCommand, to light: LightID, number: Int, now: Duration
    ) throws(LightError) -> [SessionEvent<Output>] {
        let valve = bluetooth.first { id($0) == light }?.thermostat
        guard output(light) != nil || valve != nil else { throw .unknownLight }
        if let valve, valve.call(for: command) == nil { return [.finished(command: number, nil)] }
        blinking.end(light)
        return add(.command(command, light, number: number), now)
    }

    package mutating func identify(
        _ light: LightID, number: Int, now: Duration
    ) throws(LightError) -> [SessionEvent<Output>] {
        guard let output = output(light) else { throw .unknownLight }
        // Don't switch relays or motors for identification, because their appliances may not tolerate it.
        guard output.kind != .relay, output.functions == nil else { return [.finished(command: number, nil)] }
        blinking.begin(light, number: number, isOn: output.isOn ?? false, now: now)
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

    package var deadline: Duration? { [queue.deadline, pollAt, blinking.deadline].compactMap { $0 }.min() }

    package mutating func timePassed(now: Duration) -> [SessionEvent<Output>] {
        if let overdue = queue.deadline, overdue <= now { return [.failed(.unreachable("no answer in time"))] }
        let events = blink(now)
        if let at = pollAt, at <= now {
            pollAt = nil
            queue.ask(.status)
        }
        return events + transmit(now)
    }
}
