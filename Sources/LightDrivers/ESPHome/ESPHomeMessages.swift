import DeviceKit

/// The numbers of the messages of ESPHome's API that the driver uses.
enum ESPHomeMessageType {
    static let hello = 1
    static let helloResponse = 2
    static let authentication = 3
    static let authenticationResponse = 4
    static let disconnect = 5
    static let disconnectResponse = 6
    static let ping = 7
    static let pingResponse = 8
    static let deviceInfo = 9
    static let deviceInfoResponse = 10
    static let listEntities = 11
    static let binarySensorEntity = 12
    static let coverEntity = 13
    static let fanEntity = 14
    static let lightEntity = 15
    static let sensorEntity = 16
    static let switchEntity = 17
    static let entitiesDone = 19
    static let subscribeStates = 20
    static let binarySensorState = 21
    static let coverState = 22
    static let fanState = 23
    static let lightState = 24
    static let sensorState = 25
    static let switchState = 26
    static let coverCommand = 30
    static let fanCommand = 31
    static let lightCommand = 32
    static let switchCommand = 33
    static let lockEntity = 58
    static let lockState = 59
    static let lockCommand = 60
    static let alarmEntity = 94
    static let alarmState = 95
    static let alarmCommand = 96
    static let eventEntity = 107
    static let event = 108
}

extension ESPHomeFraming.Message {
    /// The client's name and its API version, 1.14.
    ///
    /// Clients of this version derive object ids from names themselves.
    static var hello: Self {
        var body = ProtobufWriter()
        body.write("Lamplighter", field: 1)
        body.write(UInt64(1), field: 2)
        body.write(UInt64(14), field: 3)
        return Self(ESPHomeMessageType.hello, body.bytes)
    }
}

struct ESPHomeDeviceInfo: Equatable, Sendable {
    var name = ""
    var friendlyName = ""
    /// The MAC address in uppercase without colons.
    ///
    /// It is the prefix of the ids of the device's lights.
    var mac = ""
    var manufacturer = ""
    var model = ""
    var projectName = ""
    var projectVersion = ""
    var version = ""
    var area = ""
    /// The names of the device's subdevices, by their ids.
    var parts: [UInt32: String] = [:]

    init() {}

    init(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) {
        var reader = ProtobufReader(body)
        while let (field, value) = try reader.next() {
            switch field {
            case 2: name = value.text
            case 3: mac = String(value.text.uppercased().filter { $0.isASCII && $0.isHexDigit }.prefix(12))
            case 4: version = value.text
            case 6: model = value.text
            case 8: projectName = value.text
            case 9: projectVersion = value.text
            case 12: manufacturer = value.text
            case 13: friendlyName = value.text
            case 16: area = value.text
            case 20:
                guard case .bytes(let bytes) = value, parts.count < ESPHomeSession.maximumEntities else { break }
                var part = ProtobufReader(bytes)
                var (id, name) = (UInt32(0), "")
                while let (field, value) = try part.next() {
                    if field == 1 { id = UInt32(truncatingIfNeeded: value.number) }
                    if field == 2 { name = value.text }
                }
                parts[id] = name
            default: break
            }
        }
    }
}

/// The device's description of one of its entities, such as a light, a switch or a sensor.
struct ESPHomeEntity: Equatable, Sendable {
    /// The identification of an entity in messages.
    struct Key: Hashable, Sendable {
        var key: UInt32
        /// The id of the subdevice that the entity belongs to; 0 is the device itself.
        var part: UInt32 = 0
    }

    enum Kind: Equatable, Sendable {
        case light(modes: [ESPHomeColorMode], mireds: ClosedRange<Int>?)
        case `switch`(isOutlet: Bool)
        case fan(ESPHomeFan)
        case sensor(SensorClass)
        case cover(ESPHomeCover)
        /// A lock or an alarm panel.
        case targetState(ESPHomeTargetState)
        /// An event entity that reports the presses of buttons.
        case event(ButtonWords)
        /// An entity of one of ``ESPHomeComponents``.
        case component(AnyESPHomeComponent)
    }

