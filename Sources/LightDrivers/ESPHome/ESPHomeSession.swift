package import DeviceKit
package import Discovery
internal import HAPModel

/// A session with one ESPHome device over one connection (Lights 9.2).
///
/// The session sends hello, and then requests the device's information, its entities and its states, in order. After
/// that it sends a ping when the device has been silent for a while and when a command isn't answered.
package struct ESPHomeSession: DeviceSession {
    package typealias Options = ESPHomeDriverConfiguration

    package enum Output: Equatable, Sendable {
        /// Read the key file, if there is one.
        case open(keyFile: String?)
        case send([UInt8])
        /// Send a command, unless too much unsent data is waiting.
        case command([UInt8], number: Int)
    }

    package enum Input: Sendable {
        /// The connection is open.
        ///
        /// `key` is the content of the key file, or `nil` if there is no such file. `ephemeral` is 32 random bytes.
        case opened(key: [UInt8]?, ephemeral: [UInt8])
        /// The key file has no valid key; the text is the reason.
        case keyUnusable(String)
        case bytes([UInt8])
        /// A command was sent, or was dropped because too much data is waiting.
        case command(Int, isSent: Bool)
    }

    package static let traits = DeviceTraits(
        driverName: "esphome", serviceType: "_esphomelib._tcp",
        port: ESPHomeHost.usualPort, maximumDevices: 128, prefersConfigured: true,
        reportsRepeatedStates: true)

    /// The maximum number of entities of a device, counting only supported kinds.
    static let maximumEntities = 128
    /// The time limit from the opening of the connection to the description of the last entity.
    static let readyTimeout = Duration.seconds(30)
    /// The longest silence of the device before a ping.
    static let pingInterval = Duration.seconds(20)
    /// The longest wait for the answer to a command before a ping.
    static let answerTimeout = Duration.seconds(3)
    /// The time limit for the answer to a ping, and for each message until all entities are described.
    static let pongTimeout = Duration.seconds(10)
    /// The time after a command within which a reported state counts as its answer.
    static let answerWindow = Duration.seconds(2)
    /// The duration of each on or off state of an identification.
    ///
    /// All four steps together take less than 2 s, the host's time limit.
    static let blinkPause = Duration.milliseconds(400)

    private enum State: Sendable {
        case connecting
        /// The encryption is being negotiated, or hello has been sent.
        case greeting
        case identifying
        case listing(ESPHomeDeviceInfo, [ESPHomeEntity])
        case ready
    }

    private struct Lamp: Sendable {
        var light: ESPHomeLight
        /// The number of commands without an answer.
        ///
        /// States that arrive until `answersUntil` count as answers.
        var unanswered = 0
        var answersUntil = Duration.zero
    }

    private let target: DeviceTarget
    private let kinds: Set<LightKind>
    private let options: Options
    private var framing = ESPHomeFraming()
    private var state = State.connecting
    private var hasGreeted = false
    private var lamps: [LightID: Lamp] = [:]
    private var ids: [ESPHomeEntity.Key: LightID] = [:]
    /// The event entities that report button presses, with the lights that show the buttons.
    private var buttons: [ESPHomeEntity.Key: (light: LightID, words: ButtonWords)] = [:]
    private var blinking = BlinkingLights(count: 3, pause: blinkPause)
    /// The start and the maximum duration of the wait for a message from the device; `nil` if no message is expected.
    private var awaited: (since: Duration, limit: Duration)?
    private var hasPinged = false
    private var lastReceived: Duration
    private var start: Duration

    package static func id(of service: DiscoveredService) -> String? {
        service.txt["mac"].map { $0.uppercased().filter(\.isHexDigit) }.flatMap { $0.isMAC ? $0 : nil }
    }

    package static func unusableReason(of service: DiscoveredService, options: Options) -> String? {
        let target = DeviceTarget.discovered(service.id)
        guard options.keyFile(of: target) == nil, service.txt["api_encryption"] != nil else { return nil }
        return ESPHomeFault.keyWanted.text(of: target, keyFile: nil)
    }

    package static func secretFile(of target: DeviceTarget, options: Options) -> String? { options.keyFile(of: target) }

    package init(target: DeviceTarget, kinds: Set<LightKind>, options: Options, now: Duration) {
        self.target = target
        self.kinds = kinds
        self.options = options
        start = now
        lastReceived = now
    }

    private var isReady: Bool {
        guard case .ready = state else { return false }
        return true
    }

    // MARK: From the device

    package mutating func started(now: Duration) -> [SessionEvent<Output>] {
        [.output(.open(keyFile: options.keyFile(of: target)))]
    }

    package mutating func received(_ input: Input, now: Duration) -> [SessionEvent<Output>] {
        switch input {
        case .opened(let key, let ephemeral):
            if let key { framing = ESPHomeFraming(key: key, ephemeral: ephemeral) }
            state = .greeting
            (start, lastReceived) = (now, now)
            return [.output(.send(framing.opening + greeting()))]
        case .keyUnusable(let reason): return [.failed(.unusable("\(target.name): \(reason)"))]
        case .bytes(let bytes): return received(bytes, now: now)
        case .command(let number, let isSent): return handedOver(number, isSent: isSent)
        }
    }

    private mutating func received(_ bytes: [UInt8], now: Duration) -> [SessionEvent<Output>] {
        var events: [SessionEvent<Output>] = []
        do throws(ESPHomeFault) {
            let messages = try framing.received(bytes)
            let greeting = greeting()
            if !greeting.isEmpty { events.append(.output(.send(greeting))) }
            for message in messages {
                lastReceived = now
                awaited = nil
                hasPinged = false
                do {
                    try received(message, now: now, &events)
                } catch let fault as ESPHomeFault {
                    throw fault
                } catch {
                    throw ESPHomeFault.malformed("a message of type \(message.type) is cut off")
                }
            }
            return events
        } catch {
            return [.failed(fault(error))]
        }
    }

    private func fault(_ fault: ESPHomeFault) -> SessionFault {
        let text = fault.text(of: target, keyFile: options.keyFile(of: target))
        if case .malformed = fault { return .unusable(text) }
        return .unauthorized(text)
    }

    private mutating func greeting() -> [UInt8] {
        guard framing.isReady, !hasGreeted else { return [] }
        hasGreeted = true
        // Firmware before 2026 requires an authentication message with an empty password even if none is set. Later
        // firmware ignores the message.
        return framing.bytes(of: .hello) + framing.bytes(of: .init(ESPHomeMessageType.authentication))
    }

    private mutating func received(
        _ message: ESPHomeFraming.Message, now: Duration, _ events: inout [SessionEvent<Output>]
    ) throws {
        let body = message.body[...]
        switch (message.type, state) {
        case (ESPHomeMessageType.ping, _): events.append(send(.init(ESPHomeMessageType.pingResponse)))
        case (ESPHomeMessageType.disconnect, _):
            events.append(send(.init(ESPHomeMessageType.disconnectResponse)))
            events.append(.failed(.unreachable("it closed the session")))
        case (ESPHomeMessageType.authenticationResponse, _):
            var reader = ProtobufReader(body)
            if let (field, value) = try reader.next(), field == 1, value.flag { throw ESPHomeFault.passwordWanted }
        case (ESPHomeMessageType.helloResponse, .greeting):
            state = .identifying
            events.append(send(.init(ESPHomeMessageType.deviceInfo)))
        case (ESPHomeMessageType.deviceInfoResponse, .identifying):
            let device = try ESPHomeDeviceInfo(body)
            guard device.mac.count == 12 else { throw ESPHomeFault.malformed("it doesn't report a MAC address") }
            state = .listing(device, [])
            events.append(send(.init(ESPHomeMessageType.listEntities)))
        case (ESPHomeMessageType.entitiesDone, .listing(let device, let entities)):
            state = .ready
            events.append(send(.init(ESPHomeMessageType.subscribeStates)))
            events += listed(entities, of: device)
        case (_, .listing(let device, let entities)):
            guard entities.count < Self.maximumEntities, let entity = try ESPHomeEntity(message) else { break }
            state = .listing(device, entities + [entity])
        case (ESPHomeMessageType.event, .ready):
            let event = try ESPHomeEvent(body)
            guard let (light, words) = buttons[event.key] else { break }
            events.append(.occurred(light, words.events(event.type)))
        case (_, .ready):
            guard let state = try ESPHomeState(message) else { break }
            if state.isInvalid { events.append(.invalid) }
            events += learnt(state, now: now)
        default: break
        }
    }

    private mutating func send(_ message: ESPHomeFraming.Message) -> SessionEvent<Output> {
        .output(.send(framing.bytes(of: message)))
    }

    private mutating func listed(
        _ entities: [ESPHomeEntity], of device: ESPHomeDeviceInfo
    ) -> [SessionEvent<Output>] {
        let shown = entities.filter { !$0.isHidden && isWanted($0) }
        let problems = shown.filter { kinds.contains($0.isChoice ? .scene : .sensor) }.compactMap(\.problem)
        var lights: [LightDescription] = []
        var readings: [LightID: LightDescription] = [:]
        // Meters and events are last, because their readings and buttons join other entities.
        let ordered =
            shown.filter { !$0.isEvent && !$0.isMeter } + shown.filter(\.isMeter) + shown.filter(\.isEvent)
        for entity in ordered where entity.problem == nil {
            var light = ESPHomeLight(entity, of: device)
            if lamps[light.description.id] != nil { light = ESPHomeLight(entity, of: device, isNamesake: true) }
            let id = light.description.id
            guard id.rawValue.utf8.count <= 255, lamps[id] == nil else { continue }
            if case .event(let words) = entity.kind {
                // Buttons join the first shown light, switch, fan or cover of the device. If there is none, they join
                // its sensor.
                let host = lights.firstIndex { other in
                    kinds.contains(other.kind)
                        && lamps[other.id].map { !$0.light.isPart && $0.light.entity.key.part == entity.key.part }
                            ?? false
                }
                if kinds.contains(.button) { buttons[entity.key] = (host.map { lights[$0].id } ?? id, words) }
                if let host {
                    guard kinds.contains(.button) else { continue }
                    lights[host].buttons = [PushButton](merging: [lights[host].buttons + words.buttons])
                    lamps[lights[host].id]?.light.description = lights[host]
                    continue
                }
            }
            lamps[id] = Lamp(light: light)
            ids[entity.key] = id
            lights.append(light.description)
            readings[id] = light.sensor
            guard entity.isMeter else { continue }
            let outputs = lights.filter { other in
                kinds.contains(other.kind)
                    && lamps[other.id].map { !$0.light.isPart && $0.light.entity.key.part == entity.key.part } ?? false
            }
            if let output = light.description.measured(of: outputs) {
                readings[id] = outputs.first { $0.id == output }
            }
        }
        var events: [SessionEvent<Output>] = [.identified(device.mac)]
        if !problems.isEmpty { events.append(.warning("\(target.name): \(problems.joined(separator: "; "))")) }
        let substitutes = lights.filter { lamps[$0.id]?.light.isSubstitute == true }
        lights.removeAll { lamps[$0.id]?.light.isSubstitute == true }
        lights += substitutes
        return events + [.readings(readings), .lights(lights)]
            + lights.map { .report($0.id, LightReport(reachable: true)) }
    }

    private func isWanted(_ entity: ESPHomeEntity) -> Bool {
        if case .switch = entity.kind { options.switches } else { true }
    }

    private mutating func learnt(_ state: ESPHomeState, now: Duration) -> [SessionEvent<Output>] {
        guard let id = ids[state.key], var lamp = lamps[id] else { return [] }
        let former = lamp.light.state
        lamp.light.state = state
        let isAnswer = lamp.unanswered > 0 && now <= lamp.answersUntil
        lamp.unanswered = isAnswer ? lamp.unanswered - 1 : 0
        // If the panel was armed or disarmed by hand, the last requested target no longer applies.
        if !isAnswer, former?.number != state.number, case .targetState(let device) = lamp.light.entity.kind {
            lamp.light.askedTarget =
                device.target(in: state, asked: lamp.light.askedTarget) ?? lamp.light.askedTarget
        }
        lamps[id] = lamp
        guard !blinking.contains(id), var report = lamp.light.report else { return [] }
        report.isSpontaneous = former != nil && !isAnswer
        return [.report(id, report)]
    }

    // MARK: To the device

    package mutating func apply(
        _ command: LightCommand, to light: LightID, number: Int, now: Duration
    ) throws(LightError) -> [SessionEvent<Output>] {
        let ended: [SessionEvent<Output>] = blinking.end(light).map { [.finished(command: $0, nil)] } ?? []
        return ended + [try send(command, to: light, number: number, now: now)]
    }

    private mutating func send(
        _ command: LightCommand, to light: LightID, number: Int, now: Duration
    ) throws(LightError) -> SessionEvent<Output> {
        guard var lamp = lamps[light] else { throw .unknownLight }
        if let speed = command.speed { lamp.light.askedSpeed = speed }
        var messages: [ESPHomeFraming.Message] = []
        if case .targetState(let device) = lamp.light.entity.kind, let target = device.target(of: command) {
            let steps = device.steps(to: target, from: lamp.light.state, asked: lamp.light.askedTarget)
            guard device.coded.isDisjoint(with: steps) else {
                throw .refused("the device requires a code, which isn't supported")
            }
            messages = steps.dropLast().compactMap { device.message(to: $0, of: lamp.light.entity.key) }
            lamp.light.askedTarget = target
        }
        guard let message = lamp.light.message(for: command) else {
            throw .refused("the light doesn't support this command")
        }
        guard isReady else { throw .unreachable }
        messages.append(message)
        lamp.unanswered += messages.count
        lamp.answersUntil = now + Self.answerWindow
        lamps[light] = lamp
        if awaited == nil { awaited = (now, Self.answerTimeout) }
        return .output(.command(messages.flatMap { framing.bytes(of: $0) }, number: number))
    }

    /// Processes the result of sending a command.
    ///
    /// An identification continues until its last step or until a step can't be sent.
    private mutating func handedOver(_ number: Int, isSent: Bool) -> [SessionEvent<Output>] {
        if let light = blinking.light(number) {
            guard !isSent else { return [] }
            blinking.end(light)
        }
        return [.finished(command: number, isSent ? nil : .busy)]
    }

    package mutating func identify(
        _ light: LightID, number: Int, now: Duration
    ) throws(LightError) -> [SessionEvent<Output>] {
        guard let lamp = lamps[light] else { throw .unknownLight }
        // Don't switch motors on and off to identify them.
        guard lamp.light.description.has(.on) else { return [.finished(command: number, nil)] }
        let former = blinking.begin(light, number: number, isOn: lamp.light.state?.on ?? false, now: now)
        return (former.map { [.finished(command: $0, nil)] } ?? []) + (try blink(now: now))
    }

    private mutating func blink(now: Duration) throws(LightError) -> [SessionEvent<Output>] {
        var events: [SessionEvent<Output>] = []
        for step in blinking.steps(now: now) {
            let command = LightCommand(on: step.isOn, transition: .zero)
            events.append(try send(command, to: step.light, number: step.number, now: now))
        }
        return events
    }

    package mutating func cancelled(command: Int) {
        if let light = blinking.light(command) { blinking.cancel(light) }
    }

    package mutating func announcedAgain(now: Duration) -> [SessionEvent<Output>] { isReady ? [ping(now: now)] : [] }

    private mutating func ping(now: Duration) -> SessionEvent<Output> {
        hasPinged = true
        awaited = (now, Self.pongTimeout)
        return send(.init(ESPHomeMessageType.ping))
    }

    package mutating func goodbye() -> [Output] {
        if case .connecting = state { return [] }
        return framing.isReady ? [.send(framing.bytes(of: .init(ESPHomeMessageType.disconnect)))] : []
    }

    // MARK: Time

    package var deadline: Duration? {
        switch state {
        case .connecting: nil
        case .greeting, .identifying, .listing: min(start + Self.readyTimeout, lastReceived + Self.pongTimeout)
        case .ready: [answerDeadline, blinking.deadline].compactMap(\.self).min()
        }
    }

    private var answerDeadline: Duration { awaited.map { $0.since + $0.limit } ?? lastReceived + Self.pingInterval }

    package mutating func timePassed(now: Duration) -> [SessionEvent<Output>] {
        guard let deadline, deadline <= now else { return [] }
        guard isReady else { return [.failed(.silent)] }
        var events: [SessionEvent<Output>] = []
        if answerDeadline <= now {
            if hasPinged { return [.failed(.silent)] }
            events.append(ping(now: now))
        }
        return events + ((try? blink(now: now)) ?? [])
    }
}

extension ESPHomeFault {
    /// Returns the message about the fault, including the remedy, for the operator.
    fileprivate func text(of target: DeviceTarget, keyFile: String?) -> String {
        let name = target.name
        switch self {
        case .keyWanted:
            let entry =
                target.isConfigured
                ? "key-file: /etc/lamplighter/\(name).key in its entry under hosts"
                : "devices: {\(name): {key-file: /etc/lamplighter/\(name).key}}"
            return "\(name) requires an encryption key; put the key in a file, and add \(entry)"
        case .notEncrypted:
            return
                "\(name) doesn't use encryption, but a key is configured; remove key-file, or enable encryption"
        case .wrongKey:
            return "the key in \(keyFile ?? "its file") is wrong for \(name); "
                + "use the key under api: encryption: in its ESPHome configuration"
        case .passwordWanted:
            return "\(name) requires an API password, which isn't supported; use an encryption key instead"
        case .malformed(let reason): return "\(name) can't be used: \(reason)"
        }
    }
}
