internal import LightKit

/// All that the bridge knows of a light at a moment, with nothing left open.
struct LightState: Equatable, Sendable {
    /// Which of its two ways of showing colour the light uses.
    enum ColorMode: Equatable, Sendable {
        case hueSaturation, temperature
    }

    var on = false
    /// Percent, 1 to 100, kept while the light is off.
    var brightness = 100
    /// Degrees, 0 to 360.
    var hue = 0.0
    /// Percent, 0 to 100.
    var saturation = 0.0
    /// Mired; kept while a colour is shown.
    var mired = 250
    var mode = ColorMode.temperature
    /// Of a fan, in percent, 1 to 100, kept while it is off.
    var speed = 100
    var direction = FanDirection.clockwise
    var oscillates = false
    /// The last value of each reading of a sensor; never `unknown`.
    var readings: [SensorReading: SensorValue] = [:]
    /// The readings of which the sensor has said that it does not know them at present.
    var unknownReadings: Set<SensorReading> = []
    var isReachable = false
    /// What adaptive lighting does with it.
    var transition = TransitionValues()

    /// Takes over what a driver has learnt; what is out of range is passed over.
    mutating func apply(_ report: LightReport) {
        if let on = report.on { self.on = on }
        if let brightness = report.brightness, (1...100).contains(brightness) { self.brightness = brightness }
        if let color = report.color { apply(color) }
        if let speed = report.speed, (1...100).contains(speed) { self.speed = speed }
        if let direction = report.direction { self.direction = direction }
        if let oscillates = report.oscillates { self.oscillates = oscillates }
        if !report.readings.isEmpty { apply(report.readings) }
        if let reachable = report.reachable { isReachable = reachable }
    }

    /// Takes over what a light has been told to do and has accepted.
    mutating func apply(_ command: LightCommand) {
        if let on = command.on { self.on = on }
        if let brightness = command.brightness { self.brightness = brightness }
        if let color = command.color { apply(color) }
        if let speed = command.speed { self.speed = speed }
        if let direction = command.direction { self.direction = direction }
        if let oscillates = command.oscillates { self.oscillates = oscillates }
    }

    private mutating func apply(_ values: [SensorReading: SensorValue]) {
        for (reading, value) in values {
            switch value.valid(for: reading) {
            case nil: break
            case .unknown?: unknownReadings.insert(reading)
            case let known?:
                readings[reading] = known
                unknownReadings.remove(reading)
            }
        }
    }

    private mutating func apply(_ color: LightColor) {
        switch color.valid {
        case nil: break
        case .hueSaturation(let hue, let saturation)?:
            (self.hue, self.saturation) = (hue, saturation)
            mode = .hueSaturation
        case .temperature(let mired)?:
            self.mired = mired
            // The Home app shows the colour wheel's value: it must be that of the white (HAP 12).
            (hue, saturation) = ColorConversion.hueSaturation(mired: self.mired)
            mode = .temperature
        }
    }

    /// The colour or white that the light shows.
    var color: LightColor {
        switch mode {
        case .hueSaturation: .hueSaturation(hue: hue, saturation: saturation)
        case .temperature: .temperature(mired: mired)
        }
    }

    /// The state as a report, to be remembered over a restart.
    func report(for description: LightDescription) -> LightReport {
        let capabilities = description.capabilities
        switch description.kind {
        case .light, .switch, .outlet:
            return LightReport(
                on: on, brightness: capabilities.brightness ? brightness : nil,
                color: capabilities.color || capabilities.temperature != nil ? color : nil)
        case .fan:
            var report = LightReport(on: on)
            if capabilities.speed { report.speed = speed }
            if capabilities.direction { report.direction = direction }
            if capabilities.oscillation { report.oscillates = oscillates }
            return report
        case .sensor:
            return LightReport(
                readings: readings.filter { !$0.key.isMomentary && capabilities.readings.contains($0.key) })
        }
    }
}

extension LightReport {
    /// How many of its values no light can have; they are passed over.
    var invalidValues: Int {
        var count = readings.count { $0.value.valid(for: $0.key) == nil }
        count += [brightness, speed].count { $0.map { !(1...100).contains($0) } ?? false }
        if let color, color.valid == nil { count += 1 }
        return count
    }
}

extension LightColor {
    /// The colour within its limits, which a driver's conversion may have missed by its rounding; `nil` if none shows it.
    ///
    /// Hue stays 360 where HomeKit wrote that: it wants it back as written.
    fileprivate var valid: LightColor? {
        switch self {
        case .hueSaturation(let hue, let saturation):
            guard (-1...361).contains(hue), (-1...101).contains(saturation) else { return nil }
            return .hueSaturation(hue: min(max(hue, 0), 360), saturation: min(max(saturation, 0), 100))
        case .temperature(let mired): return (1...10_000).contains(mired) ? self : nil
        }
    }
}
