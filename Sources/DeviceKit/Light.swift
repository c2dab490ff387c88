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

/// The capabilities of a light, a fan or a sensor; the others are ignored, depending on the ``LightKind``.
public struct LightCapabilities: Equatable, Sendable {
    /// Whether its brightness can be set.
    public var brightness: Bool
    /// Whether it shows colours, set as hue and saturation.
    public var color: Bool
    /// The range of colour temperatures it shows, in mired, or `nil` if it has no white to choose.
    public var temperature: ClosedRange<Int>?
    /// Whether it fades over the time of a command.
    public var transition: Bool
    /// Whether the speed of a fan can be set.
    public var speed = false
    /// Whether the direction of a fan can be set.
    public var direction = false
    /// Whether the oscillation of a fan can be set.
    public var oscillation = false
    /// The readings of a sensor.
    public var readings: Set<SensorReading> = []

    /// Creates the capabilities of a light.
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

    /// Creates the capabilities of a fan.
    ///
    /// - Parameters:
    ///   - speed: whether its speed can be set.
    ///   - direction: whether its direction can be set.
    ///   - oscillation: whether its oscillation can be set.
    /// - Returns: the capabilities.
    public static func fan(speed: Bool, direction: Bool = false, oscillation: Bool = false) -> LightCapabilities {
        var capabilities = LightCapabilities()
        capabilities.speed = speed
        capabilities.direction = direction
        capabilities.oscillation = oscillation
        return capabilities
    }

    /// Creates the capabilities of a sensor.
    ///
    /// - Parameter readings: its readings.
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
    /// Its kind.
    public var kind: LightKind
    /// Its functions: HAP services with their characteristics and limits.
    public var functions: [AccessoryFunction]
    /// Whether it fades over the time of a command.
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
    /// Whether it sends no reports, so that its last command counts as its state.
    public var isOptimistic = false

    /// Describes a light.
    ///
    /// - Parameters:
    ///   - id: the light's own stable id within its driver.
    ///   - name: the name people know it by.
    ///   - kind: which service shows it.
    ///   - capabilities: its capabilities.
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
    ///   - kind: its kind.
    ///   - functions: its functions.
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
    /// Its functions as capabilities of a light, a fan or a sensor; a new value replaces the functions.
    public var capabilities: LightCapabilities {
        get { LightCapabilities(functions, fades: fades) }
        set {
            fades = newValue.transition
            functions = kind.rules.functions(newValue)
        }
    }
}

extension LightCapabilities {
    /// Everything that devices of all kinds can do.
    package static let all: LightCapabilities = {
        var all = sensor(Set(SensorReading.allCases))
        (all.brightness, all.color, all.temperature) = (true, true, 140...500)
        (all.speed, all.direction, all.oscillation) = (true, true, true)
        return all
    }()

    fileprivate init(_ functions: [AccessoryFunction], fades: Bool) {
        self.init(transition: fades)
        for function in functions {
            for part in function.parts {
                switch part.type {
                case .brightness: brightness = true
                case .hue: color = true
                case .colorTemperature:
                    guard let range = part.metadata?.range, let low = Int(exactly: range.lowerBound),
                        let high = Int(exactly: range.upperBound)
                    else { continue }
                    temperature = low...high
                case .rotationSpeed: speed = true
                case .rotationDirection: direction = true
                case .swingMode: oscillation = true
                default: SensorReading(part.type).map { _ = readings.insert($0) }
                }
            }
        }
    }
}
