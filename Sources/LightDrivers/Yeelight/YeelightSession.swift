import BoundedJSON
package import DeviceKit

/// The session options of the `yeelight` driver, which are empty.
package struct YeelightOptions: Equatable, Sendable {
    package init() {}
}

/// A session with one Yeelight device (Lights 9.7).
///
/// A search identifies the device. Everything else is sent as lines of JSON over a connection.
///
/// A device accepts 60 commands per minute over a connection and ignores the rest. The session stays within that
/// limit: it sends at most ``burst`` requests in a row, and then one per ``interval``. The device reports changes
/// without a request. It rejects colors and brightness while it is off, so the session holds these values back until
/// the lamp is switched on. A background light is a second light with separate methods and properties.
package struct YeelightSession: DeviceSession {
    package typealias Options = YeelightOptions

    package enum Output: Equatable, Sendable {
        /// Search for the device at the other end of the connection.
        case identify
        case send([UInt8])
    }

    package enum Input: Equatable, Sendable {
        /// The identity of the device, or `nil` if it didn't answer the search.
        case identity(YeelightIdentity?)
        case line([UInt8])
    }

    package static let traits = DeviceTraits(driverName: "yeelight", serviceType: "", port: 55443, maximumDevices: 128)

    static let burst = 20
    static let interval = Duration.milliseconds(1500)
    /// The interval between queries, which are needed because a device that has lost power can't report that.
    static let pollInterval = Duration.seconds(30)
    /// The duration of an identification.
    static let identification = Duration.seconds(1)

    private enum Request: Equatable, Sendable {
        case properties
        case order(YeelightOrder, YeelightLamp, command: Int?, isLast: Bool)

        var command: Int? {
            guard case .order(_, _, let command, _) = self else { return nil }
            return command
        }
    }

    /// The state of a lamp, and the values that are held back.
    private struct Shown: Sendable {
        var state: YeelightState
        /// The values to send when the lamp is switched on.
        var wanted = LightCommand()

        init(_ lamp: YeelightLamp) { state = YeelightState(lamp) }

        mutating func learn(_ property: (String) -> JSONValue?) {
            state.merge(property)
            if state.isOn == true { wanted = LightCommand() }
        }

        func report(_ capabilities: LightCapabilities) -> LightReport? {
            guard state.isOn != nil else { return nil }
            var shown = state
            if state.isOn == false { shown.accept(wanted) }
            return shown.report(capabilities)
        }
    }

    private let name: String
    private var identity: YeelightIdentity?
    private var lamps: [YeelightLamp: Shown] = [:]
    private var blinking = BlinkingLights(count: 1, pause: identification)
    private var isListed = false
    private var queue = CallQueue<Request>()
    private var pace = Pace(interval: interval, burst: burst)
    private var pollAt: Duration?

    package init(target: DeviceTarget, kinds: Set<LightKind>, options: YeelightOptions, now: Duration) {
        name = target.name
    }

    // MARK: From the device

    package mutating func started(now: Duration) -> [SessionEvent<Output>] { [.output(.identify)] }

    package mutating func received(_ input: Input, now: Duration) -> [SessionEvent<Output>] {
        switch input {
        case .identity(nil): return [.failed(.unreachable("it doesn't answer the search"))]
        case .identity(let identity?):
            self.identity = identity
            for lamp in identity.lamps { lamps[lamp] = Shown(lamp) }
            queue.ask(.properties)
            return transmit(now)
        case .line(let bytes):
            guard let json = try? JSONValue(parsing: bytes) else { return [.unreadable] }
            if json["method"]?.string == "props" {
                guard isListed, let params = json["params"] else { return [] }
                return learnt { params[$0] }
            }
            guard let request = json["id"]?.int.flatMap({ queue.answered($0) }) else { return [] }
            return answered(request, json, now: now) + transmit(now)
        }
    }

    private mutating func answered(_ request: Request, _ json: JSONValue, now: Duration) -> [SessionEvent<Output>] {
        let error = json["error"].map { lightError($0, now) }
        switch request {
        case .properties:
            pollAt = now + Self.pollInterval
            if error == .busy { return [] }
            if case .refused(let reason)? = error { return [.failed(.unreachable(reason))] }
            let names = identity?.properties ?? []
            guard let values = json["result"]?.array, values.count == names.count else {
                return [.failed(.unusable("\(name) isn't a Yeelight device; remove it from hosts"))]
            }
            let events = list()
            return events + learnt { name in names.firstIndex(of: name).map { values[$0] } }
        case .order(let order, let lamp, let command, let isLast):
            if let error {
                queue.forget { command != nil && $0.command == command }
                return finished(command, error)
            }
            lamps[lamp]?.state.accept(order.effect)
            guard isLast else { return [] }
            return report(lamp) + finished(command, nil)
        }
    }

    private func finished(_ command: Int?, _ error: LightError?) -> [SessionEvent<Output>] {
        guard let command else { return [] }
        return [.finished(command: command, error)]
    }

    private mutating func lightError(_ json: JSONValue, _ now: Duration) -> LightError {
        guard json["message"]?.string?.contains("quota") == true else {
            return .refused("the device answered with error \(json["code"]?.int ?? 0)")
        }
        // The device has counted more commands than this session, for example because it also counts commands of other
        // clients.
        pace.exceeded(now: now)
        return .busy
    }

    private func lamp(_ light: LightID) -> YeelightLamp? {
        identity.flatMap { identity in identity.lamps.first { $0.light(of: identity.id) == light } }
    }

    private mutating func learnt(_ property: (String) -> JSONValue?) -> [SessionEvent<Output>] {
        for lamp in lamps.keys { lamps[lamp]?.learn(property) }
        return YeelightLamp.allCases.flatMap { report($0) }
    }

    private func report(_ lamp: YeelightLamp) -> [SessionEvent<Output>] {
        guard let identity, case let light = lamp.light(of: identity.id), !blinking.contains(light),
            let report = lamps[lamp]?.report(identity.capabilities(of: lamp))
        else { return [] }
        return [.report(light, report)]
    }

    private mutating func list() -> [SessionEvent<Output>] {
        guard let identity, !isListed else { return [] }
        isListed = true
        let name = identity.name ?? identity.title
        let lights = identity.lamps.map { lamp in
            LightDescription(
                id: lamp.light(of: identity.id), name: lamp == .main ? name : "\(name) Background",
                capabilities: identity.capabilities(of: lamp), manufacturer: "Yeelight", model: identity.model,
                serialNumber: identity.id, firmware: identity.firmware)
        }
        return [.identified(identity.id), .lights(lights)]
    }

    // MARK: To the device

    private mutating func transmit(_ now: Duration) -> [SessionEvent<Output>] {
        guard pace.mayAt <= now, let (number, request) = queue.transmit(now: now) else { return [] }
        pace.sent(now: now)
        let message: JSONValue =
            switch request {
            case .properties: Self.message(number, "get_prop", (identity?.properties ?? []).map { .string($0) })
            case .order(let order, _, _, _): Self.message(number, order.method, order.params)
            }
        return [.output(.send(message.encoded + [0x0D, 0x0A]))]
    }

    private static func message(_ number: Int, _ method: String, _ params: [JSONValue]) -> JSONValue {
        ["id": .integer(Int64(number)), "method": .string(method), "params": .array(params)]
    }

    package mutating func apply(
        _ command: LightCommand, to light: LightID, number: Int, now: Duration
    ) throws(LightError) -> [SessionEvent<Output>] {
        guard let identity, let lamp = lamp(light), var shown = lamps[lamp] else { throw .unknownLight }
        blinking.end(light)
        var command = command
        let isOn = shown.state.isOn ?? false
        if !isOn, command.on != true {
            shown.wanted.brightness = command.brightness ?? shown.wanted.brightness
            shown.wanted.color = command.color ?? shown.wanted.color
            lamps[lamp] = shown
            if command.on == nil { return report(lamp) + [.finished(command: number, nil)] }
        }
        if command.on == true {
            command.brightness = command.brightness ?? shown.wanted.brightness
            command.color = command.color ?? shown.wanted.color
            shown.wanted = LightCommand()
        }
        lamps[lamp] = shown
        let orders = YeelightOrder.orders(
            for: command, to: lamp, of: identity, isOn: isOn, brightness: shown.state.brightness)
        guard !orders.isEmpty else {
            // The command only switches the lamp on, and it is already on.
            return [.finished(command: number, nil)]
        }
        add(orders, lamp, command: number)
        return transmit(now)
    }

    private mutating func add(_ orders: [YeelightOrder], _ lamp: YeelightLamp, command: Int?) {
        for (index, order) in orders.enumerated() {
            queue.add(.order(order, lamp, command: command, isLast: index == orders.count - 1)) { $0 == .properties }
        }
    }

    package mutating func identify(
        _ light: LightID, number: Int, now: Duration
    ) throws(LightError) -> [SessionEvent<Output>] {
        guard let lamp = lamp(light), let shown = lamps[lamp] else { throw .unknownLight }
        blinking.begin(light, number: number, isOn: shown.state.isOn ?? false, now: now)
        blink(now)
        return transmit(now)
    }

    private mutating func blink(_ now: Duration) {
        for step in blinking.steps(now: now) {
            guard let lamp = lamp(step.light) else { continue }
            add([.power(step.isOn, of: lamp)], lamp, command: step.isLast ? nil : step.number)
        }
    }

    package mutating func cancelled(command: Int) { queue.forget { $0.command == command } }

    // MARK: Time

    package var deadline: Duration? {
        let turn = queue.deadline ?? (queue.isWaiting ? pace.mayAt : nil)
        return [turn, pollAt, blinking.deadline].compactMap { $0 }.min()
    }

    package mutating func timePassed(now: Duration) -> [SessionEvent<Output>] {
        if let overdue = queue.deadline, overdue <= now { return [.failed(.unreachable("no answer in time"))] }
        blink(now)
        if let at = pollAt, at <= now {
            pollAt = nil
            queue.ask(.properties)
        }
        return transmit(now)
    }
}
