public import HAPModel

extension ServiceType {
    /// The service type's name in English; the UUID if Apple doesn't define the type.
    public var localizedDescription: String {
        self == .fanv2 ? "Fan" : catalogName
    }
}

extension CharacteristicType {
    /// The characteristic type's name in English; the UUID if Apple doesn't define the type.
    public var localizedDescription: String {
        switch self {
        case .on: "Power State"
        case .pm2_5Density: "PM2.5 Density"
        default: catalogName
        }
    }
}

extension AccessoryCategory {
    /// The category's name in English; `Other` for unknown numbers.
    public var localizedDescription: String { Self.descriptions[rawValue] ?? "Other" }

    private static let descriptions: [UInt16: String] = [
        1: "Other", 2: "Bridge", 3: "Fan", 4: "Garage Door Opener", 5: "Lightbulb", 6: "Door Lock", 7: "Outlet",
        8: "Switch", 9: "Thermostat", 10: "Sensor", 11: "Security System", 12: "Door", 13: "Window",
        14: "Window Covering", 15: "Programmable Switch", 16: "Range Extender", 17: "IP Camera",
        18: "Video Doorbell", 19: "Air Purifier", 20: "Air Heater", 21: "Air Conditioner", 22: "Air Humidifier",
        23: "Air Dehumidifier", 26: "Speaker", 27: "AirPort", 28: "Sprinkler", 29: "Faucet", 30: "Shower Head",
        31: "Television", 32: "Remote", 33: "Wi-Fi Router", 34: "Audio Receiver", 35: "TV Set Top Box",
        36: "TV Streaming Stick",
    ]
}
