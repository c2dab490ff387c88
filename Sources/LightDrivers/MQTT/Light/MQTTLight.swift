package import DeviceKit
internal import HAPModel
internal import Jinja

/// One light on MQTT as a machine: messages in, reports out; commands in, messages out.
///
/// It remembers what the light last said of itself, since some messages only make sense with it (which colour mode is
/// meant, what brightness a colour is scaled to), and what was last sent. A light that answers with what was sent,
/// rounded to its own steps, is reported with the values asked for, so that a slider does not jump under the finger.
///
/// Values for a light that is off wait for the next "on", because most lights go on with a brightness alone.
package struct MQTTLight: Equatable, Sendable {
    /// The times at which values change without a message.
    struct Deadlines: Equatable {
        var off: Duration?
        var expiry: Duration?

        var next: Duration? { [off, expiry].compactMap { $0 }.min() }
    }

    struct Sent: Equatable {
        var percent: Int?
        var deviceBrightness: Int?
        var color: LightColor?
        var deviceColor: DeviceColor?
        /// Other numbers, as they were asked for and in the device's own steps.
        var numbers: [CharacteristicType: [Int]] = [:]
    }

    package private(set) var settings: MQTTLightSettings
    var on: Bool?
    var brightness: Int?
    var color: LightColor?
    /// The last colour and the last temperature it told, for lights that tell the mode on its own.
    var lastColor: LightColor?
    var lastTemperature: LightColor?
    var mode: MQTTLightSettings.ColorMode?
    var sent = Sent()
    /// The values for the next "on" of a light that is off: sent alone, most of them would switch it on.
    var held: LightCommand?
    /// The power until the light reports it: the last commanded one, or the one that the bridge remembers.
    private var assumedPower: Bool?
    private var templateFaults = TemplateFaults()
    /// Whether the light has reported that it doesn't know its power.
    var isPowerUnknown = false
    /// The values that a component keeps from earlier messages.
    var memory = PropertyValues()
    /// The last value of a sensor, as text.
    var lastText: String?
    var deadlines = Deadlines()
    /// Set while it blinks to show which one it is, and for a moment after.
    var identification: Identification?
    private var availability: Availability

    package init(_ settings: MQTTLightSettings) {
        self.settings = settings
        availability = settings.availability
    }

    package var isAvailable: Bool { availability.isAvailable }

    /// Takes new settings and keeps what is known of the light.
    package mutating func update(_ settings: MQTTLightSettings) {
        if !hasSameAvailability(as: settings) {
            let former = availability
            availability = settings.availability
            availability.learn(from: former)
        }
        if settings != self.settings {
            templateFaults = TemplateFaults()
            isPowerUnknown = false
        }
        self.settings = settings
    }

    func hasSameAvailability(as settings: MQTTLightSettings) -> Bool {
        availability.hasSameSources(as: settings.availability)
    }

    func isWaiting(for topic: String) -> Bool { availability.isWaiting(for: topic) }

    /// Takes over what another light has received on availability topics that they share.
    mutating func learnAvailability(from other: MQTTLight) { availability.learn(from: other.availability) }

    /// Takes over what the bridge remembers, where the light has not said anything itself.
    package mutating func restore(_ known: LightReport) {
        brightness = brightness ?? known.brightness
        color = color ?? known.color
        assumedPower = assumedPower ?? known.on
        if powerIsOptimistic { on = on ?? known.on }
    }

    // MARK: Messages

    var deadline: Duration? { [identification?.endsAt, deadlines.next].compactMap { $0 }.min() }

    mutating func timePassed(now: Duration) -> [LightReport] {
        [endEchoes(now: now), settings.component?.timePassed(of: &self, now: now)].compactMap { $0 }
    }

    /// A message has come on one of the light's topics; returns its reports.
    package mutating func received(topic: String, payload: MQTTPayload, now: Duration = .zero) -> [LightReport] {
        availability.received(topic: topic, payload: payload, entityState)
        var report: LightReport
        switch settings.schema {
        case .json:
            guard settings.power?.topics.contains(topic) == true else { return [] }
            report = receivedJSON(payload)
        case .basic:
            report = receivedText(topic: topic, payload)
        case .template(let templates):
            guard settings.power?.topics.contains(topic) == true else { return [] }
            report = received(payload, templates)
        case .component(let component):
            report = component.received(topic: topic, payload, by: &self, now: now)
        }
        if report.on != nil {
            assumedPower = nil
            isPowerUnknown = false
        }
        if report.on == true { held = nil }
        if identification != nil, let power = report.on {
            identification?.reported = power
            report.on = nil
        }
        let capabilities = settings.capabilities
        if !capabilities.brightness { report.brightness = nil }
        if let held { report.values = report.values.removing(held.values) }
        switch report.color {
        case nil: break
        case .hueSaturation: if !capabilities.color { report.color = nil }
        case .temperature: if capabilities.temperature == nil { report.color = nil }
        }
        return report.isEmpty ? [] : [report]
    }

    /// A brightness in percent of what a message says, or `nil` if it says nothing that counts.
    mutating func learn(brightness value: Double, scale: Int) -> Int? {
        guard let percent = ColorConversion.percent(deviceValue: value, scale: scale), percent > 0 else { return nil }
        if let asked = sent.percent, let device = sent.deviceBrightness, Double(device) == value.rounded() {
            brightness = asked
        } else {
            brightness = percent
        }
        return brightness
    }

    /// The colour that a message says, or `nil` if it says none.
    func learn(_ value: DeviceColor) -> LightColor? {
        if let asked = sent.color, let device = sent.deviceColor, device.isClose(to: value) { return asked }
        if case .temperature(let number) = value {
            let mired = settings.temperatureInKelvin ? ColorConversion.mired(kelvin: Double(number)) : number
            guard let mired, mired > 0 else { return nil }
            return .temperature(mired: min(max(mired, settings.mireds.lowerBound), settings.mireds.upperBound))
        }
        if case .channels(let channels) = value, channels.count == 5, channels.prefix(3).allSatisfy({ $0 == 0 }) {
            return white(cold: channels[3], warm: channels[4])
        }
        return value.hueSaturation(whites: settings.mireds).map {
            .hueSaturation(hue: $0.hue, saturation: $0.saturation)
        }
    }

    /// What two whites show together; `nil` if they are dark.
    private func white(cold: Int, warm: Int) -> LightColor? {
        guard cold + warm > 0 else { return nil }
        let range = settings.mireds
        let share = Double(warm) / Double(cold + warm)
        let mired = Double(range.lowerBound) + share * Double(range.upperBound - range.lowerBound)
        return Int(exactly: mired.rounded()).map { .temperature(mired: $0) }
    }

    // MARK: Templates

    /// The problems that messages and commands have brought up, by the keys of the announcement.
    var failures: [String: String] {
        var failures = templateFaults.reasons.merging(availability.faults.reasons) { own, _ in own }
        if isPowerUnknown {
            failures["state_topic"] = "the light doesn't know its power; the last known power is shown"
        }
        return failures
    }

    /// Takes over the failures that a copy of this light has noted.
    mutating func noteFailures(of copy: MQTTLight) { templateFaults = copy.templateFaults }

    /// The state that templates know as `this`.
    var entityState: EntityState {
        var state = EntityState()
        if let lastText { state.text = lastText }
        if let on { state.text = on ? "on" : "off" }
        if let brightness, on == true {
            let level = ColorConversion.deviceValue(percent: brightness, scale: 255)
            state.attributes.append((.string("brightness"), .int(level)))
        }
        return state
    }

    /// The value that a template picks out of a message; `nil` if it fails, which is noted.
    mutating func value(_ template: MessageTemplate, of payload: MQTTPayload) -> String? {
        do throws(JinjaError) {
            let value = try template.value(of: payload, template.readsState ? entityState : EntityState())
            templateFaults.worked(template.key)
            return value
        } catch {
            templateFaults.failed(template.key, "\(error.text); the value isn't read")
            return nil
        }
    }

    /// The message that a template makes of a command; a failure is noted.
    mutating func message(
        _ template: MessageTemplate, _ variables: [String: JinjaValue]
    ) throws(LightError) -> String {
        do throws(LightError) {
            let text = try template.message(variables, template.readsState ? entityState : EntityState())
            templateFaults.worked(template.key)
            return text
        } catch {
            if case .refused(let reason) = error { templateFaults.failed(template.key, "\(reason); it is not set") }
            throw error
        }
    }

    // MARK: Commands

    /// The messages that make the light do as it is told.
    ///
    /// - Returns: the messages, in order; none if the light is off and the command leaves it so: its values go out with the
    ///   next "on".
    /// - Throws: `LightError.refused` if the light cannot do that.
    package mutating func messages(for command: LightCommand) throws(LightError) -> [MQTTMessage] {
        let capabilities = settings.capabilities
        var command = command
        if !capabilities.brightness { command.brightness = nil }
        if let percent = command.brightness { command.brightness = min(max(percent, 1), 100) }
        switch command.color {
        case nil: break
        case .hueSaturation(let hue, let saturation):
            guard capabilities.color, ColorConversion.hueSaturation(hue: hue, saturation: saturation) != nil else {
                throw .refused("the light shows no such color")
            }
        case .temperature(let mired):
            guard let range = capabilities.temperature else {
                throw .refused("the light shows no white of a temperature")
            }
            command.color = .temperature(mired: min(max(mired, range.lowerBound), range.upperBound))
        }
        guard !command.isEmpty else { throw .refused("the light can do nothing of that") }
        guard isOn(after: command) else {
            var values = command
            (values.on, values.transition) = (nil, nil)
            if !values.isEmpty { held = held?.merging(values) ?? values }
            guard command.on == false else { return [] }
            return try schemaMessages(for: LightCommand(on: false, transition: command.transition))
        }
        if command.on == true {
            command = held?.merging(command) ?? command
            held = nil
        }
        return try schemaMessages(for: command)
    }

    private mutating func schemaMessages(for command: LightCommand) throws(LightError) -> [MQTTMessage] {
        switch settings.schema {
        case .component(let component): return try component.messages(for: command, to: &self)
        case .json: return [try jsonMessage(for: command)]
        case .basic: return try textMessages(for: command)
        case .template(let templates): return [try templateMessage(for: command, templates)]
        }
    }

    /// Whether the light is on once it has carried out a command; one of which nothing is known is off.
    private func isOn(after command: LightCommand) -> Bool {
        guard settings.kind.rules.power != nil else { return true }
        return command.on ?? assumedPower ?? on ?? false
    }

    /// Whether a command switches power on along with its attributes.
    func switchesOn(_ command: LightCommand) -> Bool { command.on ?? (on == true) }

    func deviceColor(_ color: LightColor) -> DeviceColor? {
        switch color {
        case .temperature(let mired):
            guard settings.modes.contains(.temperature) else { return .channels(whites(mired: mired)) }
            let value = settings.temperatureInKelvin ? ColorConversion.kelvin(mired: mired) : mired
            return value.map(DeviceColor.temperature)
        case .hueSaturation(let hue, let saturation):
            return settings.colorForm.flatMap {
                DeviceColor(hue: hue, saturation: saturation, form: $0, whites: settings.mireds)
            }
        }
    }

    /// The channels of a light with two whites that show a colour temperature.
    private func whites(mired: Int) -> [Int] {
        let range = settings.mireds
        let share = Double(mired - range.lowerBound) / Double(max(range.upperBound - range.lowerBound, 1))
        let warm = Int(exactly: (255 * min(max(share, 0), 1)).rounded()) ?? 0
        return [0, 0, 0, 255 - warm, warm]
    }

    /// Whether a colour is the white that the light has lamps of its own for.
    func isOwnWhite(_ color: LightColor) -> Bool {
        guard settings.modes.contains(.white), case .hueSaturation(_, let saturation) = color else { return false }
        return saturation == 0
    }

    mutating func remember(sent percent: Int) -> Int {
        let device = ColorConversion.deviceValue(percent: percent, scale: settings.brightnessScale)
        sent.percent = percent
        sent.deviceBrightness = device
        return device
    }

    mutating func remember(sent color: LightColor, as device: DeviceColor) {
        sent.color = color
        sent.deviceColor = device
    }

    // MARK: Lights that give no answers

    private var powerIsOptimistic: Bool { settings.powerIsOptimistic }

    /// Notes a number that the device may report in its own steps.
    mutating func remember(_ type: CharacteristicType, asked: Int, told: Int) { sent.numbers[type] = [asked, told] }

    /// Returns the number that was asked for, if the device reports what it was told then.
    func asked(_ type: CharacteristicType, whenTold value: Int) -> Int? {
        sent.numbers[type].flatMap { $0[1] == value ? $0[0] : nil }
    }

    private var brightnessIsOptimistic: Bool {
        guard case .basic = settings.schema, !settings.isOptimistic else { return powerIsOptimistic }
        if settings.brightness != nil { return false }
        return settings.hasOwnBrightness || settings.colorForm.flatMap { settings.states[$0] } == nil
    }

    private func isOptimistic(_ color: LightColor) -> Bool {
        guard case .basic = settings.schema, !settings.isOptimistic else { return powerIsOptimistic }
        switch color {
        case .temperature where settings.modes.contains(.temperature): return settings.states[.temperature] == nil
        case .temperature: return settings.states[.rgbww] == nil
        case .hueSaturation: return settings.colorForm.flatMap { settings.states[$0] } == nil
        }
    }

    /// A command was handed over; returns the part that the light will not report itself and that counts as done.
    package mutating func handedOver(_ command: LightCommand) -> LightReport? {
        assumedPower = command.on ?? assumedPower
        guard isOn(after: command) else {
            var report = LightReport(held?.values ?? PropertyValues())
            if let power = command.on, powerIsOptimistic {
                on = power
                report.on = power
            }
            return report.isEmpty ? nil : report
        }
        if let component = settings.component {
            let report = component.handedOver(command, to: &self)
            on = report.on ?? on
            return report.isEmpty ? nil : report
        }
        var report = LightReport()
        if let on = command.on, powerIsOptimistic {
            self.on = on
            report.on = on
        }
        if let percent = command.brightness, settings.capabilities.brightness, brightnessIsOptimistic {
            brightness = percent
            report.brightness = percent
        }
        if let color = command.color, isOptimistic(color) {
            self.color = color
            report.color = color
        }
        return report.isEmpty ? nil : report
    }
}
