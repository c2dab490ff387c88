public import HAPModel

/// A light's own name for itself within its driver: a serial number, an IEEE address, a `unique_id`.
///
/// It never changes with the light's name, so that accessory ids, rooms and scenes stay. Any text of 1 to 255 bytes.
public struct LightID: RawRepresentable, Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The text.
    public let rawValue: String

    /// Makes an id of its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes an id of its text.
    public init(_ text: String) { rawValue = text }

    /// Makes an id of a literal.
    public init(stringLiteral value: String) { rawValue = value }

    /// The text.
    public var description: String { rawValue }
}

/// What a light, a fan or a sensor can do; ``LightKind`` says which of it counts.
public struct LightCapabilities: Equatable, Sendable {
    /// Whether its brightness can be set.
    public var brightness: Bool
    /// Whether it shows colours, set as hue and saturation.
    public var color: Bool
    /// The range of colour temperatures it shows, in mired, or `nil` if it has no white to choose.
    public var temperature: ClosedRange<Int>?
    /// Whether it fades by itself over a time given in the command.
    public var transition: Bool
    /// Whether the speed of a fan can be set.
    public var speed = false
    /// Whether the direction of a fan can be set.
    public var direction = false
    /// Whether a fan can be told to oscillate.
    public var oscillation = false
    /// What a sensor reads.
    public var readings: Set<SensorReading> = []

    /// Describes what a light can do.
    ///
    /// - Parameters:
    ///   - brightness: whether its brightness can be set.
    ///   - color: whether it shows colours.
    ///   - temperature: the range of colour temperatures in mired.
    ///   - transition: whether it takes a fade time.
    public init(
        brightness: Bool = false, color: Bool = false, temperature: ClosedRange<Int>? = nil, transition: Bool = false
    ) {
        self.brightness = brightness
        self.color = color
        self.temperature = temperature
        self.transition = transition
    }

    /// Describes what a fan can do.
    ///
    /// - Parameters:
    ///   - speed: whether its speed can be set.
    ///   - direction: whether its direction can be set.
    ///   - oscillation: whether it can be told to oscillate.
    /// - Returns: the capabilities.
    public static func fan(speed: Bool, direction: Bool = false, oscillation: Bool = false) -> LightCapabilities {
        var capabilities = LightCapabilities()
        capabilities.speed = speed
        capabilities.direction = direction
        capabilities.oscillation = oscillation
        return capabilities
    }

    /// Describes what a sensor reads.
    ///
    /// - Parameter readings: what it reads.
    /// - Returns: the capabilities.
    public static func sensor(_ readings: Set<SensorReading>) -> LightCapabilities {
        var capabilities = LightCapabilities()
        capabilities.readings = readings
        return capabilities
    }
}

/// A light as its driver describes it: everything but its state.
public struct LightDescription: Equatable, Sendable {
    /// The light's own stable id within its driver.
    public var id: LightID
    /// The name people know it by; any text, made valid for HomeKit by the bridge.
    public var name: String
    /// What it is.
    public var kind: LightKind
    /// What it can do: services of HAP with their characteristics and limits.
    public var functions: [AccessoryFunction]
    /// Whether it fades by itself over a time given in the command.
    public var fades = false
    /// Who made it, if known.
    public var manufacturer: String?
    /// The maker's model name, if known.
    public var model: String?
    /// The maker's serial number, if known.
    public var serialNumber: String?
    /// The firmware's version in any form, if known.
    public var firmware: String?
    /// The room the source suggests, if any; HomeKit carries none over the wire.
    public var suggestedRoom: String?
    /// Whether it gives no answers: it is taken to be as it was told last.
    public var isOptimistic = false

    /// Describes a light.
    ///
    /// - Parameters:
    ///   - id: the light's own stable id within its driver.
    ///   - name: the name people know it by.
    ///   - kind: which service shows it.
    ///   - capabilities: what it can do.
    ///   - manufacturer: who made it.
    ///   - model: the maker's model name.
    ///   - serialNumber: the maker's serial number.
    ///   - firmware: the firmware's version.
    ///   - suggestedRoom: the room the source suggests.
    public init(
        id: LightID, name: String, kind: LightKind = .light, capabilities: LightCapabilities = LightCapabilities(),
        manufacturer: String? = nil, model: String? = nil, serialNumber: String? = nil, firmware: String? = nil,
        suggestedRoom: String? = nil
    ) {
        self.init(
            id: id, name: name, kind: kind, functions: [], manufacturer: manufacturer, model: model,
            serialNumber: serialNumber, firmware: firmware, suggestedRoom: suggestedRoom)
        self.capabilities = capabilities
    }

    /// Describes a device by its functions.
    ///
    /// - Parameters:
    ///   - id: the device's own stable id within its driver.
    ///   - name: the name people know it by.
    ///   - kind: what it is.
    ///   - functions: what it can do.
    ///   - manufacturer: who made it.
    ///   - model: the maker's model name.
    ///   - serialNumber: the maker's serial number.
    ///   - firmware: the firmware's version.
    ///   - suggestedRoom: the room the source suggests.
    public init(
        id: LightID, name: String, kind: LightKind, functions: [AccessoryFunction], manufacturer: String? = nil,
        model: String? = nil, serialNumber: String? = nil, firmware: String? = nil, suggestedRoom: String? = nil
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.functions = functions
        self.manufacturer = manufacturer
        self.model = model
        self.serialNumber = serialNumber
        self.firmware = firmware
        self.suggestedRoom = suggestedRoom
    }
}

extension LightDescription {
    /// What a light, a fan or a sensor can do, in their words; nothing for devices of other kinds.
    public var capabilities: LightCapabilities {
        get {
            var capabilities = LightCapabilities()
            switch kind {
            case .light: functions.first.map { capabilities = LightCapabilities(lamp: $0) }
            case .fan: functions.first.map { capabilities = LightCapabilities(fan: $0) }
            case .sensor: capabilities = LightCapabilities(sensor: functions)
            default: break
            }
            capabilities.transition = fades
            return capabilities
        }
        set {
            fades = newValue.transition
            switch kind {
            case .light: functions = [newValue.function(.lightbulb)]
            case .switch: functions = [newValue.function(.switch)]
            case .outlet: functions = [newValue.function(.outlet)]
            case .fan: functions = [newValue.fanFunction]
            case .sensor: functions = newValue.sensorFunctions
            default: break
            }
        }
    }
}
