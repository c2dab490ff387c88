public import HAPModel

// What an accessory is to a program: its lamp, its lock, its battery, with typed values.

/// A service under its kind, with typed values as they were received last.
///
/// What it has no characteristic for, and what was not received yet, is `nil`.
public protocol TypedService: Sendable, Hashable {
    /// The kinds of service that it is for.
    static var types: Set<ServiceType> { get }
    /// The service.
    var service: Service { get }
    /// Takes a service of one of the kinds.
    init(assuming service: Service)
}

extension TypedService {
    /// Takes a service; `nil` if it is of another kind.
    public init?(_ service: Service) {
        guard Self.types.contains(service.type) else { return nil }
        self.init(assuming: service)
    }
}

extension Accessory {
    /// Its service of a kind: the main one if it is of that kind, else the first.
    public func first<Kind: TypedService>(_ kind: Kind.Type) -> Kind? {
        primaryService.flatMap(Kind.init) ?? all(kind).first
    }

    /// Its services of a kind.
    public func all<Kind: TypedService>(_ kind: Kind.Type) -> [Kind] { services.compactMap(Kind.init) }

    /// Its lamp; `nil` if it has none.
    public var lightbulb: Lightbulb? { first(Lightbulb.self) }
    /// Its switch; `nil` if it has none.
    public var `switch`: Switch? { first(Switch.self) }
    /// Its socket; `nil` if it has none.
    public var outlet: Outlet? { first(Outlet.self) }
    /// Its fan; `nil` if it has none.
    public var fan: Fan? { first(Fan.self) }
    /// Its thermostat; `nil` if it has none.
    public var thermostat: Thermostat? { first(Thermostat.self) }
    /// Its thermometer; `nil` if it has none.
    public var temperatureSensor: TemperatureSensor? { first(TemperatureSensor.self) }
    /// Its hygrometer; `nil` if it has none.
    public var humiditySensor: HumiditySensor? { first(HumiditySensor.self) }
    /// Its sensor of light; `nil` if it has none.
    public var lightSensor: LightSensor? { first(LightSensor.self) }
    /// Its sensor of motion; `nil` if it has none.
    public var motionSensor: MotionSensor? { first(MotionSensor.self) }
    /// Its sensor of presence; `nil` if it has none.
    public var occupancySensor: OccupancySensor? { first(OccupancySensor.self) }
    /// Its contact; `nil` if it has none.
    public var contactSensor: ContactSensor? { first(ContactSensor.self) }
    /// Its sensor of water; `nil` if it has none.
    public var leakSensor: LeakSensor? { first(LeakSensor.self) }
    /// Its sensor of smoke; `nil` if it has none.
    public var smokeSensor: SmokeSensor? { first(SmokeSensor.self) }
    /// Its lock; `nil` if it has none.
    public var lock: Lock? { first(Lock.self) }
    /// Its garage door; `nil` if it has none.
    public var garageDoor: GarageDoor? { first(GarageDoor.self) }
    /// Its blind, shutter, window or door; `nil` if it has none.
    public var windowCovering: WindowCovering? { first(WindowCovering.self) }
    /// Its battery; `nil` if it has none.
    public var battery: Battery? { first(Battery.self) }
}

/// A lamp.
public struct Lightbulb: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.lightbulb]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// On or off.
    public var isOn: Bool? { service[.on] }
    /// Brightness in percent, 0 to 100.
    public var brightness: Int? { service[.brightness] }
    /// Hue in degrees, 0 to 360.
    public var hue: Double? { service[.hue] }
    /// Saturation in percent, 0 to 100.
    public var saturation: Double? { service[.saturation] }
    /// Colour temperature in mired, as a rule 140 to 500.
    public var colorTemperature: Int? { service[.colorTemperature] }
}

/// A switch.
public struct Switch: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.`switch`]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// On or off.
    public var isOn: Bool? { service[.on] }
}