    var key: Key
    var objectID: String
    var name: String
    var kind: Kind
    /// A Boolean value that indicates whether the entity isn't shown because it is disabled by default, or because it
    /// is a setting or a diagnostic entity.
    var isHidden: Bool
    var problem: String?
    /// A Boolean value that indicates whether the device has firmware from before the middle of 2021, which has no
    /// color modes and has named fan speeds.
    var isLegacy = false
}

extension ESPHomeEntity {
    /// Parses the description of an entity.
    ///
    /// Returns `nil` if its kind or its device class isn't supported.
    init?(_ message: ESPHomeFraming.Message) throws(ProtobufReader.Malformed) {
        let body = message.body[...]
        switch message.type {
        case ESPHomeMessageType.lightEntity: self = try Self(light: true, body)
        case ESPHomeMessageType.switchEntity: self = try Self(light: false, body)
        case ESPHomeMessageType.fanEntity: self = try Self(fan: body)
        case ESPHomeMessageType.coverEntity: self = try Self(cover: body)
        case ESPHomeMessageType.lockEntity: self = try Self(lock: body)
        case ESPHomeMessageType.alarmEntity: self = try Self(alarm: body)
        case ESPHomeMessageType.eventEntity:
            guard let event = try Self(event: body) else { return nil }
            self = event
        case ESPHomeMessageType.binarySensorEntity, ESPHomeMessageType.sensorEntity:
            guard let sensor = try Self(sensor: message.type == ESPHomeMessageType.sensorEntity, body) else {
                return nil
            }
            self = sensor
        default:
            guard let entity = try ESPHomeComponents.describing(message.type)?.entity(body) else { return nil }
            self = entity
        }
    }

    init(light isLight: Bool, _ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) {
        key = Key(key: 0)
        (objectID, name, isHidden) = ("", "", false)
        var modes: [ESPHomeColorMode] = []
        var legacy: ESPHomeColorMode = .onOff
        var (warmest, coldest) = (Float(0), Float(0))
        var deviceClass = ""
        var reader = ProtobufReader(body)
        while let (field, value) = try reader.next() {
            switch (field, isLight) {
            case (1, _): objectID = value.text
            case (2, _): key.key = UInt32(truncatingIfNeeded: value.number)
            case (3, _): name = value.text
            case (5, true): if value.flag { legacy.insert(.brightness) }
            case (6, true): if value.flag { legacy.insert(.rgb) }
            case (7, true): if value.flag { legacy.insert(.white) }
            case (8, true): if value.flag { legacy.insert(.temperature) }
            case (9, true): coldest = value.float
            case (10, true): warmest = value.float
            case (12, true): modes += value.numbers.compactMap(ESPHomeColorMode.init(wire:))
            case (13, true), (7, false): isHidden = isHidden || value.flag
            case (15, true), (8, false): isHidden = isHidden || value.number != 0
            case (16, true), (10, false): key.part = UInt32(truncatingIfNeeded: value.number)
            case (9, false): deviceClass = value.text
            default: break
            }
        }
        guard isLight else {
            kind = .switch(isOutlet: deviceClass == "outlet")
            return
        }
        var mireds: ClosedRange<Int>?
        if coldest >= 1, warmest <= 2000, coldest < warmest {
            mireds = Int(coldest.rounded(.up))...max(Int(coldest.rounded(.up)), Int(warmest.rounded(.down)))
        }
        isLegacy = modes.isEmpty && legacy != .onOff
        kind = .light(modes: isLegacy ? [legacy] : Array(modes.prefix(16)), mireds: mireds)
    }
}

