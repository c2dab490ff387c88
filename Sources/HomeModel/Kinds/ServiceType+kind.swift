public import HAPModel

extension ServiceType {
    /// Services that keep an accessory going and are not what people have it for.
    private static let infrastructure: Set<ServiceType> = [
        .accessoryInformation, .accessoryMetrics, .accessoryRuntimeInformation, .assetUpdate, .audioStreamManagement,
        .battery, .cameraOperatingMode, .cameraRTPStreamManagement, .cameraRecordingManagement, .cloudRelay,
        .dataStreamTransportManagement, .diagnostics, .firmwareUpdate, .lockManagement, .pairing, .powerManagement,
        .protocolInformation, .serviceLabel, .siri, .siriEndpoint, .tapManagement, .targetControl,
        .targetControlManagement, .threadTransport, .transferTransportManagement, .tunnel, .wiFiTransport,
    ]

    /// Whether the type is for the machinery, so that only developers want to see such a service.
    var isInfrastructure: Bool { Self.infrastructure.contains(self) }

    private static let known = Set(ServiceDefinition.all.map(\.type))

    /// Which of an accessory's services says what it is for: one that says so, else the first that people can use.
    ///
    /// What a maker's own service is for is not known, so one that HAP knows comes first, whatever either says.
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

    /// The category of an accessory that has this service for its main one.
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

    /// The category of an accessory of which nothing is known but its services, as of those behind a bridge.
    package static func category(of services: [HAPModel.Service]) -> AccessoryCategory {
        let isUserInteractive = { (service: HAPModel.Service) in !service.isHidden && !service.type.isInfrastructure }
        let main = Self.main(of: services, type: \.type, isPrimary: \.isPrimary, isUserInteractive: isUserInteractive)
        let category = main?.type.category ?? .other
        // A camera's microphone comes before its picture, which is machinery.
        guard category == .other, services.contains(where: { $0.type == .cameraRTPStreamManagement }) else {
            return category
        }
        return .ipCamera
    }

    // MARK: Words

    /// What to call a thing of which nothing is known.
    package static let defaultNoun = "Accessory"

    private static let nouns: [ServiceType: String] = [
        .lightbulb: "Light", .switch: "Switch", .outlet: "Outlet", .fan: "Fan", .fanv2: "Fan",
        .thermostat: "Thermostat", .heaterCooler: "Heater", .lockMechanism: "Lock", .garageDoorOpener: "Garage Door",
        .door: "Door", .window: "Window", .windowCovering: "Blind", .securitySystem: "Alarm",
        .statelessProgrammableSwitch: "Button", .doorbell: "Doorbell", .cameraRTPStreamManagement: "Camera",
        .airPurifier: "Air Purifier", .humidifierDehumidifier: "Humidifier", .valve: "Valve",
        .irrigationSystem: "Sprinkler", .faucet: "Faucet", .television: "Television", .speaker: "Speaker",
    ]

    /// The keys of all nouns, none of which is a maker's own word.
    static let nounKeys = Set(
        (Array(nouns.values) + ["Lamp", "Bulb", "Plug", "Sensor", "Camera", "Bridge", defaultNoun]).map { NameKey($0) })

    /// What people call such a thing if they have one of it.
    package var noun: String {
        Self.nouns[self] ?? (Self.sensors.contains(self) ? "Sensor" : Self.defaultNoun)
    }

    /// Whether HAP, or what is known of it, says what such a service is for.
    package var isKnown: Bool { Self.known.contains(self) }

    /// What to call one of several parts of an accessory: its kind; `nil` for a maker's own.
    var partNoun: String? { Self.nouns[self] ?? (isKnown ? localizedDescription : nil) }

    /// Words that name such a thing although one of them may be a room.
    var compoundNouns: [String] {
        switch self {
        case .garageDoorOpener: ["garage door", "garage gate"]
        default: []
        }
    }

    // MARK: Associated types

    /// What a service of this type may be shown as; none for all but outlets, switches and contact sensors.
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
