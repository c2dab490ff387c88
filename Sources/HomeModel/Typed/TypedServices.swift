public import HAPModel

// Typed views of an accessory's services, such as its light, lock and battery.

/// A typed view of a service, with the last received values.
///
/// A value is `nil` if the service lacks the characteristic or no value was received.
public protocol TypedService: Sendable, Hashable {
    /// The service types that the view represents.
    static var types: Set<ServiceType> { get }
    /// The service.
    var service: Service { get }
    /// Creates a view of a service, which must have one of ``types``.
    init(assuming service: Service)
}

extension TypedService {
    /// Creates a view of a service; returns `nil` if the service has another type.
    public init?(_ service: Service) {
        guard Self.types.contains(service.type) else { return nil }
        self.init(assuming: service)
    }
}

extension Accessory {
    /// Returns the accessory's main service if it's of the given kind, otherwise the first service of that kind.
    public func first<Kind: TypedService>(_ kind: Kind.Type) -> Kind? {
        primaryService.flatMap(Kind.init) ?? all(kind).first
    }

    /// Returns the accessory's services of a kind.
    public func all<Kind: TypedService>(_ kind: Kind.Type) -> [Kind] { services.compactMap(Kind.init) }

    /// The light; `nil` if the accessory has none.
    public var lightbulb: Lightbulb? { first(Lightbulb.self) }
    /// The switch; `nil` if the accessory has none.
    public var `switch`: Switch? { first(Switch.self) }
    /// The outlet; `nil` if the accessory has none.
    public var outlet: Outlet? { first(Outlet.self) }
    /// The fan; `nil` if the accessory has none.
    public var fan: Fan? { first(Fan.self) }
    /// The thermostat; `nil` if the accessory has none.
    public var thermostat: Thermostat? { first(Thermostat.self) }
    /// The temperature sensor; `nil` if the accessory has none.
    public var temperatureSensor: TemperatureSensor? { first(TemperatureSensor.self) }
    /// The humidity sensor; `nil` if the accessory has none.
    public var humiditySensor: HumiditySensor? { first(HumiditySensor.self) }
    /// The light sensor; `nil` if the accessory has none.
    public var lightSensor: LightSensor? { first(LightSensor.self) }
    /// The motion sensor; `nil` if the accessory has none.
    public var motionSensor: MotionSensor? { first(MotionSensor.self) }
    /// The occupancy sensor; `nil` if the accessory has none.
    public var occupancySensor: OccupancySensor? { first(OccupancySensor.self) }
    /// The contact sensor; `nil` if the accessory has none.
    public var contactSensor: ContactSensor? { first(ContactSensor.self) }
    /// The leak sensor; `nil` if the accessory has none.
    public var leakSensor: LeakSensor? { first(LeakSensor.self) }
    /// The smoke sensor; `nil` if the accessory has none.
    public var smokeSensor: SmokeSensor? { first(SmokeSensor.self) }
    /// The lock; `nil` if the accessory has none.
    public var lock: Lock? { first(Lock.self) }
    /// The garage door; `nil` if the accessory has none.
    public var garageDoor: GarageDoor? { first(GarageDoor.self) }
    /// The blind, shutter, window or door; `nil` if the accessory has none.
    public var windowCovering: WindowCovering? { first(WindowCovering.self) }
    /// The battery; `nil` if the accessory has none.
    public var battery: Battery? { first(Battery.self) }
}

/// A light.
public struct Lightbulb: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.lightbulb]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// A Boolean value that indicates whether the light is on.
    public var isOn: Bool? { service[.on] }
    /// Brightness in percent, 0 to 100.
    public var brightness: Int? { service[.brightness] }
    /// Hue in degrees, 0 to 360.
    public var hue: Double? { service[.hue] }
    /// Saturation in percent, 0 to 100.
    public var saturation: Double? { service[.saturation] }
    /// Color temperature in mired, usually 140 to 500.
    public var colorTemperature: Int? { service[.colorTemperature] }
}

/// A switch.
public struct Switch: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.`switch`]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// A Boolean value that indicates whether the switch is on.
    public var isOn: Bool? { service[.on] }
}