/// A color mode of a light.
///
/// Each bit represents an attribute, such as the brightness, that can be set in that mode.
struct ESPHomeColorMode: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let onOff = Self(rawValue: 1)
    static let brightness = Self(rawValue: 2)
    static let white = Self(rawValue: 4)
    static let temperature = Self(rawValue: 8)
    static let coldWarm = Self(rawValue: 16)
    static let rgb = Self(rawValue: 32)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Creates a mode from its value in messages.
    ///
    /// Returns `nil` for "unknown" and for values of later firmware versions.
    init?(wire: UInt64) {
        guard wire > 0, wire < 64 else { return nil }
        // Firmware from 2021 represented brightness as 2, without the bit for on and off.
        rawValue = UInt8(wire) | 1
    }

    /// A Boolean value that indicates whether a color temperature can be set in this mode.
    var hasTemperature: Bool { contains(.temperature) || contains(.coldWarm) }
}

/// The state of an entity that a device reports.
struct ESPHomeState: Equatable, Sendable {
    var key: ESPHomeEntity.Key
    var on = false
    var brightness: Float = 1
    var mode: ESPHomeColorMode?
    var colorBrightness: Float = 1
    var rgb: [Float] = [1, 1, 1]
    var white: Float = 1
    var mireds: Float = 0
    var cold: Float = 1
    var warm: Float = 1
    /// The speed of a fan; the lowest speed is 1.
    var speed = 0
    /// The speed of a fan with legacy firmware; the lowest speed is 0.
    var legacySpeed = 0
    var isReverse = false
    var isOscillating = false
    /// The value of a sensor.
    var value: Float = 0
    var isMissing = false
    /// The selected option of a choice, or the preset of a fan.
    var text = ""
    /// The position of a cover and the angle of its slats, 0 to 1: 1 is open.
    var position: Float = 0
    var tilt: Float = 0
    var motion = CoverMotion.stopped
    /// The state of a lock or an alarm panel.
    var number: UInt64 = 0
    var climate = ESPHomeClimateState()
    /// A Boolean value that indicates whether a value of a light or a cover is out of range.
    ///
    /// Only the power of such a state is used.
    var isInvalid = false

    /// Parses the state of a light or of a switch.
    ///
    /// Fields that are missing in the message are zero.
    ///
    /// - Returns: The state, or `nil` if a switch reports that its state is unknown.
    static func read(light isLight: Bool, _ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> ESPHomeState? {
        var state = ESPHomeState(key: ESPHomeEntity.Key(key: 0))
        (state.brightness, state.colorBrightness, state.white) = (0, 0, 0)
        (state.rgb, state.cold, state.warm) = ([0, 0, 0], 0, 0)
        var isMissing = false
        var reader = ProtobufReader(body)
        while let (field, value) = try reader.next() {
            switch (field, isLight) {
            case (1, _): state.key.key = UInt32(truncatingIfNeeded: value.number)
            case (2, _): state.on = value.flag
            case (3, false), (14, true): state.key.part = UInt32(truncatingIfNeeded: value.number)
            case (4, false): isMissing = value.flag
            case (3, true): state.brightness = state.share(value)
            case (4, true), (5, true), (6, true): state.rgb[field - 4] = state.share(value)
            case (7, true): state.white = state.share(value)
            case (8, true):
                state.mireds = value.float
                if !value.float.isFinite { state.isInvalid = true }
            case (10, true): state.colorBrightness = state.share(value)
            case (11, true): state.mode = ESPHomeColorMode(wire: value.number)
            case (12, true): state.cold = state.share(value)
            case (13, true): state.warm = state.share(value)
            default: break
            }
        }
        return isMissing ? nil : state
    }

    /// Returns a field as a fraction, 0 to 1; rounding on the device may exceed that range slightly.
    mutating func share(_ value: ProtobufReader.Value) -> Float {
        let share = value.float
        guard (-0.01...1.01).contains(share) else {
            isInvalid = true
            return 0
        }
        return min(max(share, 0), 1)
    }
}

extension ESPHomeState {
    /// Parses a state, whose first field is the key.
    ///
    /// - Parameters:
    ///   - body: The message.
    ///   - part: The field for the subdevice.
    ///   - read: Stores another field in the state.
    /// - Throws: `ProtobufReader.Malformed` if the message isn't valid.
    init(
        _ body: ArraySlice<UInt8>, part: Int,
        _ read: (inout ESPHomeState, Int, ProtobufReader.Value) -> Void
    ) throws(ProtobufReader.Malformed) {
        self.init(key: ESPHomeEntity.Key(key: 0))
        var reader = ProtobufReader(body)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: key.key = UInt32(truncatingIfNeeded: value.number)
            case part: key.part = UInt32(truncatingIfNeeded: value.number)
            default: read(&self, field, value)
            }
        }
    }

    /// Parses the state of an entity.
    ///
    /// Returns `nil` if the message isn't a supported state or reports that the state is unknown.
    init?(_ message: ESPHomeFraming.Message) throws(ProtobufReader.Malformed) {
        let body = message.body[...]
        switch message.type {
        case ESPHomeMessageType.lightState, ESPHomeMessageType.switchState:
            guard let state = try Self.read(light: message.type == ESPHomeMessageType.lightState, body) else {
                return nil
            }
            self = state
        case ESPHomeMessageType.fanState: self = try Self(fan: body)
        case ESPHomeMessageType.coverState: self = try Self(cover: body)
        case ESPHomeMessageType.lockState, ESPHomeMessageType.alarmState: self = try Self(number: body)
        case ESPHomeMessageType.binarySensorState, ESPHomeMessageType.sensorState: self = try Self(sensor: body)
        default:
            guard let state = try ESPHomeComponents.reporting(message.type)?.state(body) else { return nil }
            self = state
        }
    }
}

