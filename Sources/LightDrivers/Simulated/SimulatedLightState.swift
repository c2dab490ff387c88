import LightKit

/// One simulated light as a machine: its current state, and how it fades.
struct SimulatedLightState {
    private struct Fade: Equatable {
        var from: Int
        var to: Int
        var step = 1
        var start: ContinuousClock.Instant
        var length: Duration
    }

    /// How many reports a transition is cut into, the last of them the state it ends in.
    private static let steps = 5

    let light: SimulatedLight
    private(set) var on = false
    private(set) var brightness: Int?
    private(set) var color: LightColor?
    private(set) var reachable: Bool
    private var speed: Int?
    private var direction: FanDirection?
    private var oscillates: Bool?
    private var readings: [SensorReading: SensorValue] = [:]
    private var commands = 0
    private var fade: Fade? { didSet { isFading = fade != nil } }
    /// Whether it is on its way to what it was told.
    private(set) var isFading = false

    init(_ light: SimulatedLight) {
        self.light = light
        let capabilities = light.description.capabilities
        brightness = capabilities.brightness ? 100 : nil
        if let range = capabilities.temperature {
            color = .temperature(mired: min(max(250, range.lowerBound), range.upperBound))
        } else if capabilities.color {
            color = .hueSaturation(hue: 0, saturation: 0)
        }
        reachable = light.failure != .unreachable
        if capabilities.speed { speed = 100 }
        if capabilities.direction { direction = .clockwise }
        if capabilities.oscillation { oscillates = false }
        for reading in capabilities.readings { readings[reading] = reading.beginning }
    }

    /// All that is true of the light.
    var report: LightReport {
        guard light.description.kind != .sensor else { return LightReport(readings: readings, reachable: reachable) }
        var report = LightReport(on: on, brightness: brightness, color: color, reachable: reachable)
        report.speed = speed
        report.direction = direction
        report.oscillates = oscillates
        return report
    }

    /// Takes over what the bridge remembers, as far as the light can still do it.
    mutating func restore(_ known: LightReport) {
        var known = known
        known.reachable = nil
        if problem(with: LightReport(brightness: known.brightness)) != nil { known.brightness = nil }
        if problem(with: LightReport(color: known.color)) != nil { known.color = nil }
        let capabilities = light.description.capabilities
        if !capabilities.speed { known.speed = nil }
        if !capabilities.direction { known.direction = nil }
        if !capabilities.oscillation { known.oscillates = nil }
        known.readings = known.readings.filter { capabilities.readings.contains($0.key) }
        change(known)
    }

    /// What keeps the light from being as the report says, if anything.
    func problem(with change: LightReport) -> String? {
        let capabilities = light.description.capabilities
        if let brightness = change.brightness {
            guard capabilities.brightness else { return "this light has no brightness" }
            guard (1...100).contains(brightness) else { return "brightness is 1 to 100" }
        }
        if light.description.kind == .sensor, change.on != nil { return "a sensor is neither on nor off" }
        if let speed = change.speed {
            guard capabilities.speed else { return "this has no speed" }
            guard (1...100).contains(speed) else { return "speed is 1 to 100" }
        }
        if change.direction != nil, !capabilities.direction { return "this has no direction" }
        if change.oscillates != nil, !capabilities.oscillation { return "this does not oscillate" }
        for (reading, value) in change.readings {
            guard capabilities.readings.contains(reading) else { return "this has no reading \(reading.rawValue)" }
            guard value.valid(for: reading) == value else { return "\(reading.rawValue) cannot have that value" }
        }
        switch change.color {
        case nil: return nil
        case .hueSaturation(let hue, let saturation):
            guard capabilities.color else { return "this light has no color" }
            guard hue >= 0, hue < 360 else { return "hue is 0 to below 360" }
            guard saturation >= 0, saturation <= 100 else { return "saturation is 0 to 100" }
            return nil
        case .temperature(let mired):
            guard let range = capabilities.temperature else { return "this light has no color temperature" }
            guard range.contains(mired) else {
                return "temperature is \(range.lowerBound) to \(range.upperBound) mired"
            }
            return nil
        }
    }

    /// Someone turned the knob.
    mutating func change(_ change: LightReport) {
        if isFading { fade = nil }
        on = change.on ?? on
        brightness = change.brightness ?? brightness
        color = change.color ?? color
        reachable = change.reachable ?? reachable
        speed = change.speed ?? speed
        direction = change.direction ?? direction
        oscillates = change.oscillates ?? oscillates
        readings.merge(change.readings) { $1 }
    }

    /// Does as it is told.
    ///
    /// - Returns: what the light tells at once, if anything.
    mutating func apply(
        _ command: LightCommand, now: @autoclosure () -> ContinuousClock.Instant
    ) throws(LightError) -> LightReport? {
        guard reachable else { throw .unreachable }
        commands += 1
        if case .every(let n) = light.failure, commands.isMultiple(of: n) { throw .refused("simulated failure") }
        var change = LightReport(on: command.on, brightness: command.brightness, color: command.color)
        change.speed = command.speed
        change.direction = command.direction
        change.oscillates = command.oscillates
        if let problem = problem(with: change) { throw .refused(problem) }
        let before = brightness
        self.change(change)
        switch light.report {
        case .none: return nil
        case .push: return change
        case .stepped:
            let length = command.transition ?? light.transition
            guard on, let before, let brightness, before != brightness, length > .zero else { return change }
            fade = Fade(from: before, to: brightness, start: now(), length: length)
            return LightReport(on: command.on, color: command.color)
        }
    }

    /// When the next step of a transition is due.
    var nextStep: ContinuousClock.Instant? {
        fade.map { $0.start + $0.length * $0.step / Self.steps }
    }

    /// The step of a transition that is due now, if one is.
    mutating func step(now: ContinuousClock.Instant) -> LightReport? {
        guard var fade, let due = nextStep, due <= now else { return nil }
        let level = fade.from + (fade.to - fade.from) * fade.step / Self.steps
        fade.step += 1
        self.fade = fade.step > Self.steps ? nil : fade
        return LightReport(brightness: max(level, 1))
    }
}

extension SensorReading {
    /// What a simulated sensor reads until it is told otherwise.
    fileprivate var beginning: SensorValue {
        switch self {
        case .motion, .occupancy, .leak, .smoke, .batteryLow: .flag(false)
        case .contact: .flag(true)
        case .temperature: .number(20)
        case .humidity: .number(50)
        case .illuminance: .number(100)
        case .battery: .number(100)
        }
    }
}