/// A socket in the wall.
public struct Outlet: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.outlet]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// On or off.
    public var isOn: Bool? { service[.on] }
    /// Whether something draws current.
    public var isInUse: Bool? { service[.outletInUse] }
}

/// A fan.
public struct Fan: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.fan, .fanv2]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// Whether it works: HAP has an older and a newer kind of fan.
    public var isOn: Bool? { service[.on] ?? service[.active] }
    /// Speed in percent, 0 to 100.
    public var rotationSpeed: Double? { service[.rotationSpeed] }
}

/// A thermostat.
public struct Thermostat: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.thermostat]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// Temperature in degrees Celsius.
    public var currentTemperature: Double? { service[.currentTemperature] }
    /// Wanted temperature in degrees Celsius.
    public var targetTemperature: Double? { service[.targetTemperature] }
    /// What it does.
    public var currentMode: HeatingCoolingMode? { service[.currentHeatingCoolingState] }
    /// What it is to do.
    public var targetMode: HeatingCoolingMode? { service[.targetHeatingCoolingState] }
}

/// A thermometer.
public struct TemperatureSensor: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.temperatureSensor]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// Temperature in degrees Celsius.
    public var temperature: Double? { service[.currentTemperature] }
}

/// A hygrometer.
public struct HumiditySensor: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.humiditySensor]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// Humidity in percent.
    public var relativeHumidity: Double? { service[.currentRelativeHumidity] }
}

/// A sensor of light.
public struct LightSensor: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.lightSensor]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// Light in lux.
    public var lightLevel: Double? { service[.currentAmbientLightLevel] }
}

/// A sensor of motion.
public struct MotionSensor: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.motionSensor]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// Whether something moves.
    public var motionDetected: Bool? { service[.motionDetected] }
}

/// A sensor of presence.
public struct OccupancySensor: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.occupancySensor]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// Whether somebody is there.
    public var occupancyDetected: Bool? { service[.occupancyDetected] }
}

/// A contact at a door or window.
public struct ContactSensor: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.contactSensor]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// Whether the contact is open.
    public var isOpen: Bool? { service[.contactSensorState] }
}

/// A sensor of water.
public struct LeakSensor: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.leakSensor]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// Whether there is water.
    public var leakDetected: Bool? { service[.leakDetected] }
}

/// A sensor of smoke.
public struct SmokeSensor: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.smokeSensor]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// Whether there is smoke.
    public var smokeDetected: Bool? { service[.smokeDetected] }
}

/// A lock.
public struct Lock: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.lockMechanism]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// What the lock is.
    public var currentState: LockState? { service[.lockCurrentState] }
    /// What the lock is to be.
    public var targetState: LockState? { service[.lockTargetState] }
}

/// A garage door.
public struct GarageDoor: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.garageDoorOpener]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// What the door is.
    public var currentState: DoorState? { service[.currentDoorState] }
    /// What the door is to be.
    public var targetState: DoorState? { service[.targetDoorState] }
    /// Whether something is in the way.
    public var obstructionDetected: Bool? { service[.obstructionDetected] }
}

/// A blind, a shutter, a window or a door that moves by itself.
public struct WindowCovering: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.windowCovering, .window, .door]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// How far it is open, in percent.
    public var currentPosition: Int? { service[.currentPosition] }
    /// How far it is to be open, in percent.
    public var targetPosition: Int? { service[.targetPosition] }
    /// Whether something is in the way.
    public var obstructionDetected: Bool? { service[.obstructionDetected] }
}

/// A battery.
public struct Battery: TypedService {
    /// The kinds of service.
    public static let types: Set<ServiceType> = [.battery]
    /// The service.
    public let service: Service

    /// Takes a service of one of the kinds.
    public init(assuming service: Service) { self.service = service }

    /// How full the battery is, in percent.
    public var level: Int? { service[.batteryLevel] }
    /// Whether the battery is low.
    public var isLow: Bool? { service[.statusLowBattery] }
    /// Whether the battery is charged.
    public var chargingState: ChargingState? { service[.chargingState] }
}
