import DeviceKit
import HAPModel

extension SensorClass {
    func value(_ state: ESPHomeState) -> SensorValue {
        guard !state.isMissing else { return .unknown }
        return reading.isFlag ? flag(state.on) : number(Double(state.value)) ?? .unknown
    }
}

/// The features of a fan.
struct ESPHomeFan: Equatable, Sendable {
    /// The speeds, or `nil` if the speed can't be set as a number.
    var speeds: FanSpeeds?
    var hasDirection = false
    var oscillates = false
    var presets = FanPresets()

    var functions: [AccessoryFunction] {
        var features = FanFeatures()
        features.speeds = speeds == nil ? 0 : 100
        (features.hasDirection, features.oscillates) = (hasDirection, oscillates)
        presets.add(to: &features)
        return features.functions
    }
}

extension ESPHomeEntity {
    /// The maximum number of presets that are read.
    private static let maximumPresets = 32

    init(fan body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) {
        var fan = ESPHomeFan()
        self.init(.fan(fan))
        var (speeds, hasSpeed, presets) = (0, false, [String]())
        var reader = ProtobufReader(body)
        while let (field, value) = try reader.next() {
            switch field {
            case 5: fan.oscillates = value.flag
            case 6: hasSpeed = value.flag
            case 7: fan.hasDirection = value.flag
            case 8: speeds = Int(clamping: min(value.number, 1_000_000))
            case 9: isHidden = isHidden || value.flag
            case 11: isHidden = isHidden || value.number != 0
            case 12: if presets.count < Self.maximumPresets { presets.append(value.text) }
            case 13: key.part = UInt32(truncatingIfNeeded: value.number)
            default: readCommon(field, value)
            }
        }
        if hasSpeed, speeds == 0 {
            // Old firmware has three speeds: low, medium and high.
            isLegacy = true
            speeds = 3
        }
        fan.speeds = speeds > 0 ? FanSpeeds(range: 1...speeds) : nil
        fan.presets = FanPresets(presets, hasSpeed: speeds > 0)
        kind = .fan(fan)
    }

    /// Parses the description of a sensor (`isNumber`) or of a binary sensor.
    ///
    /// Returns `nil` for a device class that isn't supported.
    ///
    /// Diagnostic entities are hidden, except for batteries and tamper switches. An entity with an unknown unit gets a
    /// ``problem``.
    init?(sensor isNumber: Bool, _ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) {
        var entity = ESPHomeEntity(.switch(isOutlet: false))
        var (deviceClass, unit, isDiagnosis) = ("", "", false)
        var reader = ProtobufReader(body)
        while let (field, value) = try reader.next() {
            switch (field, isNumber) {
            case (5, false), (9, true): deviceClass = value.text
            case (6, true): unit = value.text
            case (7, false), (12, true): entity.isHidden = entity.isHidden || value.flag
            case (9, false), (13, true): isDiagnosis = value.number != 0
            case (10, false), (14, true): entity.key.part = UInt32(truncatingIfNeeded: value.number)
            default: entity.readCommon(field, value)
            }
        }
        if isNumber, let problem = SensorClass.unknownUnit(unit, of: deviceClass) {
            entity.problem = "\"\(MQTTProblem.quoted(entity.name))\" isn't shown: \(problem)"
            unit = ""
        }
        guard
            let reading = isNumber
                ? SensorClass(number: deviceClass, unit: unit) : SensorClass(binary: deviceClass)
        else { return nil }
        entity.kind = .sensor(reading)
        entity.isHidden = entity.isHidden || (isDiagnosis && !reading.reading.isAboutSensor)
        self = entity
    }

    private init(_ kind: Kind) {
        self.init(key: Key(key: 0), objectID: "", name: "", kind: kind, isHidden: false)
    }

    /// Parses the common fields of all descriptions.
    mutating func readCommon(_ field: Int, _ value: ProtobufReader.Value) {
        switch field {
        case 1: objectID = value.text
        case 2: key.key = UInt32(truncatingIfNeeded: value.number)
        case 3: name = value.text
        default: break
        }
    }
}

extension ESPHomeState {
    init(fan body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) {
        try self.init(body, part: 8) { state, field, value in
            switch field {
            case 2: state.on = value.flag
            case 3: state.isOscillating = value.flag
            case 4: state.legacySpeed = Int(clamping: value.number)
            case 5: state.isReverse = value.number == 1
            case 6: state.speed = Int(clamping: value.number)
            case 7: state.text = value.text
            default: break
            }
        }
    }

    init(sensor body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) {
        try self.init(body, part: 4) { state, field, value in
            switch field {
            // The field is a Boolean value for binary sensors and a number for other sensors.
            case 2: (state.on, state.value) = (value.flag, value.float)
            case 3: state.isMissing = value.flag
            default: break
            }
        }
    }

    func report(of fan: ESPHomeFan, asked: Int?, isLegacy: Bool) -> LightReport {
        var report = LightReport(on: on, reachable: true)
        let speed = isLegacy ? min(legacySpeed, 2) + 1 : speed
        if let speeds = fan.speeds {
            // If the fan is running at the requested step, report the requested percentage instead of the percentage of
            // the step.
            report.speed = asked.flatMap { speeds.value($0) == speed ? $0 : nil } ?? speeds.percent(speed)
        }
        if fan.hasDirection { report.direction = isReverse ? .counterclockwise : .clockwise }
        if fan.oscillates { report.oscillates = isOscillating }
        report.values.merge(fan.presets.values(text.isEmpty ? nil : text))
        return report
    }
}

extension LightCommand {
    func message(to fan: ESPHomeFan, _ key: ESPHomeEntity.Key, isLegacy: Bool) -> ESPHomeFraming.Message {
        var body = ProtobufWriter()
        body.write(fixed32: key.key, field: 1)
        if let on {
            body.write(true, field: 2)
            body.write(on, field: 3)
        }
        if on != false {
            if isLegacy, let speed, let speeds = fan.speeds {
                body.write(true, field: 4)
                body.write(UInt64(clamping: speeds.value(speed) - 1), field: 5)
            }
            if let oscillates {
                body.write(true, field: 6)
                body.write(oscillates, field: 7)
            }
            if let direction {
                body.write(true, field: 8)
                body.write(direction == .counterclockwise, field: 9)
            }
            if !isLegacy, let speed, let speeds = fan.speeds {
                body.write(true, field: 10)
                body.write(UInt64(clamping: speeds.value(speed)), field: 11)
            }
            if let mode = fan.presets.mode(of: self) {
                body.write(true, field: 12)
                body.write(mode, field: 13)
            }
        }
        if key.part != 0 { body.write(UInt64(key.part), field: 14) }
        return ESPHomeFraming.Message(ESPHomeMessageType.fanCommand, body.bytes)
    }
}
