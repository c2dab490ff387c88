import DeviceKit
import HAPModel

/// A state machine for one simulated light.
///
/// It stores the light's state and its current transition.
struct SimulatedLightState {
    private struct Fade: Equatable {
        var from: Int
        var to: Int
        var step = 1
        var start: ContinuousClock.Instant
        var length: Duration
    }

    /// The movement of a cover.
    private struct Move: Equatable {
        var from, to: Int
        var start: ContinuousClock.Instant
        var length: Duration
        /// The number of the next report.
        var step = 1

        var motion: CoverMotion { from < to ? .opening : .closing }

        func position(at now: ContinuousClock.Instant) -> Int {
            let share = length > .zero ? min(max((now - start) / length, 0), 1) : 1
            return from + Int((Double(to - from) * share).rounded())
        }
    }

    /// The number of reports in a transition, including the final state.
    private static let steps = 5

    let light: SimulatedLight
    /// The limits of the light's values.
    private let limits: ValueLimits
    private let ranges: [(property: Property, range: ClosedRange<Double>?)]
    private var state: DeviceState
    private var commands = 0
    private var fade: Fade? { didSet { noteChanges() } }
    private var move: Move? { didSet { noteChanges() } }
    /// The time at which a device with a target state, such as a lock, reaches that state, and the resulting values.
    private var arrival: (time: ContinuousClock.Instant, values: PropertyValues)? { didSet { noteChanges() } }
    /// A Boolean value that indicates whether a fade or a movement has further steps.
    private(set) var isChanging = false

    init(_ light: SimulatedLight) {
        self.light = light
        limits = ValueLimits(of: light.description)
        ranges = light.description.properties.map { ($0.property, $0.part.metadata?.range) }
        state = DeviceState(light.description.initialValues)
        state.isWhite = light.description.has(.colorTemperature)
        for reading in light.description.capabilities.readings { state.values.readings[reading] = reading.beginning }
        if light.description.kind == .garageDoor {
            state.values[.currentDoorState] = .closed
            state.values[.targetDoorState] = .closed
        }
        state.isReachable = light.failure != .unreachable
    }

    var reachable: Bool { state.isReachable }

    var report: LightReport {
        var report = light.description.report(of: state)
        report.reachable = reachable
        return report
    }

    /// Restores the remembered values that are still possible.
    mutating func restore(_ known: LightReport) {
        var possible = PropertyValues()
        for (property, value) in known.values {
            let members = known.values.members(of: property.group)
            if let value, problem(with: limits.canonical(members)) == nil { possible[property] = value }
        }
        change(LightReport(possible))
    }

    /// Returns the reason why the light can't have the values of a report, or `nil` if it can.
    func problem(with change: LightReport) -> String? { problem(with: limits.canonical(change.values)) }

    private func problem(with change: (values: PropertyValues, invalid: Int)) -> String? {
        for (property, value) in change.values {
            guard let index = ranges.firstIndex(where: { $0.property == property }) else {
                return "this \(light.description.kind) has no \(name(of: property))"
            }
            guard let number = value?.number, let range = ranges[index].range, !range.contains(number) else { continue }
            return "\(name(of: property)) must be \(Int(range.lowerBound)) to \(Int(range.upperBound))"
        }
        return change.invalid > 0 ? "invalid value" : nil
    }

    private func name(of property: Property) -> String {
        light.description.kind.name(of: property.type)?.name ?? PropertyName.name(of: property.type)
    }

    /// Removes the button presses from a change.
    ///
    /// A press that doesn't name a button is a press of the device's only button.
    ///
    /// - Returns: The momentary events, and the reason why the device can't have one of them.
    func takeEvents(of change: inout LightReport) -> (events: PropertyValues, problem: String?) {
        var events = PropertyValues()
        let buttons = light.description.buttons
        for (property, value) in change.values where property.type.isMomentary {
            change.values.remove(property)
            let id = property.function ?? (buttons.count == 1 ? buttons[0].id : nil)
            guard let button = buttons.first(where: { $0.id == id }), let press = value.flatMap(ButtonPress.init) else {
                let names = buttons.map { "press#\($0.id)" }.joined(separator: ", ")
                let kind = light.description.kind
                return (events, buttons.isEmpty ? "this \(kind) has no buttons" : "use one of \(names)")
            }
            events.merge(button.events(press))
        }
        return (events, nil)
    }

    /// Changes the light as if someone had operated it.
    mutating func change(_ change: LightReport) {
        self.change(limits.canonical(change.values).values)
        state.isReachable = change.reachable ?? reachable
    }

    private mutating func noteChanges() { isChanging = fade != nil || move != nil || arrival != nil }

    private mutating func change(_ values: PropertyValues) {
        if isChanging { (fade, move, arrival) = (nil, nil, nil) }
        let rules = limits.rules
        var values = values
        rules.complete(&values) { state }
        state.apply(values, rules)
    }