/// A command to a light.
///
/// Values that are `nil` aren't sent, so the device doesn't change them.
struct ESPHomeLightCommand: Equatable, Sendable {
    var on: Bool?
    var brightness: Float?
    var mode: ESPHomeColorMode?
    var colorBrightness: Float?
    var rgb: [Float]?
    var white: Float?
    var mireds: Float?
    var cold: Float?
    var warm: Float?
    var milliseconds: UInt64?

    func message(to key: ESPHomeEntity.Key) -> ESPHomeFraming.Message {
        var body = ProtobufWriter()
        body.write(fixed32: key.key, field: 1)
        if let on {
            body.write(true, field: 2)
            body.write(on, field: 3)
        }
        func write(_ value: Float?, flag: UInt64, field: UInt64) {
            guard let value else { return }
            body.write(true, field: flag)
            body.write(value, field: field)
        }
        write(brightness, flag: 4, field: 5)
        if let rgb {
            body.write(true, field: 6)
            for (index, value) in rgb.enumerated() { body.write(value, field: UInt64(7 + index)) }
        }
        write(white, flag: 10, field: 11)
        write(mireds, flag: 12, field: 13)
        if let milliseconds {
            body.write(true, field: 14)
            body.write(milliseconds, field: 15)
        }
        write(colorBrightness, flag: 20, field: 21)
        if let mode {
            body.write(true, field: 22)
            body.write(UInt64(mode.rawValue), field: 23)
        }
        write(cold, flag: 24, field: 25)
        write(warm, flag: 26, field: 27)
        if key.part != 0 { body.write(UInt64(key.part), field: 28) }
        return ESPHomeFraming.Message(ESPHomeMessageType.lightCommand, body.bytes)
    }

    static func message(on: Bool, to key: ESPHomeEntity.Key) -> ESPHomeFraming.Message {
        var body = ProtobufWriter()
        body.write(fixed32: key.key, field: 1)
        body.write(on, field: 2)
        if key.part != 0 { body.write(UInt64(key.part), field: 3) }
        return ESPHomeFraming.Message(ESPHomeMessageType.switchCommand, body.bytes)
    }
}
