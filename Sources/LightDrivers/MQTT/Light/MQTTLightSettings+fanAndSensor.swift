import LightKit

extension MQTTLightSettings {
    /// A fan, or a reading of a sensor.
    init(_ reader: KeyReader, kind: LightKind, schema: Schema) throws(MQTTProblem) {
        var commandTopic = ""
        if kind == .fan {
            guard let topic = try reader.topic("command_topic") else { throw .about("command_topic", "is missing") }
            commandTopic = topic
        }
        self.init(commandTopic: commandTopic, schema: schema, kind: kind)
        availability = try reader.availability()
        qos = try reader.integer("qos", in: 0...2) ?? 0
        try readPowerPayloads(reader)
        if kind == .fan {
            isOptimistic = try reader.bool("optimistic") ?? false
            powerTemplate = try reader.known("command_template", else: "power is sent without it")
            power = try source(reader, topic: "state_topic", template: "state_value_template")
            self.schema = .fan(try fan(reader))
        } else {
            power = try source(reader, topic: "state_topic", template: "value_template")
            guard power != nil else {
                throw .about("state_topic", reader.losses.isEmpty ? "is missing" : "cannot be read")
            }
        }
    }

    private func fan(_ reader: KeyReader) throws(MQTTProblem) -> FanSchema {
        var fan = FanSchema()
        fan.speedCommand = try command(reader, "percentage", else: "the speed cannot be set")
        fan.speed = try source(reader, "percentage")
        fan.directionCommand = try command(reader, "direction", else: "the direction cannot be set")
        fan.direction = try source(reader, "direction")
        fan.oscillationCommand = try command(reader, "oscillation", else: "the oscillation cannot be set")
        fan.oscillation = try source(reader, "oscillation")
        let range = 1...FanSchema.maximumSpeed
        let slowest = try reader.integer("speed_range_min", in: range) ?? 1
        let fastest = try reader.integer("speed_range_max", in: range) ?? 100
        guard slowest < fastest else { throw .about("speed_range_max", "is not above speed_range_min") }
        fan.speeds = FanSpeeds(range: slowest...fastest)
        fan.resetSpeed = try reader.string("payload_reset_percentage") ?? fan.resetSpeed
        fan.oscillationOn = try reader.string("payload_oscillation_on") ?? fan.oscillationOn
        fan.oscillationOff = try reader.string("payload_oscillation_off") ?? fan.oscillationOff
        return fan
    }
}
