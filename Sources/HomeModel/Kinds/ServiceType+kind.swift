public import HAPModel

extension ServiceType {
    /// Infrastructure services, which aren't the purpose of an accessory.
    private static let infrastructure: Set<ServiceType> = [
        .accessoryInformation, .accessoryMetrics, .accessoryRuntimeInformation, .assetUpdate, .audioStreamManagement,
        .battery, .cameraOperatingMode, .cameraRTPStreamManagement, .cameraRecordingManagement, .cloudRelay,
        .dataStreamTransportManagement, .diagnostics, .firmwareUpdate, .lockManagement, .pairing, .powerManagement,
        .protocolInformation, .serviceLabel, .siri, .siriEndpoint, .tapManagement, .targetControl,
        .targetControlManagement, .threadTransport, .transferTransportManagement, .tunnel, .wiFiTransport,
    ]

    /// A Boolean value that indicates whether the type is infrastructure, of interest only to developers.
    var isInfrastructure: Bool { Self.infrastructure.contains(self) }

    private static let known = Set(ServiceDefinition.all.map(\.type))

    /// Returns the main service of an accessory: the service marked as primary, otherwise the first service that is
    /// meant for users.
    ///
    /// The purpose of a vendor-specific service is unknown, so services defined by HAP take precedence.
    static func main<Part>(
        of services: [Part], type: (Part) -> ServiceType, isPrimary: (Part) -> Bool,
        isUserInteractive: (Part) -> Bool
    ) -> Part? {
        let known = services.filter { Self.known.contains(type($0)) }
        return known.first(where: isPrimary) ?? known.first(where: isUserInteractive)
            ?? services.first(where: isPrimary) ?? services.first(where: isUserInteractive)
    }

    private static let sensors: Set<ServiceType> = [
        .airQualitySensor, .carbonDioxideSensor, .carbonMonoxideSensor, .contactSensor, .humiditySensor, .leakSensor,
        .lightSensor, .motionSensor, .occupancySensor, .smokeSensor, .temperatureSensor,
    ]

    /// The category of an accessory whose main service has this type.
    package var category: AccessoryCategory {
        if Self.sensors.contains(self) { return .sensor }
        return switch self {
        case .lightbulb: .lightbulb
        case .switch: .switch
        case .outlet: .outlet
        case .fan, .fanv2: .fan
        case .thermostat, .heaterCooler: .thermostat
        case .garageDoorOpener: .garageDoorOpener
        case .lockMechanism: .doorLock
        case .door: .door
        case .window: .window
        case .windowCovering: .windowCovering
        case .securitySystem: .securitySystem
        case .statelessProgrammableSwitch: .programmableSwitch
        case .doorbell: .videoDoorbell
        case .cameraRTPStreamManagement: .ipCamera
        case .airPurifier: .airPurifier
        case .humidifierDehumidifier: .airHumidifier
        case .valve, .irrigationSystem: .sprinkler
        case .faucet: .faucet
        case .television: .television
        case .speaker: .speaker
        default: .other
        }
    }

    /// Returns the category that the services imply, for an accessory that advertises none, such as a bridged one.
    package static func category(of services: [ServiceObject]) -> AccessoryCategory {
        let isUserInteractive = { (service: ServiceObject) in !service.isHidden && !service.type.isInfrastructure }
        let main = Self.main(of: services, type: \.type, isPrimary: \.isPrimary, isUserInteractive: isUserInteractive)
        let category = main?.type.category ?? .other
        // A camera's main service may be its microphone, because stream management counts as infrastructure.
        guard category == .other, services.contains(where: { $0.type == .cameraRTPStreamManagement }) else {
            return category
        }
        return .ipCamera
    }

    // MARK: Nouns

    /// The noun for an object of an unknown kind.
    package static let defaultNoun = "Accessory"

    private static let nouns: [ServiceType: String] = [
        .lightbulb: "Light", .switch: "Switch", .outlet: "Outlet", .fan: "Fan", .fanv2: "Fan",
        .thermostat: "Thermostat", .heaterCooler: "Heater", .lockMechanism: "Lock", .garageDoorOpener: "Garage Door",
        .door: "Door", .window: "Window", .windowCovering: "Blind", .securitySystem: "Alarm",
        .statelessProgrammableSwitch: "Button", .doorbell: "Doorbell", .cameraRTPStreamManagement: "Camera",
        .airPurifier: "Air Purifier", .humidifierDehumidifier: "Humidifier", .valve: "Valve",
        .irrigationSystem: "Sprinkler", .faucet: "Faucet", .television: "Television", .speaker: "Speaker",
        .filterMaintenance: "Filter",
    ]

    /// The keys of all nouns.
    ///
    /// A manufacturer or model with such a name doesn't prevent users from using the noun.
    static let nounKeys = Set(
        (Array(nouns.values) + ["Lamp", "Bulb", "Plug", "Sensor", "Camera", "Bridge", defaultNoun]).map { NameKey($0) })

    /// The common noun for an accessory of this type.
    package var noun: String {
        Self.nouns[self] ?? (Self.sensors.contains(self) ? "Sensor" : Self.defaultNoun)
    }

    /// A Boolean value that indicates whether the catalog defines this type.
    package var isKnown: Bool { Self.known.contains(self) }

    /// The noun for one of several parts of an accessory; `nil` for a vendor-specific type.
    var partNoun: String? { Self.nouns[self] ?? (isKnown ? localizedDescription : nil) }

    /// Common names for objects of this type that contain a word that may also be the name of a room.
    var compoundNouns: [String] {
        switch self {
        case .garageDoorOpener: ["garage door", "garage gate"]
        default: []
        }
    }

    // MARK: Associated types

    /// The types that a service of this type can be displayed as; empty for all but outlets, switches and contact
    /// sensors.
    public var associableTypes: Set<ServiceType> {
        switch self {
        case .outlet, .switch: Self.switchable
        case .contactSensor: [.door, .garageDoorOpener, .window, .windowCovering]
        default: []
        }
    }

    private static let switchable = Set(
        ServiceDefinition.all.filter { ($0.required + $0.optional).contains(.on) }.map(\.type)
    ).subtracting([.outlet, .switch])
}
