import HAPModel

extension ServiceType {
    /// The name of the icon for the service.
    var icon: String { Self.icons[self] ?? "other" }

    static let icons: [ServiceType: String] = [
        .airPurifier: "purifier", .airQualitySensor: "air-quality", .battery: "battery",
        .cameraRTPStreamManagement: "camera", .carbonDioxideSensor: "co2", .carbonMonoxideSensor: "co",
        .contactSensor: "contact", .door: "door", .doorbell: "doorbell", .fan: "fan", .fanv2: "fan", .faucet: "faucet",
        .filterMaintenance: "filter", .garageDoorOpener: "garage", .heaterCooler: "heater",
        .humidifierDehumidifier: "humidifier", .humiditySensor: "humidity", .inputSource: "input",
        .irrigationSystem: "sprinkler", .leakSensor: "leak", .lightSensor: "light-sensor", .lightbulb: "light",
        .lockMechanism: "lock", .microphone: "microphone", .motionSensor: "motion", .occupancySensor: "occupancy",
        .outlet: "outlet", .securitySystem: "alarm", .slats: "slat", .smokeSensor: "smoke", .speaker: "speaker",
        .statelessProgrammableSwitch: "button", .switch: "switch", .television: "television",
        .temperatureSensor: "temperature", .thermostat: "thermostat", .valve: "valve",
        .window: "window", .windowCovering: "blind",
    ]
}
