import BoundedJSON
import DeviceKit
import HAPModel
import Jinja

/// A thermostat, a radiator valve, an air conditioner or a water heater (Lights 6.7).
struct MQTTThermostat: MQTTComponent {
    static let names: Set = ["climate", "water_heater"]
    static let kind = LightKind.thermostat
    static let abbreviations = [
        "act_t": "action_topic", "act_tpl": "action_template", "curr_hum_t": "current_humidity_topic",
        "curr_hum_tpl": "current_humidity_template", "curr_temp_t": "current_temperature_topic",
        "curr_temp_tpl": "current_temperature_template",
        "fan_mode_cmd_t": "fan_mode_command_topic", "fan_mode_cmd_tpl": "fan_mode_command_template",
        "fan_mode_stat_t": "fan_mode_state_topic", "fan_mode_stat_tpl": "fan_mode_state_template",
        "hum_cmd_t": "target_humidity_command_topic",
        "hum_cmd_tpl": "target_humidity_command_template", "hum_stat_t": "target_humidity_state_topic",
        "hum_state_tpl": "target_humidity_state_template", "init": "initial", "max_hum": "max_humidity",
        "min_hum": "min_humidity", "mode_cmd_t": "mode_command_topic", "mode_cmd_tpl": "mode_command_template",
        "mode_stat_t": "mode_state_topic", "mode_stat_tpl": "mode_state_template",
        "pow_cmd_t": "power_command_topic", "pow_cmd_tpl": "power_command_template",
        "swing_mode_cmd_t": "swing_mode_command_topic", "swing_mode_cmd_tpl": "swing_mode_command_template",
        "swing_mode_stat_t": "swing_mode_state_topic", "swing_mode_stat_tpl": "swing_mode_state_template",
        "temp_cmd_t": "temperature_command_topic", "temp_cmd_tpl": "temperature_command_template",
        "temp_hi_cmd_t": "temperature_high_command_topic", "temp_hi_cmd_tpl": "temperature_high_command_template",
        "temp_hi_stat_t": "temperature_high_state_topic", "temp_hi_stat_tpl": "temperature_high_state_template",
        "temp_lo_cmd_t": "temperature_low_command_topic", "temp_lo_cmd_tpl": "temperature_low_command_template",
        "temp_lo_stat_t": "temperature_low_state_topic", "temp_lo_stat_tpl": "temperature_low_state_template",
        "temp_stat_t": "temperature_state_topic", "temp_stat_tpl": "temperature_state_template",
        "temp_unit": "temperature_unit",
    ]
    static let keys =
        abbreviations.values.sorted() + ["fan_modes", "max_temp", "min_temp", "modes", "swing_modes", "temp_step"]
    /// The default modes of a thermostat whose announcement lists no modes.
    private static let usualModes = ["auto", "off", "cool", "heat", "dry", "fan_only"]
    private static let usualHeaterModes = ["eco", "electric", "gas", "heat_pump", "high_demand", "performance", "off"]
    private static let numbers = -1000.0...1000.0

    private var words = ClimateWords()
    private var modeCommand, powerCommand: MQTTLightSettings.Command?
    private var mode, action: MQTTLightSettings.Source?
    private var unit = TemperatureUnit.celsius
    private var step = 0.1
    private var temperatures = 7.0...35.0
    private var current: MQTTLightSettings.Source?
    private var targetCommand, lowCommand, highCommand: MQTTLightSettings.Command?
    private var target, low, high: MQTTLightSettings.Source?
    /// The initial target temperature of a device that doesn't report its target.
    private var initial: Double?
    private var humidity, targetHumidity: MQTTLightSettings.Source?
    private var humidityCommand: MQTTLightSettings.Command?
    private var humidities = 30.0...99.0
    private var fan = ClimateFan()
    private var fanCommand, swingCommand: MQTTLightSettings.Command?
    private var fanMode, swingMode: MQTTLightSettings.Source?

    private var modes: Set<HeatingCoolingMode> {
        var modes = words.modes
        if powerCommand != nil { modes.insert(.off) }
        // A device without modes can only heat.
        if modes.subtracting([.off]).isEmpty { modes.insert(.heat) }
        return modes
    }

    private var hasThresholds: Bool { lowCommand != nil && highCommand != nil }
    private var hasTarget: Bool { targetCommand != nil }

    var capabilities: LightCapabilities { LightCapabilities() }

