// Made by Scripts/generate-catalog from Scripts/catalog/catalog.json. Do not edit.

// swift-format-ignore-file

extension ServiceType {
    /// Access Code.
    public static let accessCode = ServiceType(HAPType(apple: 0x260))
    /// Access Control.
    public static let accessControl = ServiceType(HAPType(apple: 0xDA))
    /// Accessory Information.
    public static let accessoryInformation = ServiceType(HAPType(apple: 0x3E))
    /// Accessory Metrics.
    public static let accessoryMetrics = ServiceType(HAPType(apple: 0x270))
    /// Accessory Runtime Information.
    public static let accessoryRuntimeInformation = ServiceType(HAPType(apple: 0x239))
    /// Air Purifier.
    public static let airPurifier = ServiceType(HAPType(apple: 0xBB))
    /// Air Quality Sensor.
    public static let airQualitySensor = ServiceType(HAPType(apple: 0x8D))
    /// Asset Update.
    public static let assetUpdate = ServiceType(HAPType(apple: 0x267))
    /// Assistant.
    public static let assistant = ServiceType(HAPType(apple: 0x26A))
    /// Audio Stream Management.
    public static let audioStreamManagement = ServiceType(HAPType(apple: 0x127))
    /// Battery.
    public static let battery = ServiceType(HAPType(apple: 0x96))
    /// Camera Operating Mode.
    public static let cameraOperatingMode = ServiceType(HAPType(apple: 0x21A))
    /// Camera RTP Stream Management.
    public static let cameraRTPStreamManagement = ServiceType(HAPType(apple: 0x110))
    /// Camera Recording Management.
    public static let cameraRecordingManagement = ServiceType(HAPType(apple: 0x204))
    /// Carbon Dioxide Sensor.
    public static let carbonDioxideSensor = ServiceType(HAPType(apple: 0x97))
    /// Carbon Monoxide Sensor.
    public static let carbonMonoxideSensor = ServiceType(HAPType(apple: 0x7F))
    /// Cloud Relay.
    public static let cloudRelay = ServiceType(HAPType(apple: 0x5A))
    /// Contact Sensor.
    public static let contactSensor = ServiceType(HAPType(apple: 0x80))
    /// Data Stream Transport Management.
    public static let dataStreamTransportManagement = ServiceType(HAPType(apple: 0x129))
    /// Diagnostics.
    public static let diagnostics = ServiceType(HAPType(apple: 0x237))
    /// Door.
    public static let door = ServiceType(HAPType(apple: 0x81))
    /// Doorbell.
    public static let doorbell = ServiceType(HAPType(apple: 0x121))
    /// Fan.
    public static let fan = ServiceType(HAPType(apple: 0x40))
    /// Fanv2.
    public static let fanv2 = ServiceType(HAPType(apple: 0xB7))
    /// Faucet.
    public static let faucet = ServiceType(HAPType(apple: 0xD7))
    /// Filter Maintenance.
    public static let filterMaintenance = ServiceType(HAPType(apple: 0xBA))
    /// Firmware Update.
    public static let firmwareUpdate = ServiceType(HAPType(apple: 0x236))
    /// Garage Door Opener.
    public static let garageDoorOpener = ServiceType(HAPType(apple: 0x41))
    /// Heater Cooler.
    public static let heaterCooler = ServiceType(HAPType(apple: 0xBC))
    /// Humidifier Dehumidifier.
    public static let humidifierDehumidifier = ServiceType(HAPType(apple: 0xBD))
    /// Humidity Sensor.
    public static let humiditySensor = ServiceType(HAPType(apple: 0x82))
    /// Input Source.
    public static let inputSource = ServiceType(HAPType(apple: 0xD9))
    /// Irrigation System.
    public static let irrigationSystem = ServiceType(HAPType(apple: 0xCF))
    /// Leak Sensor.
    public static let leakSensor = ServiceType(HAPType(apple: 0x83))
    /// Light Sensor.
    public static let lightSensor = ServiceType(HAPType(apple: 0x84))
    /// Lightbulb.
    public static let lightbulb = ServiceType(HAPType(apple: 0x43))
    /// Lock Management.
    public static let lockManagement = ServiceType(HAPType(apple: 0x44))
    /// Lock Mechanism.
    public static let lockMechanism = ServiceType(HAPType(apple: 0x45))
    /// Microphone.
    public static let microphone = ServiceType(HAPType(apple: 0x112))
    /// Motion Sensor.
    public static let motionSensor = ServiceType(HAPType(apple: 0x85))
    /// NFC Access.
    public static let nfcAccess = ServiceType(HAPType(apple: 0x266))
    /// Occupancy Sensor.
    public static let occupancySensor = ServiceType(HAPType(apple: 0x86))
    /// Outlet.
    public static let outlet = ServiceType(HAPType(apple: 0x47))
    /// Pairing.
    public static let pairing = ServiceType(HAPType(apple: 0x55))
    /// Power Management.
    public static let powerManagement = ServiceType(HAPType(apple: 0x221))
    /// Protocol Information.
    public static let protocolInformation = ServiceType(HAPType(apple: 0xA2))
    /// Security System.
    public static let securitySystem = ServiceType(HAPType(apple: 0x7E))
    /// Service Label.
    public static let serviceLabel = ServiceType(HAPType(apple: 0xCC))
    /// Siri.
    public static let siri = ServiceType(HAPType(apple: 0x133))
    /// Siri Endpoint.
    public static let siriEndpoint = ServiceType(HAPType(apple: 0x253))
    /// Slats.
    public static let slats = ServiceType(HAPType(apple: 0xB9))
    /// Smart Speaker.
    public static let smartSpeaker = ServiceType(HAPType(apple: 0x228))
    /// Smoke Sensor.
    public static let smokeSensor = ServiceType(HAPType(apple: 0x87))
    /// Speaker.
    public static let speaker = ServiceType(HAPType(apple: 0x113))
    /// Stateful Programmable Switch.
    public static let statefulProgrammableSwitch = ServiceType(HAPType(apple: 0x88))
    /// Stateless Programmable Switch.
    public static let statelessProgrammableSwitch = ServiceType(HAPType(apple: 0x89))
    /// Switch.
    public static let `switch` = ServiceType(HAPType(apple: 0x49))
    /// Tap Management.
    public static let tapManagement = ServiceType(HAPType(apple: 0x22E))
    /// Target Control.
    public static let targetControl = ServiceType(HAPType(apple: 0x125))
    /// Target Control Management.
    public static let targetControlManagement = ServiceType(HAPType(apple: 0x122))
    /// Television.
    public static let television = ServiceType(HAPType(apple: 0xD8))
    /// Temperature Sensor.
    public static let temperatureSensor = ServiceType(HAPType(apple: 0x8A))
    /// Thermostat.
    public static let thermostat = ServiceType(HAPType(apple: 0x4A))
    /// Thread Transport.
    public static let threadTransport = ServiceType(HAPType(apple: 0x701))
    /// Transfer Transport Management.
    public static let transferTransportManagement = ServiceType(HAPType(apple: 0x203))
    /// Tunnel.
    public static let tunnel = ServiceType(HAPType(apple: 0x56))
    /// Valve.
    public static let valve = ServiceType(HAPType(apple: 0xD0))
    /// Wi Fi Router.
    public static let wiFiRouter = ServiceType(HAPType(apple: 0x20A))
    /// Wi Fi Satellite.
    public static let wiFiSatellite = ServiceType(HAPType(apple: 0x20F))
    /// Wi Fi Transport.
    public static let wiFiTransport = ServiceType(HAPType(apple: 0x22A))
    /// Window.
    public static let window = ServiceType(HAPType(apple: 0x8B))
    /// Window Covering.
    public static let windowCovering = ServiceType(HAPType(apple: 0x8C))
}
