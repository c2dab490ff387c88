public import HAPModel

/// A light's id within its driver: a serial number, an IEEE address or a `unique_id`.
///
/// The ID must not change when the light is renamed. The bridge assigns an accessory ID to it, and controllers keep
/// rooms and scenes by accessory ID. The ID can be any text of 1 to 255 bytes without a zero byte.
public struct LightID: RawRepresentable, Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The text.
    public let rawValue: String

    /// Creates an id from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates an id from its text.
    public init(_ text: String) { rawValue = text }

    /// Creates an id from a literal.
    public init(stringLiteral value: String) { rawValue = value }

    /// The text.
    public var description: String { rawValue }
}

/// The capabilities of a light, a fan, a sensor or a cover, and the buttons of a device.
///
/// Capabilities that don't apply to the ``LightKind`` are ignored.
public struct LightCapabilities: Equatable, Sendable {
    /// A Boolean value that indicates whether the brightness can be set.
    public var brightness: Bool
    /// A Boolean value that indicates whether the light can show colors, which are set as hue and saturation.
    public var color: Bool
    /// The range of color temperatures in mired, or `nil` if the color temperature can't be set.
    public var temperature: ClosedRange<Int>?
    /// A Boolean value that indicates whether the light supports the fade time of a command.
    public var transition: Bool
    /// A Boolean value that indicates whether the speed of a fan can be set.
    public var speed = false
    /// A Boolean value that indicates whether the direction of a fan can be set.
    public var direction = false
    /// A Boolean value that indicates whether the oscillation of a fan can be set.
    public var oscillation = false
    /// The readings of a sensor.
    public var readings: Set<SensorReading> = []
    /// A Boolean value that indicates whether the slats of a cover can be turned.
    public var tilt = false
    /// A Boolean value that indicates whether a cover can be stopped.
    public var stop = false
    /// The buttons.
    public var buttons: [PushButton] = []

    /// Creates the capabilities of a light.
    ///
    /// - Parameters:
    ///   - brightness: Whether the brightness can be set.
    ///   - color: Whether the light shows colors.
    ///   - temperature: The range of color temperatures in mired.
    ///   - transition: Whether the light supports fade times.
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
    ///   - speed: Whether the speed can be set.
    ///   - direction: Whether the direction can be set.
    ///   - oscillation: Whether the oscillation can be set.
    /// - Returns: The capabilities.
    public static func fan(speed: Bool, direction: Bool = false, oscillation: Bool = false) -> LightCapabilities {
        var capabilities = LightCapabilities()
        capabilities.speed = speed
        capabilities.direction = direction
        capabilities.oscillation = oscillation
        return capabilities
    }

    /// Creates the capabilities of a sensor.
    ///
    /// - Parameter readings: The readings.
    /// - Returns: The capabilities.
    public static func sensor(_ readings: Set<SensorReading>) -> LightCapabilities {
        var capabilities = LightCapabilities()
        capabilities.readings = readings
        return capabilities
    }

    /// Creates the capabilities of a cover with a position.
    ///
    /// - Parameters:
    ///   - tilt: Whether its slats can be turned.
    ///   - stop: Whether it can be stopped.
    /// - Returns: The capabilities.
    public static func cover(tilt: Bool = false, stop: Bool = false) -> LightCapabilities {
        var capabilities = LightCapabilities()
        capabilities.tilt = tilt
        capabilities.stop = stop
        return capabilities
    }
}

/// A driver's description of a light, without its state.
public struct LightDescription: Equatable, Sendable {
    /// The light's permanent id within its driver.
    public var id: LightID
    /// The name that users see.
    ///
    /// It can be any text, because the bridge makes it valid for HomeKit.
    public var name: String
    /// The kind of device.
    public var kind: LightKind
    /// The functions: HAP services with their characteristics and limits.
    public var functions: [AccessoryFunction]
    /// A Boolean value that indicates whether the light supports the fade time of a command.
    public var fades = false
    /// The manufacturer, if known.
    public var manufacturer: String?
    /// The manufacturer's model name, if known.
    public var model: String?
    /// The manufacturer's serial number, if known.
    public var serialNumber: String?
    /// The firmware version in any form, if known.
    public var firmware: String?
    /// The room that the source suggests, if any.
    ///
    /// HAP can't transmit the room, so only the operator sees it.
    public var suggestedRoom: String?
    /// A Boolean value that indicates whether the light sends no reports.
    ///
    /// In that case, the light's last command is treated as its state.
    public var isOptimistic = false

    /// Creates the description of a light.
    ///
    /// - Parameters:
    ///   - id: The light's permanent id within its driver.
    ///   - name: The name that users see.
    ///   - kind: The kind of device.
    ///   - capabilities: The capabilities.
    ///   - manufacturer: The manufacturer.
    ///   - model: The manufacturer's model name.
    ///   - serialNumber: The manufacturer's serial number.
    ///   - firmware: The firmware version.
    ///   - suggestedRoom: The room that the source suggests.
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

    /// Creates the description of a device from its functions.
    ///
    /// - Parameters:
    ///   - id: The device's permanent id within its driver.
    ///   - name: The name that users see.
    ///   - kind: The kind of device.
    ///   - functions: The functions.
    ///   - manufacturer: The manufacturer.
    ///   - model: The manufacturer's model name.
    ///   - serialNumber: The manufacturer's serial number.
    ///   - firmware: The firmware version.
    ///   - suggestedRoom: The room that the source suggests.
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
    /// The capabilities of a light, a fan or a sensor, derived from its functions.
    ///
    /// Setting them replaces the functions.
    public var capabilities: LightCapabilities {
        get { LightCapabilities(functions, fades: fades) }
        set {
            fades = newValue.transition
            functions = kind.rules.functions(newValue)
            if buttons != newValue.buttons { buttons = newValue.buttons }
        }
    }
}

extension LightCapabilities {
    /// All capabilities of all kinds.
    package static let all: LightCapabilities = {
        var all = sensor(Set(SensorReading.allCases))
        (all.brightness, all.color, all.temperature) = (true, true, 140...500)
        (all.speed, all.direction, all.oscillation) = (true, true, true)
        (all.tilt, all.stop) = (true, true)
        all.buttons = [PushButton(id: "1", name: "Button", isDoorbell: true)]
        return all
    }()

    fileprivate init(_ functions: [AccessoryFunction], fades: Bool) {
        self.init(transition: fades)
        buttons = functions.buttons
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
                case .targetHorizontalTiltAngle: tilt = true
                case .holdPosition: stop = true
                default: SensorReading(part.type).map { _ = readings.insert($0) }
                }
            }
        }
    }
}