    var functions: [AccessoryFunction] {
        var features = ThermostatFeatures()
        features.modes = modes
        features.temperatures = temperatures
        features.hasThresholds = hasThresholds
        features.measuresTemperature = current != nil
        features.reportsActivity = action != nil
        features.measuresHumidity = humidity != nil
        features.humidities = humidityCommand == nil ? nil : humidities
        features.fan = fan.features
        return features.functions
    }

    var sources: [MQTTLightSettings.Source?] {
        [mode, action, current, target, low, high, humidity, targetHumidity, fanMode, swingMode]
    }

    var beginning: LightReport? {
        var report = LightReport()
        if mode == nil, modeCommand == nil, powerCommand == nil { report.thermostatMode = .heat }
        if target == nil, let initial { report.targetTemperature = initial }
        return report.isEmpty ? nil : report
    }

    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem) {
        let heatsWater = component == "water_heater"
        settings.isOptimistic = try reader.bool("optimistic") ?? false
        modeCommand = try reader.command("mode", else: "the mode can't be set")
        powerCommand = try reader.command("power", else: "the thermostat can't be switched off")
        mode = try Self.source(reader, "mode_state")
        if modeCommand != nil || mode != nil {
            let names = try reader.words("modes") ?? (heatsWater ? Self.usualHeaterModes : Self.usualModes)
            words = heatsWater ? ClimateWords(heating: names) : ClimateWords(names)
        }
        try readTemperatures(reader, heatsWater: heatsWater)
        guard modeCommand != nil || powerCommand != nil || targetCommand != nil || hasThresholds else {
            throw .about("temperature_command_topic", "is missing, and so are the other topics for commands")
        }
        action = try Self.source(reader, "action")
        humidity = try Self.source(reader, "current_humidity")
        humidityCommand = try reader.command("target_humidity", else: "the humidity can't be set")
        targetHumidity = try Self.source(reader, "target_humidity_state")
        let (driest, dampest) = (
            try reader.number("min_humidity", in: 0...100) ?? 30, try reader.number("max_humidity", in: 0...100) ?? 99
        )
        guard driest < dampest else { throw .about("max_humidity", "must be greater than min_humidity") }
        humidities = driest...dampest
        try readFan(reader)
        settings.commandTopic = (modeCommand ?? targetCommand ?? powerCommand ?? lowCommand)?.topic ?? ""
        settings.power = mode ?? target ?? low ?? current
    }

    private mutating func readFan(_ reader: KeyReader) throws(MQTTProblem) {
        fanCommand = try reader.command("fan_mode", else: "the fan can't be set")
        fanMode = try Self.source(reader, "fan_mode_state")
        swingCommand = try reader.command("swing_mode", else: "the swing mode can't be set")
        swingMode = try Self.source(reader, "swing_mode_state")
        let modes = try reader.words("fan_modes") ?? ["auto", "low", "medium", "high"]
        let swings = try reader.words("swing_modes") ?? ["on", "off"]
        fan = ClimateFan(modes: fanCommand == nil ? [] : modes, swings: swingCommand == nil ? [] : swings)
    }

    private mutating func readTemperatures(_ reader: KeyReader, heatsWater: Bool) throws(MQTTProblem) {
        if let name = try reader.string("temperature_unit") {
            switch name.uppercased() {
            case let name where name.contains("F"): unit = .fahrenheit
            case let name where name.contains("C"): unit = .celsius
            case let name where name.contains("K"): unit = .kelvin
            default: throw .about("temperature_unit", "must be C or F")
            }
        }
        let usual = heatsWater ? (43.3, 60.0) : (7.0, 35.0)
        let coldest = unit.celsius(try reader.number("min_temp", in: Self.numbers)) ?? usual.0
        let hottest = unit.celsius(try reader.number("max_temp", in: Self.numbers)) ?? usual.1
        guard let range = TemperatureUnit.celsius.range(coldest, hottest) else {
            throw .about("max_temp", "must be greater than min_temp")
        }
        temperatures = range
        step = try reader.number("temp_step", in: 0.01...10) ?? unit.usualStep
        initial = unit.celsius(try reader.number("initial", in: Self.numbers))
        current = try Self.source(reader, "current_temperature")
        targetCommand = try reader.command("temperature", else: "the temperature can't be set")
        target = try Self.source(reader, "temperature_state")
        lowCommand = try reader.command("temperature_low", else: "the lower temperature can't be set")
        low = try Self.source(reader, "temperature_low_state")
        highCommand = try reader.command("temperature_high", else: "the upper temperature can't be set")
        high = try Self.source(reader, "temperature_high_state")
        guard targetCommand == nil, !hasThresholds else { return }
        // A single threshold is the target.
        if let lowCommand { (targetCommand, target) = (lowCommand, low) }
        if let highCommand { (targetCommand, target) = (highCommand, high) }
        (lowCommand, low, highCommand, high) = (nil, nil, nil, nil)
    }

    /// Returns the source of an attribute.
    ///
    /// If the attribute has no template, the source uses `value_template`.
    private static func source(_ reader: KeyReader, _ name: String) throws(MQTTProblem) -> MQTTLightSettings.Source? {
        let own = "\(name)_template"
        let hasOwn = reader.keys[own].map { !$0.isNull } ?? false
        return try reader.source(topic: "\(name)_topic", template: hasOwn ? own : "value_template")
    }

    // MARK: Zigbee2MQTT

    /// Returns the thermostat that an expose describes, with one set point, or with one for heating and one for
    /// cooling.
    ///
    /// A device without a system mode can only heat.
    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity? {
        guard expose["type"]?.string == "climate", let features = expose["features"]?.array else { return nil }
        func feature(_ names: String..., settable: Bool = true) -> (json: JSONValue, property: String)? {
            let json = features.first { names.contains($0["name"]?.string ?? "") }
            guard let json, ((json["access"]?.int ?? 0) & 2) != 0 || !settable else { return nil }
            return device.property(json).map { (json, $0) }
        }
        let heating = feature("occupied_heating_setpoint", "current_heating_setpoint")
        let cooling = feature("occupied_cooling_setpoint")
        guard let main = heating ?? cooling else { return nil }
        var thermostat = MQTTThermostat()
        var settings = try device.settings(.component(thermostat), kind)
        let topic = settings.commandTopic
        func command(_ property: String, isText: Bool = false) throws(MQTTProblem) -> MQTTLightSettings.Command {
            let value = isText ? #""{{ value }}""# : "{{ value }}"
            return .init(topic: topic, template: try MessageTemplate(#"{"\#(property)":\#(value)}"#))
        }
        func source(_ property: String) throws(MQTTProblem) -> MQTTLightSettings.Source {
            try settings.state("{{ value_json['\(property)'] }}")
        }
        if let mode = feature("system_mode") {
            thermostat.words = ClimateWords((mode.json["values"]?.array ?? []).prefix(32).compactMap(\.string))
            thermostat.modeCommand = try command(mode.property, isText: true)
            thermostat.mode = try source(mode.property)
        } else if heating == nil {
            thermostat.words = ClimateWords(["cool"])
        }
        if let heating, let cooling {
            thermostat.lowCommand = try command(heating.property)
            thermostat.low = try source(heating.property)
            thermostat.highCommand = try command(cooling.property)
            thermostat.high = try source(cooling.property)
        } else {
            thermostat.targetCommand = try command(main.property)
            thermostat.target = try source(main.property)
        }
        if let current = feature("local_temperature", settable: false) {
            thermostat.current = try source(current.property)
        }
        if let state = feature("running_state", settable: false) {
            thermostat.action = try settings.state(
                "{{ {'idle': 'idle', 'heat': 'heating', 'cool': 'cooling'}[value_json['\(state.property)']] "
                    + "| default('None') }}")
        }
        if let low = main.json["value_min"]?.double, let high = main.json["value_max"]?.double,
            let range = TemperatureUnit.celsius.range(low, high)
        {
            thermostat.temperatures = range
        }
        if let step = main.json["value_step"]?.double, (0.01...10).contains(step) { thermostat.step = step }
        let fanMode = feature("fan_mode")
        let swingMode = feature("swing_mode")
        func words(_ feature: (json: JSONValue, property: String)?) -> [String] {
            (feature?.json["values"]?.array ?? []).prefix(32).compactMap(\.string)
        }
        if let fanMode {
            thermostat.fanCommand = try command(fanMode.property, isText: true)
            thermostat.fanMode = try source(fanMode.property)
        }
        if let swingMode {
            thermostat.swingCommand = try command(swingMode.property, isText: true)
            thermostat.swingMode = try source(swingMode.property)
        }
        thermostat.fan = ClimateFan(modes: words(fanMode), swings: words(swingMode))
        settings.schema = .component(thermostat)
        settings.power = thermostat.mode ?? thermostat.target ?? thermostat.low
        settings.ask(for: main.property)
        let endpoint = expose["endpoint"]?.string
        let suffix = endpoint.map { "_\($0)" } ?? ""
        return try device.entity("\(device.address)_climate\(suffix)_zigbee2mqtt", settings, part: endpoint)
    }

    private init() {}

    // MARK: Messages

    func received(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration) -> LightReport {
        var report = LightReport()
        if let word = light.text(mode, topic, payload), let known = words.mode[word] {
            read(mode: known, word, &report, by: &light)
        }
        if let word = light.text(action, topic, payload) { report.thermostatActivity = ClimateWords.activity(word) }
        func temperature(_ source: MQTTLightSettings.Source?) -> Double? {
            light.text(source, topic, payload).flatMap { unit.celsius($0.plainNumber) }
        }
        report.values[.currentTemperature] = temperature(current)
        if let target = temperature(target) { report.targetTemperature = target }
        read(SetPoints(low: temperature(low), high: temperature(high)), &report, by: &light)
        func percentage(_ source: MQTTLightSettings.Source?) -> Double? {
            light.text(source, topic, payload)?.plainNumber.flatMap { 0...100 ~= $0 ? $0 : nil }
        }
        report.values[.currentRelativeHumidity] = percentage(humidity)
        if humidityCommand != nil { report.targetHumidity = percentage(targetHumidity) }
        if let word = light.text(fanMode, topic, payload) { report.values.merge(fan.values(mode: word)) }
        if let word = light.text(swingMode, topic, payload) { report.values.merge(fan.values(swing: word)) }
        return report
    }

    private func read(
        mode: HeatingCoolingMode?, _ word: String, _ report: inout LightReport, by light: inout MQTTLight
    ) {
        guard let mode else {
            // Mark the target as unknown. HomeKit keeps showing the last mode, but the device is in a mode that HomeKit
            // lacks.
            report.values.setUnknown(Property(.targetHeatingCoolingState))
            return
        }
        // A device that was switched off with the power command still repeats its mode.
        let isOff = light.memory.thermostatMode == .off && words.word[.off] == nil && powerCommand != nil
        if isOff, light.lastText == word { return }
        if mode != .off { light.lastText = word }
        light.memory.thermostatMode = mode
        report.thermostatMode = mode
        guard !hasTarget, hasThresholds else { return }
        report.targetTemperature = Self.setPoints(light).target(in: mode)
    }

    private func read(_ points: SetPoints, _ report: inout LightReport, by light: inout MQTTLight) {
        guard hasThresholds, !points.isEmpty else { return }
        light.memory.heatingThreshold = points.low ?? light.memory.heatingThreshold
        light.memory.coolingThreshold = points.high ?? light.memory.coolingThreshold
        report.heatingThreshold = points.low
        report.coolingThreshold = points.high
        if !hasTarget { report.targetTemperature = Self.setPoints(light).target(in: modeOf(light)) }
    }

    private static func setPoints(_ light: MQTTLight) -> SetPoints {
        SetPoints(low: light.memory.heatingThreshold, high: light.memory.coolingThreshold)
    }

    private func modeOf(_ light: MQTTLight) -> HeatingCoolingMode? {
        light.memory.thermostatMode ?? (modes.count == 1 ? modes.first : nil)
    }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool {
        for source in [current, target, low, high, humidity, targetHumidity] {
            if let text = light.text(source, topic, payload), text.plainNumber == nil { return true }
        }
        return false
    }

    // MARK: Commands

    /// Returns the messages for a command, the mode first, because some devices have a target for each mode.
    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage] {
        var messages: [MQTTMessage] = []
        if let mode = command.thermostatMode { messages += try modeMessages(mode, to: &light) }
        let mode = command.thermostatMode ?? modeOf(light)
        let points = points(of: command, in: mode, light)
        for (celsius, command) in [
            (target(of: command, in: mode), targetCommand), (points.low, lowCommand), (points.high, highCommand),
        ] {
            guard let celsius, let command else { continue }
            let limited = min(max(celsius, temperatures.lowerBound), temperatures.upperBound)
            messages.append(try message(unit.number(celsius: limited, step: step), command, to: &light))
        }
        if let percent = command.targetHumidity, let humidityCommand {
            messages.append(try message(percent, humidityCommand, to: &light))
        }
        if let mode = fan.mode(of: command), let fanCommand {
            messages.append(try light.message(fanCommand, mode, [:]))
        }
        if let mode = fan.swing(of: command), let swingCommand {
            messages.append(try light.message(swingCommand, mode, [:]))
        }
        guard !messages.isEmpty else { throw .refused("the thermostat doesn't support this command") }
        return messages
    }

    private func message(
        _ number: Double, _ command: MQTTLightSettings.Command, to light: inout MQTTLight
    ) throws(LightError) -> MQTTMessage {
        try light.message(command, String(number), ["value": .float(number)])
    }

    /// Returns the target temperature to send; `nil` if the thresholds replace it.
    private func target(of command: LightCommand, in mode: HeatingCoolingMode?) -> Double? {
        let hasPoints = command.heatingThreshold != nil || command.coolingThreshold != nil
        return hasTarget && !(hasPoints && mode == .auto) ? command.targetTemperature : nil
    }

    /// Returns the set points to send for a command; empty if the device has no thresholds.
    private func points(of command: LightCommand, in mode: HeatingCoolingMode?, _ light: MQTTLight) -> SetPoints {
        guard hasThresholds else { return SetPoints() }
        guard hasTarget else { return Self.setPoints(light).changed(by: command, in: mode) }
        return SetPoints(low: command.heatingThreshold, high: command.coolingThreshold)
    }

    private func modeMessages(
        _ mode: HeatingCoolingMode, to light: inout MQTTLight
    ) throws(LightError) -> [MQTTMessage] {
        let settings = light.settings
        var messages: [MQTTMessage] = []
        if words.word[.off] == nil, let powerCommand {
            let isOff = mode == .off
            if isOff || light.memory.thermostatMode.map({ $0 == .off }) != false {
                messages.append(
                    try light.message(powerCommand, isOff ? settings.payloadOff : settings.payloadOn, [:]))
            }
            if isOff { return messages }
        }
        // Restore the last heating mode of a water heater, which may have several heating modes.
        let last = mode == .heat ? light.lastText.flatMap { words.mode[$0] == .heat ? $0 : nil } : nil
        guard let modeCommand, let word = last ?? words.word[mode] else {
            guard messages.isEmpty else { return messages }
            throw .refused("the thermostat doesn't support this mode")
        }
        return messages + [try light.message(modeCommand, word, [:])]
    }

    func handedOver(_ command: LightCommand, to light: inout MQTTLight) -> LightReport {
        var report = LightReport()
        let isOptimistic = light.settings.isOptimistic
        // The reported mode doesn't show whether the power is off.
        if isOptimistic || mode == nil || words.word[.off] == nil, let mode = command.thermostatMode {
            light.memory.thermostatMode = mode
            report.thermostatMode = mode
        }
        if isOptimistic || target == nil, hasTarget { report.targetTemperature = command.targetTemperature }
        let points = points(of: command, in: modeOf(light), light)
        var unreported = SetPoints()
        if isOptimistic || low == nil { unreported.low = points.low }
        if isOptimistic || high == nil { unreported.high = points.high }
        read(unreported, &report, by: &light)
        if isOptimistic || targetHumidity == nil, humidityCommand != nil {
            report.targetHumidity = command.targetHumidity
        }
        if isOptimistic || fanMode == nil, let mode = fan.mode(of: command) {
            report.values.merge(fan.values(mode: mode))
        }
        if isOptimistic || swingMode == nil, let mode = fan.swing(of: command) {
            report.values.merge(fan.values(swing: mode))
        }
        return report
    }
}

extension KeyReader {
    /// Returns the number for a key, or `nil` if it is missing.
    func number(_ name: String, in range: ClosedRange<Double>) throws(MQTTProblem) -> Double? {
        guard let value = keys[name], !value.isNull else { return nil }
        guard let number = value.double ?? value.string?.plainNumber, range.contains(number) else {
            throw .about(name, "isn't a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns the first 32 words in the list for a key, or `nil` if the list is missing.
    func words(_ name: String) throws(MQTTProblem) -> [String]? {
        guard let value = keys[name], !value.isNull else { return nil }
        guard let list = value.array ?? value.string.map({ [.string($0)] }) else { throw .about(name, "isn't a list") }
        return list.prefix(32).compactMap(\.string)
    }
}
