import BoundedJSON
package import DeviceKit
package import Discovery
package import HTTPKit

/// The configuration keys of the `wled` driver that apply to all of its devices.
package struct WLEDOptions: Equatable, Sendable {
    /// A Boolean value that indicates whether each segment is a separate light.
    package var segments: Bool

    package init(segments: Bool = false) { self.segments = segments }
}

/// A session with one WLED device.
///
/// It sends one HTTP request at a time, because a device doesn't support more, and uses a WebSocket, on which the
/// device reports changes.
///
/// A device supports only a few WebSockets, and closes one of them when another client connects. Therefore it is also
/// queried by HTTP: rarely while the WebSocket is open, and often while it isn't. A request without an answer ends the
/// session.
package struct WLEDSession: DeviceSession {
    package typealias Options = WLEDOptions

    package enum Output: Equatable, Sendable {
        case request(number: Int, HTTPClientRequest)
        case openWebSocket
    }

    package enum Input: Equatable, Sendable {
        case answer(number: Int, HTTPClientResponse)
        case noAnswer(number: Int, HTTPFault)
        case webSocketOpened
        /// A message on the WebSocket, which contains the state and the info as JSON.
        case message([UInt8])
        case webSocketClosed
    }

    package static let traits = DeviceTraits(
        driverName: "wled", serviceType: "_wled._tcp", port: 80, maximumDevices: 128)

    /// The maximum length of an answer in bytes.
    ///
    /// An answer about 64 segments is a quarter as long.
    static let maximumBody = 1 << 17
    /// The intervals between queries while the WebSocket isn't open, and while it is.
    static let pollIntervals = (alone: Duration.seconds(5), besides: Duration.seconds(30))
    /// The delay before the WebSocket is opened again after it was closed.
    static let webSocketPause = Duration.seconds(10)
    /// The duration of an identification.
    static let identification = Duration.seconds(1)

    private enum Request: Equatable, Sendable {
        case poll
        /// A command. If its number is `nil`, it is the last step of an identification, whose result isn't reported.
        case command(LightCommand, LightID, number: Int?)

        var command: Int? { if case .command(_, _, let number) = self { number } else { nil } }
    }

    private let name: String
    private let options: WLEDOptions
    private var state: WLEDState?
    /// The last info that the device has sent.
    ///
    /// It is used for answers that contain only the state.
    private var info: JSONValue?
    private var lights: [LightDescription] = []
    private var queue = CallQueue<Request>()
    private var pollAt: Duration?
    private var webSocketAt: Duration?
    private var hasWebSocket = false
    /// A Boolean value that indicates whether a message has arrived since the last query was sent.
    private var hasNewerMessage = false
    /// The number of queries in a row without a usable answer.
    private var missedPolls = 0
    private var isLive = false
    private var blinking = BlinkingLights(count: 1, pause: identification)

    package static func id(of service: DiscoveredService) -> String? {
        service.txt["mac"].flatMap { $0.isMAC ? $0.lowercased() : nil }
    }

    package init(target: DeviceTarget, kinds: Set<LightKind>, options: WLEDOptions, now: Duration) {
        name = target.name
        self.options = options
    }

    // MARK: From the device

    package mutating func started(now: Duration) -> [SessionEvent<Output>] {
        queue.ask(.poll)
        return transmit(now)
    }

    package mutating func received(_ input: Input, now: Duration) -> [SessionEvent<Output>] {
        switch input {
        case .answer(let number, let response):
            guard let request = queue.answered(number) else { return [] }
            return answered(request, response, now: now) + transmit(now)
        case .noAnswer(let number, let fault):
            return queue.answered(number) == nil ? [] : [.failed(.unreachable(fault.text))]
        case .webSocketOpened:
            hasWebSocket = true
            return []
        case .message(let bytes):
            guard let json = try? JSONValue(parsing: bytes) else { return [.unreadable] }
            // Ignore other messages, such as answers to the requests of other clients.
            guard let state = WLEDState(json) else { return [] }
            hasNewerMessage = true
            return learnt(state, json)
        case .webSocketClosed:
            hasWebSocket = false
            webSocketAt = now + Self.webSocketPause
            pollAt = now
            return []
        }
    }

    private mutating func answered(
        _ request: Request, _ response: HTTPClientResponse, now: Duration
    ) -> [SessionEvent<Output>] {
        let json = try? JSONValue(parsing: response.body, maximumLength: Self.maximumBody)
        switch request {
        case .poll:
            pollAt = now + (hasWebSocket ? Self.pollIntervals.besides : Self.pollIntervals.alone)
            guard response.status == 200, let json, let state = WLEDState(json) else {
                if let reason = response.transientFault ?? json.flatMap(WLEDState.transientFault) {
                    return missed(reason)
                }
                return [
                    .failed(
                        .unusable(
                            "\(name) isn't a WLED device, or its firmware is too old; remove or update it"
                        ))
                ]
            }
            missedPolls = 0
            // The answer can be older than the message, and each later change causes a message, too.
            return hasNewerMessage ? [] : learnt(state, json)
        case .command(_, _, nil): return confirmed(json, now: now)
        case .command(_, _, let number?):
            switch response.status {
            case 200: return confirmed(json, now: now) + [.finished(command: number, nil)]
            case 503: return [.finished(command: number, .busy)]
            default: return [.finished(command: number, .refused("the device answered with status \(response.status)"))]
            }
        }
    }

    /// Processes an answer to a query that isn't usable at the moment.
    ///
    /// After the device has reported its state once, two such answers in a row are tolerated.
    private mutating func missed(_ reason: String) -> [SessionEvent<Output>] {
        missedPolls += 1
        return state == nil || missedPolls > 2 ? [.failed(.unreachable(reason))] : []
    }

    /// Processes the answer to a command.
    ///
    /// The answer contains the state but, in most versions, no info.
    private mutating func confirmed(_ json: JSONValue?, now: Duration) -> [SessionEvent<Output>] {
        guard let json, let info else {
            pollAt = now
            return []
        }
        let whole: JSONValue = ["info": json["info"] ?? info, "state": json["state"] ?? json]
        guard let state = WLEDState(whole) else {
            pollAt = now
            return []
        }
        return learnt(state, whole)
    }

    private mutating func learnt(_ state: WLEDState, _ json: JSONValue) -> [SessionEvent<Output>] {
        info = json["info"]
        var events: [SessionEvent<Output>] = []
        if self.state?.mac != state.mac { events.append(.identified(state.mac)) }
        if self.state == nil, state.hasWebSocket { events.append(.output(.openWebSocket)) }
        self.state = state
        let shown = state.lights(bySegment: options.segments)
        let descriptions = shown.map(\.description)
        if descriptions != lights || events.first != nil {
            lights = descriptions
            events.append(.lights(descriptions))
        }
        if state.isLive != isLive {
            isLive = state.isLive
            let text = "\(state.name) is showing data from another program; changes take effect when that program stops"
            events.append(.warning(isLive ? text : nil))
        }
        for light in shown where !blinking.contains(light.description.id) {
            events.append(.report(light.description.id, light.report))
        }
        return events
    }

    // MARK: To the device

    private mutating func transmit(_ now: Duration) -> [SessionEvent<Output>] {
        guard let next = queue.transmit(now: now) else { return [] }
        if next.call == .poll { hasNewerMessage = false }
        return [.output(.request(number: next.number, message(next.call)))]
    }

    private func message(_ request: Request) -> HTTPClientRequest {
        switch request {
        case .poll: HTTPClientRequest(method: .get, path: "/json/si")
        case .command(let command, let light, _): post(command, to: light)
        }
    }

    private func post(_ command: LightCommand, to light: LightID) -> HTTPClientRequest {
        var body = JSONObject()
        if let state {
            if let segment = state.segments.first(where: { light.rawValue == "\(state.mac)/\($0.id)" }) {
                body = state.body(for: command, segment: segment)
            } else {
                body = state.body(for: command)
            }
        }
        return HTTPClientRequest(method: .post, path: "/json/state", body: JSONValue.object(body).encoded)
    }

    private func isOn(_ light: LightID) -> Bool {
        state?.lights(bySegment: options.segments).first { $0.description.id == light }?.report.on ?? false
    }

    package mutating func apply(
        _ command: LightCommand, to light: LightID, number: Int, now: Duration
    ) throws(LightError) -> [SessionEvent<Output>] {
        try require(light)
        blinking.end(light)
        return add(.command(command, light, number: number), now)
    }

    package mutating func identify(
        _ light: LightID, number: Int, now: Duration
    ) throws(LightError) -> [SessionEvent<Output>] {
        try require(light)
        blinking.begin(light, number: number, isOn: isOn(light), now: now)
        return blink(now)
    }

    private mutating func blink(_ now: Duration) -> [SessionEvent<Output>] {
        blinking.steps(now: now).flatMap { step in
            let command = LightCommand(on: step.isOn, transition: .zero)
            return add(.command(command, step.light, number: step.isLast ? nil : step.number), now)
        }
    }

    private func require(_ light: LightID) throws(LightError) {
        guard lights.contains(where: { $0.id == light }) else { throw .unknownLight }
    }

    /// Queues a command before all queries.
    private mutating func add(_ request: Request, _ now: Duration) -> [SessionEvent<Output>] {
        queue.add(request) { $0 == .poll }
        return transmit(now)
    }

    package mutating func cancelled(command: Int) { queue.forget { $0.command == command } }

    // MARK: Time

    package var deadline: Duration? { [pollAt, webSocketAt, blinking.deadline].compactMap { $0 }.min() }

    package mutating func timePassed(now: Duration) -> [SessionEvent<Output>] {
        var events: [SessionEvent<Output>] = []
        if let at = webSocketAt, at <= now {
            webSocketAt = nil
            events.append(.output(.openWebSocket))
        }
        events += blink(now)
        if let at = pollAt, at <= now {
            pollAt = nil
            queue.ask(.poll)
        }
        return events + transmit(now)
    }
}