    /// Returns a change with both or neither of hue and saturation.
    ///
    /// If the change contains only one of them, the light's current value of the other is added.
    func completed(_ change: LightReport) -> LightReport {
        var change = change
        guard change.values.contains(Property(.hue)) != change.values.contains(Property(.saturation)) else {
            return change
        }
        change.values = limits.rules.command(change.values, over: state)
        return change
    }

    /// Executes a command.
    ///
    /// Returns the report that the light sends at once, or `nil` if it sends no report.
    mutating func apply(
        _ command: LightCommand, now: @autoclosure () -> ContinuousClock.Instant
    ) throws(LightError) -> LightReport? {
        guard reachable else { throw .unreachable }
        commands += 1
        if case .every(let n) = light.failure, commands.isMultiple(of: n) { throw .refused("simulated failure") }
        let asked = limits.canonical(command.values)
        if let problem = problem(with: asked) { throw .refused(problem) }
        if light.description.kind == .cover, light.transition > .zero, let report = moved(by: asked.values, now: now())
        {
            return light.report == .none ? nil : report
        }
        let outcome = limits.rules.outcome(of: asked.values)
        if let rules = limits.rules as? TargetStateRules, light.transition > .zero {
            let beginning = rules.beginning(of: asked.values)
            change(beginning)
            arrival = (now() + light.transition, outcome)
            return light.report == .none ? nil : LightReport(beginning)
        }
        let before = light.report == .stepped ? state.values.brightness : nil
        change(outcome)
        switch light.report {
        case .none: return nil
        case .push: return LightReport(outcome)
        case .stepped:
            let change = LightReport(outcome)
            let length = command.transition ?? light.transition
            guard state[.on] == true, let before, let brightness = state[.brightness], before != brightness,
                length > .zero
            else { return change }
            fade = Fade(from: before, to: brightness, start: now(), length: length)
            return LightReport(on: command.on, color: command.color)
        }
    }

    /// Starts or stops the movement of a cover, and returns its report; `nil` if the command moves nothing.
    private mutating func moved(by command: PropertyValues, now: ContinuousClock.Instant) -> LightReport? {
        let position = move?.position(at: now) ?? state.values.position ?? 0
        var report = LightReport()
        report.tilt = command.targetTilt
        report.targetTilt = command.targetTilt
        if command.stops {
            guard move != nil else { return nil }
            report.position = position
            report.motion = .stopped
            change(report.values)
        } else {
            guard let target = command.targetPosition, target != position else { return nil }
            let move = Move(
                from: position, to: target, start: now, length: light.transition * abs(target - position) / 100)
            report.position = position
            report.motion = move.motion
            report.targetPosition = target
            change(report.values)
            self.move = move
        }
        return report
    }

    /// The time of the next step of a transition.
    var nextStep: ContinuousClock.Instant? {
        if let move { return move.start + move.length * move.step / Self.steps }
        if let arrival { return arrival.time }
        return fade.map { $0.start + $0.length * $0.step / Self.steps }
    }

    /// Returns the report of the transition's next step if that step is due, otherwise `nil`.
    mutating func step(now: ContinuousClock.Instant) -> LightReport? {
        if var move { return step(&move, now: now) }
        if let arrival {
            guard arrival.time <= now else { return nil }
            change(arrival.values)
            return light.report == .none ? nil : LightReport(arrival.values)
        }
        guard var fade, let due = nextStep, due <= now else { return nil }
        let level = fade.from + (fade.to - fade.from) * fade.step / Self.steps
        fade.step += 1
        self.fade = fade.step > Self.steps ? nil : fade
        return LightReport(brightness: max(level, 1))
    }

    private mutating func step(_ move: inout Move, now: ContinuousClock.Instant) -> LightReport? {
        guard let due = nextStep, due <= now else { return nil }
        let isLast = move.step >= Self.steps
        move.step += 1
        var report = LightReport()
        report.position = isLast ? move.to : move.position(at: due)
        report.motion = isLast ? .stopped : move.motion
        change(report.values)
        self.move = isLast ? nil : move
        return light.report == .none ? nil : report
    }
}

extension SensorReading {
    /// The initial value of a simulated sensor.
    fileprivate var beginning: SensorValue {
        switch self {
        case .motion, .occupancy, .leak, .smoke, .carbonMonoxide, .tamper, .batteryLow: .flag(false)
        case .contact: .flag(true)
        case .carbonMonoxideLevel: .number(0)
        case .carbonDioxideLevel: .number(500)
        case .airQuality: .number(1)
        case .pm25, .pm10, .voc, .nitrogenDioxide, .ozone: .number(5)
        case .temperature: .number(20)
        case .humidity: .number(50)
        case .illuminance: .number(100)
        case .power, .energy, .current: .number(0)
        case .voltage: .number(230)
        case .battery: .number(100)
        }
    }
}
