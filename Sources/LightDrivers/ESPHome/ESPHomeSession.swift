/// One connection to a device, from its first byte to its last: bytes and time in, bytes and what was learnt out.
///
/// The device is asked step by step: hello, who it is, what it has, and the states from then on. After that, a ping goes
/// out when nothing has come for a while, or when a command gets no answer.
struct ESPHomeSession: Sendable {
    enum Event: Equatable, Sendable {
        case send([UInt8])
        /// The device has said who it is and what it has.
        case ready(ESPHomeDeviceInfo, [ESPHomeEntity])
        case state(ESPHomeState)
        /// The device hangs up, once this is sent.
        case goodbye([UInt8])
    }

    /// More entities of the kinds that are shown than this are not looked at.
    static let maximumEntities = 128
    /// How long a device may take from the connection to its last entity.
    static let readyTimeout = Duration.seconds(30)
    /// After so long without a word from the device it is asked for one.
    static let pingInterval = Duration.seconds(20)
    /// How long a command may go unanswered before the device is asked for a word.
    static let answerTimeout = Duration.seconds(3)
    /// How long a word may take: the answer to a ping, and each step up to the last entity.
    static let pongTimeout = Duration.seconds(10)

    private enum State: Sendable {
        /// The encryption is being agreed on, or hello has been sent.
        case greeting
        case identifying
        case listing(ESPHomeDeviceInfo, [ESPHomeEntity])
        case ready
    }

    private var framing: ESPHomeFraming
    private var state = State.greeting
    private var hasGreeted = false
    /// Since when a word from the device is awaited, and for how long.
    private var awaited: (since: Duration, limit: Duration)?
    private var hasPinged = false
    private var lastReceived: Duration
    private let start: Duration

    /// Begins where the connection stands.
    init(_ framing: ESPHomeFraming, now: Duration) {
        self.framing = framing
        start = now
        lastReceived = now
    }

    /// What is sent first.
    mutating func opened() -> [UInt8] { framing.opening + greeting() }

    var isReady: Bool {
        guard case .ready = state else { return false }
        return true
    }

    /// When ``timePassed(now:)`` has something to do.
    var deadline: Duration {
        guard isReady else { return min(start + Self.readyTimeout, lastReceived + Self.pongTimeout) }
        if let awaited { return awaited.since + awaited.limit }
        return lastReceived + Self.pingInterval
    }

    /// - Throws: why the connection is of no more use.
    mutating func received(_ bytes: [UInt8], now: Duration) throws(ESPHomeFault) -> [Event] {
        let messages = try framing.received(bytes)
        var events: [Event] = []
        let greeting = greeting()
        if !greeting.isEmpty { events.append(.send(greeting)) }
        for message in messages {
            lastReceived = now
            awaited = nil
            hasPinged = false
            do {
                try received(message, &events)
            } catch let fault as ESPHomeFault {
                throw fault
            } catch {
                throw .malformed("a message of type \(message.type) is cut off")
            }
        }
        return events
    }

    /// - Throws: `.silent` if the device has not answered in time.
    mutating func timePassed(now: Duration) throws(ESPHomeFault) -> [UInt8] {
        guard deadline <= now else { return [] }
        guard isReady, !hasPinged else { throw .silent }
        return ping(now: now)
    }

    /// Asks the device for a word at once, because something says that it is no longer there.
    mutating func ping(now: Duration) -> [UInt8] {
        hasPinged = true
        awaited = (now, Self.pongTimeout)
        return framing.bytes(of: .init(ESPHomeMessageType.ping))
    }

    /// The bytes of a command, which the device is expected to answer.
    mutating func command(_ message: ESPHomeFraming.Message, now: Duration) -> [UInt8] {
        if awaited == nil { awaited = (now, Self.answerTimeout) }
        return framing.bytes(of: message)
    }

    /// What is sent before we hang up.
    mutating func goodbye() -> [UInt8] {
        framing.isReady ? framing.bytes(of: .init(ESPHomeMessageType.disconnect)) : []
    }

    // MARK: Its parts

    private mutating func greeting() -> [UInt8] {
        guard framing.isReady, !hasGreeted else { return [] }
        hasGreeted = true
        // Firmware before 2026 wants an empty password where it has none, later firmware passes over it.
        return framing.bytes(of: .hello) + framing.bytes(of: .init(ESPHomeMessageType.authentication))
    }

    private mutating func received(_ message: ESPHomeFraming.Message, _ events: inout [Event]) throws {
        let body = message.body[...]
        switch (message.type, state) {
        case (ESPHomeMessageType.ping, _):
            events.append(.send(framing.bytes(of: .init(ESPHomeMessageType.pingResponse))))
        case (ESPHomeMessageType.disconnect, _):
            events.append(.goodbye(framing.bytes(of: .init(ESPHomeMessageType.disconnectResponse))))
        case (ESPHomeMessageType.authenticationResponse, _):
            var reader = ProtobufReader(body)
            if let (field, value) = try reader.next(), field == 1, value.flag { throw ESPHomeFault.passwordWanted }
        case (ESPHomeMessageType.helloResponse, .greeting):
            state = .identifying
            events.append(.send(framing.bytes(of: .init(ESPHomeMessageType.deviceInfo))))
        case (ESPHomeMessageType.deviceInfoResponse, .identifying):
            let device = try ESPHomeDeviceInfo(body)
            guard device.mac.count == 12 else { throw ESPHomeFault.malformed("it says no MAC address") }
            state = .listing(device, [])
            events.append(.send(framing.bytes(of: .init(ESPHomeMessageType.listEntities))))
        case (ESPHomeMessageType.lightEntity, .listing(let device, let entities)),
            (ESPHomeMessageType.switchEntity, .listing(let device, let entities)):
            guard entities.count < Self.maximumEntities else { break }
            let entity = try ESPHomeEntity(light: message.type == ESPHomeMessageType.lightEntity, body)
            state = .listing(device, entities + [entity])
        case (ESPHomeMessageType.fanEntity, .listing(let device, let entities)):
            guard entities.count < Self.maximumEntities else { break }
            state = .listing(device, entities + [try ESPHomeEntity(fan: body)])
        case (ESPHomeMessageType.binarySensorEntity, .listing(let device, let entities)),
            (ESPHomeMessageType.sensorEntity, .listing(let device, let entities)):
            guard entities.count < Self.maximumEntities,
                let entity = try ESPHomeEntity(sensor: message.type == ESPHomeMessageType.sensorEntity, body)
            else { break }
            state = .listing(device, entities + [entity])
        case (ESPHomeMessageType.entitiesDone, .listing(let device, let entities)):
            state = .ready
            events.append(.send(framing.bytes(of: .init(ESPHomeMessageType.subscribeStates))))
            events.append(.ready(device, entities))
        case (ESPHomeMessageType.lightState, .ready), (ESPHomeMessageType.switchState, .ready):
            let isLight = message.type == ESPHomeMessageType.lightState
            if let state = try ESPHomeState.read(light: isLight, body) { events.append(.state(state)) }
        case (ESPHomeMessageType.fanState, .ready): events.append(.state(try ESPHomeState(fan: body)))
        case (ESPHomeMessageType.binarySensorState, .ready), (ESPHomeMessageType.sensorState, .ready):
            events.append(.state(try ESPHomeState(sensor: body)))
        default: break
        }
    }
}