/// An outlet.
public struct Outlet: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.outlet]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// A Boolean value that indicates whether the outlet is on.
    public var isOn: Bool? { service[.on] }
    /// A Boolean value that indicates whether a connected device draws current.
    public var isInUse: Bool? { service[.outletInUse] }
}

/// A fan.
public struct Fan: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.fan, .fanv2]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// A Boolean value that indicates whether the fan is on, for both of HAP's fan services.
    public var isOn: Bool? { service[.on] ?? service[.active] }
    /// Speed in percent, 0 to 100.
    public var rotationSpeed: Double? { service[.rotationSpeed] }
}

/// A thermostat.
public struct Thermostat: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.thermostat]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// Temperature in degrees Celsius.
    public var currentTemperature: Double? { service[.currentTemperature] }
    /// Target temperature in degrees Celsius.
    public var targetTemperature: Double? { service[.targetTemperature] }
    /// The current mode.
    public var currentMode: HeatingCoolingMode? { service[.currentHeatingCoolingState] }
    /// The target mode.
    public var targetMode: HeatingCoolingMode? { service[.targetHeatingCoolingState] }
}

/// A temperature sensor.
public struct TemperatureSensor: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.temperatureSensor]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// Temperature in degrees Celsius.
    public var temperature: Double? { service[.currentTemperature] }
}

/// A humidity sensor.
public struct HumiditySensor: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.humiditySensor]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// Humidity in percent.
    public var relativeHumidity: Double? { service[.currentRelativeHumidity] }
}

/// A light sensor.
public struct LightSensor: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.lightSensor]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// Ambient light in lux.
    public var lightLevel: Double? { service[.currentAmbientLightLevel] }
}

/// A motion sensor.
public struct MotionSensor: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.motionSensor]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// A Boolean value that indicates whether the sensor detects motion.
    public var motionDetected: Bool? { service[.motionDetected] }
}

/// An occupancy sensor.
public struct OccupancySensor: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.occupancySensor]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// A Boolean value that indicates whether the sensor detects a person.
    public var occupancyDetected: Bool? { service[.occupancyDetected] }
}

/// A contact sensor on a door or window.
public struct ContactSensor: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.contactSensor]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// A Boolean value that indicates whether the contact is open.
    public var isOpen: Bool? { service[.contactSensorState] }
}

/// A leak sensor.
public struct LeakSensor: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.leakSensor]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// A Boolean value that indicates whether the sensor detects water.
    public var leakDetected: Bool? { service[.leakDetected] }
}

/// A smoke sensor.
public struct SmokeSensor: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.smokeSensor]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// A Boolean value that indicates whether the sensor detects smoke.
    public var smokeDetected: Bool? { service[.smokeDetected] }
}

/// A lock.
public struct Lock: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.lockMechanism]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// The current state of the lock.
    public var currentState: LockState? { service[.lockCurrentState] }
    /// The target state of the lock.
    public var targetState: LockState? { service[.lockTargetState] }
}

/// A garage door.
public struct GarageDoor: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.garageDoorOpener]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// The current state of the door.
    public var currentState: DoorState? { service[.currentDoorState] }
    /// The target state of the door.
    public var targetState: DoorState? { service[.targetDoorState] }
    /// A Boolean value that indicates whether an obstruction is detected.
    public var obstructionDetected: Bool? { service[.obstructionDetected] }
}

/// A motorized blind, shutter, window or door.
public struct WindowCovering: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.windowCovering, .window, .door]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// The current position in percent; 100 is fully open.
    public var currentPosition: Int? { service[.currentPosition] }
    /// The target position in percent; 100 is fully open.
    public var targetPosition: Int? { service[.targetPosition] }
    /// A Boolean value that indicates whether an obstruction is detected.
    public var obstructionDetected: Bool? { service[.obstructionDetected] }
}

/// A battery.
public struct Battery: TypedService {
    /// The service types that the view represents.
    public static let types: Set<ServiceType> = [.battery]
    /// The underlying service.
    public let service: Service

    /// Creates a view of a service, which must have one of ``types``.
    public init(assuming service: Service) { self.service = service }

    /// The charge in percent.
    public var level: Int? { service[.batteryLevel] }
    /// A Boolean value that indicates whether the charge is low.
    public var isLow: Bool? { service[.statusLowBattery] }
    /// The charging state.
    public var chargingState: ChargingState? { service[.chargingState] }
}
