package import DeviceKit
internal import HAPModel
internal import Jinja

/// A state machine for one light on MQTT.
///
/// It converts received messages to reports, and commands to messages.
///
/// It stores the last values that the light reported, because some messages depend on them: for example the color mode,
/// and the brightness to which a color is scaled. It also stores the last values sent. If the light answers with these
/// values, rounded to its own steps, the requested values are reported, so that a slider doesn't jump while it is being
/// moved.
///
/// Values for a light that is off are held back until it is switched on, because most lights switch on when they
/// receive a brightness.
package struct MQTTLight: Equatable, Sendable {
    /// The times at which values change without a message.
    struct Deadlines: Equatable {
        var off: Duration?
        var expiry: Duration?
        /// The time by which a device must react to a press.
        var reaction: Duration?

        var next: Duration? { [off, expiry, reaction].compactMap { $0 }.min() }
    }

    struct Sent: Equatable {
        var percent: Int?
        var deviceBrightness: Int?
        var color: LightColor?
        var deviceColor: DeviceColor?
        /// The other numbers: for each characteristic, the requested number and the number sent to the device.
        var numbers: [CharacteristicType: [Int]] = [:]
    }

    package private(set) var settings: MQTTLightSettings
    var on: Bool?
    var brightness: Int?
    var color: LightColor?
    /// The last reported color, for lights that report their color, temperature and mode separately.
    var lastColor: LightColor?
    var lastTemperature: LightColor?
    var mode: MQTTLightSettings.ColorMode?
    var sent = Sent()
    /// The values to send when the light is switched on.
    ///
    /// They are held back while it is off, because most of them would switch it on.
    var held: LightCommand?
    /// The power that is assumed until the light reports it: the last commanded power, or the power that the bridge
    /// remembers.
    private var assumedPower: Bool?
    private var templateFaults = TemplateFaults()
    /// A Boolean value that indicates whether the light has last reported that it doesn't know its power.
    var isPowerUnknown = false
    /// The values that a component keeps from earlier messages.
    var memory = PropertyValues()
    /// The last value of a component, as text.
    var lastText: String?
    var deadlines = Deadlines()
    /// A Boolean value that indicates whether a door has reported that it is opening or closing, not only its end
    /// positions.
    var reportsMovement = false
    /// The time of the current command.
    var commandTime = Duration.zero
    /// The code for the current command, read from a file; otherwise `nil`.
    var code: String?
    /// The current identification, while the light blinks and for a moment afterwards.
    var identification: Identification?
    private var availability: Availability

    package init(_ settings: MQTTLightSettings) {
        self.settings = settings
        availability = settings.availability
    }

    package var isAvailable: Bool { availability.isAvailable }

    /// Replaces the settings and keeps the light's known state.
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

    /// Copies the availability that another light has received on shared topics.
    mutating func learnAvailability(from other: MQTTLight) { availability.learn(from: other.availability) }

    /// Restores the values that the bridge remembers, except for values that the light has already reported.
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

    /// Processes a message on one of the light's topics.
    ///
    /// Returns a report of the values in it, if any.
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

    /// Returns the momentary events in a message; empty for a retained message, which is older than the subscription.
    mutating func events(topic: String, _ payload: MQTTPayload) -> PropertyValues {
        guard !payload.isRetained, let component = settings.component else { return PropertyValues() }
        return component.events(topic: topic, payload, by: &self)
    }

    /// Converts the brightness in a message to percent and stores it.
    ///
    /// Returns `nil` if it is invalid or 0.
    mutating func learn(brightness value: Double, scale: Int) -> Int? {
        guard let percent = ColorConversion.percent(deviceValue: value, scale: scale), percent > 0 else { return nil }
        if let asked = sent.percent, let device = sent.deviceBrightness, Double(device) == value.rounded() {
            brightness = asked
        } else {
            brightness = percent
        }
        return brightness
    }

    /// Converts the color in a message.
    ///
    /// Returns `nil` if it is invalid.
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

    /// Returns the color temperature that the two whites produce together, or `nil` if both are off.
    private func white(cold: Int, warm: Int) -> LightColor? {
        guard cold + warm > 0 else { return nil }
        let range = settings.mireds
        let share = Double(warm) / Double(cold + warm)
        let mired = Double(range.lowerBound) + share * Double(range.upperBound - range.lowerBound)
        return Int(exactly: mired.rounded()).map { .temperature(mired: $0) }
    }

    // MARK: Templates

    /// The problems found in messages and commands, by the key of the announcement that caused them.
    var failures: [String: String] {
        var failures = templateFaults.reasons.merging(availability.faults.reasons) { own, _ in own }
        if isPowerUnknown {
            failures["state_topic"] = "the light doesn't know whether it's on; its last known state is shown"
        }
        return failures
    }

    /// Adopts the template failures of a copy of this light.
    mutating func noteFailures(of copy: MQTTLight) { templateFaults = copy.templateFaults }

    /// The state that is available to templates as `this`.
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

    /// Returns the value that a template extracts from a message.
    ///
    /// If the template fails, stores the failure and returns `nil`.
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

    /// Returns the message that a template creates for a command.
    ///
    /// Stores and throws the error if the template fails.
    mutating func message(
        _ template: MessageTemplate, _ variables: [String: JinjaValue]
    ) throws(LightError) -> String {
        do throws(LightError) {
            let text = try template.message(variables, template.readsState ? entityState : EntityState())
            templateFaults.worked(template.key)
            return text
        } catch {
            if case .refused(let reason) = error {
                templateFaults.failed(template.key, "\(reason); the command isn't sent")
            }
            throw error
        }
    }

    // MARK: Commands

    /// Returns the messages for a command.
    ///
    /// - Returns: The messages in order; empty if the light is off and the command doesn't switch it on. In that case,
    ///   the values are sent when the light is switched on.
    /// - Throws: `LightError.refused` if the light doesn't support the command.
    package mutating func messages(for command: LightCommand) throws(LightError) -> [MQTTMessage] {
        let capabilities = settings.capabilities
        var command = command
        if !capabilities.brightness { command.brightness = nil }
        if let percent = command.brightness { command.brightness = min(max(percent, 1), 100) }
        switch command.color {
        case nil: break
        case .hueSaturation(let hue, let saturation):
            guard capabilities.color, ColorConversion.hueSaturation(hue: hue, saturation: saturation) != nil else {
                throw .refused("the light can't show this color")
            }
        case .temperature(let mired):
            guard let range = capabilities.temperature else {
                throw .refused("the light has no color temperature")
            }
            command.color = .temperature(mired: min(max(mired, range.lowerBound), range.upperBound))
        }
        guard !command.isEmpty else { throw .refused("the light doesn't support this command") }
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

    /// Returns whether the light is on after a command.
    ///
    /// An unknown power counts as off.
    private func isOn(after command: LightCommand) -> Bool {
        guard settings.kind.rules.power != nil else { return true }
        return command.on ?? assumedPower ?? on ?? false
    }

    /// Returns whether the messages for a command must include "on".
    ///
    /// This is also the case if the light is already on and the command doesn't change that.
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

    /// Returns the channel values that produce a color temperature on a light with cold and warm white channels.
    private func whites(mired: Int) -> [Int] {
        let range = settings.mireds
        let share = Double(mired - range.lowerBound) / Double(max(range.upperBound - range.lowerBound, 1))
        let warm = Int(exactly: (255 * min(max(share, 0), 1)).rounded()) ?? 0
        return [0, 0, 0, 255 - warm, warm]
    }

    /// Returns whether a color is white and the light has a separate white channel for it.
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

    // MARK: Lights without state reports

    private var powerIsOptimistic: Bool { settings.powerIsOptimistic }

    /// Stores a requested number together with the number that is sent to the device, which has its own steps.
    mutating func remember(_ type: CharacteristicType, asked: Int, told: Int) { sent.numbers[type] = [asked, told] }

    /// Returns the requested number if the device reports the value that was sent for it; otherwise `nil`.
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

    /// Processes a sent command.
    ///
    /// Returns the values that count as applied at once, because the light won't report them, or `nil` if there are
    /// none.
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
