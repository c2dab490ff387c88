// Made by Scripts/generate-catalog from Scripts/catalog/catalog.json. Do not edit.

// swift-format-ignore-file

extension AccessoryCategory {
    /// Other.
    public static let other = AccessoryCategory(rawValue: 1)
    /// Bridge.
    public static let bridge = AccessoryCategory(rawValue: 2)
    /// Fan.
    public static let fan = AccessoryCategory(rawValue: 3)
    /// Garage Door Opener.
    public static let garageDoorOpener = AccessoryCategory(rawValue: 4)
    /// Lightbulb.
    public static let lightbulb = AccessoryCategory(rawValue: 5)
    /// Door Lock.
    public static let doorLock = AccessoryCategory(rawValue: 6)
    /// Outlet.
    public static let outlet = AccessoryCategory(rawValue: 7)
    /// Switch.
    public static let `switch` = AccessoryCategory(rawValue: 8)
    /// Thermostat.
    public static let thermostat = AccessoryCategory(rawValue: 9)
    /// Sensor.
    public static let sensor = AccessoryCategory(rawValue: 10)
    /// Security System.
    public static let securitySystem = AccessoryCategory(rawValue: 11)
    /// Door.
    public static let door = AccessoryCategory(rawValue: 12)
    /// Window.
    public static let window = AccessoryCategory(rawValue: 13)
    /// Window Covering.
    public static let windowCovering = AccessoryCategory(rawValue: 14)
    /// Programmable Switch.
    public static let programmableSwitch = AccessoryCategory(rawValue: 15)
    /// Range Extender.
    public static let rangeExtender = AccessoryCategory(rawValue: 16)
    /// IP Camera.
    public static let ipCamera = AccessoryCategory(rawValue: 17)
    /// Video Doorbell.
    public static let videoDoorbell = AccessoryCategory(rawValue: 18)
    /// Air Purifier.
    public static let airPurifier = AccessoryCategory(rawValue: 19)
    /// Air Heater.
    public static let airHeater = AccessoryCategory(rawValue: 20)
    /// Air Conditioner.
    public static let airConditioner = AccessoryCategory(rawValue: 21)
    /// Air Humidifier.
    public static let airHumidifier = AccessoryCategory(rawValue: 22)
    /// Air Dehumidifier.
    public static let airDehumidifier = AccessoryCategory(rawValue: 23)
    /// Apple TV.
    public static let appleTV = AccessoryCategory(rawValue: 24)
    /// Home Pod.
    public static let homePod = AccessoryCategory(rawValue: 25)
    /// Speaker.
    public static let speaker = AccessoryCategory(rawValue: 26)
    /// Air Port.
    public static let airPort = AccessoryCategory(rawValue: 27)
    /// Sprinkler.
    public static let sprinkler = AccessoryCategory(rawValue: 28)
    /// Faucet.
    public static let faucet = AccessoryCategory(rawValue: 29)
    /// Shower Head.
    public static let showerHead = AccessoryCategory(rawValue: 30)
    /// Television.
    public static let television = AccessoryCategory(rawValue: 31)
    /// Target Controller.
    public static let targetController = AccessoryCategory(rawValue: 32)
    /// Router.
    public static let router = AccessoryCategory(rawValue: 33)
    /// Audio Receiver.
    public static let audioReceiver = AccessoryCategory(rawValue: 34)
    /// TV Set Top Box.
    public static let tvSetTopBox = AccessoryCategory(rawValue: 35)
    /// TV Streaming Stick.
    public static let tvStreamingStick = AccessoryCategory(rawValue: 36)
}
