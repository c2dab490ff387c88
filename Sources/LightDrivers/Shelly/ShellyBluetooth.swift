import BoundedJSON
import DeviceKit
import HAPModel

/// A Bluetooth device that a Shelly device receives, such as a button, a door sensor or a radiator valve (Lights 9.6).
///
/// The device is a component `bthomedevice`, and each of its values is a component `bthomesensor` with the same address.
struct ShellyBluetooth: Equatable, Sendable {
    /// The maximum number of Bluetooth devices of one Shelly device, and the maximum number of components that are read.
    static let maximum = (devices: 64, components: 512)

    /// The readings of BTHome's objects.
    private static let readings: [Int: SensorReading] = [
        0x02: .temperature, 0x03: .humidity, 0x05: .illuminance, 0x0D: .pm25, 0x0E: .pm10, 0x11: .contact,
        0x12: .carbonDioxideLevel, 0x13: .voc, 0x15: .batteryLow, 0x17: .carbonMonoxide, 0x1A: .contact, 0x1B: .contact,
        0x20: .leak, 0x21: .motion, 0x23: .occupancy, 0x29: .smoke, 0x2B: .tamper, 0x2D: .contact, 0x2E: .humidity,
        0x45: .temperature, 0x57: .temperature, 0x58: .temperature,
    ]
    private static let buttonObject = 0x3A

    /// The products by their number: the names, and the number of buttons.
    private static let products: [Int: (model: String, name: String, buttons: Int)] = [
        1: ("SBBT-002C", "BLU Button1", 1), 2: ("SBDW-002C", "BLU Door/Window", 0), 3: ("SBHT-003C", "BLU H&T", 0),
        5: ("SBMO-003Z", "BLU Motion", 0), 6: ("SBBT-004CEU", "BLU Wall Switch 4", 4),
        7: ("SBBT-004CUS", "BLU RC Button 4", 4), 8: ("SBTR-001AEU", "BLU TRV", 0),
        12: ("SBHT-103C", "BLU H&T Display ZB", 0), 17: ("SBHT-203C", "BLU H&T ZB", 0),
        22: ("SBBT-104CUS", "BLU RC Button 4 ZB", 4),
    ]

    /// The address in lowercase hexadecimal digits, which identifies the device.
    let address: String
    /// The name of the component, such as `bthomedevice:200`.
    let key: String
    private let name: String?
    private let productNumber: Int?
    /// The components with the readings.
    private var sensors: [String: SensorReading] = [:]
    private var values: [SensorReading: SensorValue] = [:]
    private var buttonObjects: Set<Int> = []
    private(set) var words: [ButtonWords] = []
    private(set) var thermostat: ShellyRadiatorValve?
    private var firmware: String?

    /// Returns the Bluetooth devices among the dynamic components of a Shelly device, as `Shelly.GetComponents` lists
    /// them.
    static func devices(in components: [JSONValue]) -> [ShellyBluetooth] {
        var devices: [ShellyBluetooth] = []
        for json in components {
            guard let device = ShellyBluetooth(json), devices.count < maximum.devices,
                !devices.contains(where: { $0.address == device.address })
            else { continue }
            devices.append(device)
        }
        for json in components {
            guard let address = address(json), let index = devices.firstIndex(where: { $0.address == address }) else {
                continue
            }
            devices[index].add(json)
        }
        for index in devices.indices { devices[index].complete() }
        return devices.filter(\.isShown)
    }

    private static func address(_ json: JSONValue) -> String? {
        let digits = json["config"]?["addr"]?.string?.lowercased().filter { $0 != ":" }
        return digits.flatMap { $0.isMAC ? $0 : nil }
    }

    private init?(_ json: JSONValue) {
        guard let key = json["key"]?.string, ShellyOutput.parts(of: key)?.kind == "bthomedevice",
            let address = Self.address(json)
        else { return nil }
        (self.key, self.address) = (key, address)
        name = json["config"]?["name"]?.shortText.flatMap { $0.isEmpty ? nil : $0 }
        productNumber = json["attrs"]?["model_id"]?.int
    }

    private var product: (model: String, name: String, buttons: Int)? { productNumber.flatMap { Self.products[$0] } }

    private mutating func add(_ json: JSONValue) {
        guard let key = json["key"]?.string, let kind = ShellyOutput.parts(of: key)?.kind else { return }
        switch kind {
        case "bthomesensor":
            guard let object = json["config"]?["obj_id"]?.int else { return }
            if object == Self.buttonObject, let index = json["config"]?["idx"]?.int { buttonObjects.insert(index) }
            // A device has at most one reading of each kind. Other objects with the same number are, for example, the
            // target temperature of a radiator valve.
            guard thermostat == nil, let reading = Self.readings[object], !sensors.values.contains(reading) else {
                return
            }
            sensors[key] = reading
            values[reading] = .unknown
        case "blutrv": thermostat = ShellyRadiatorValve(key)
        default: break
        }
        if let status = json["status"] { merge(key, status) }
    }

    private mutating func complete() {
        if thermostat != nil { (sensors, values) = ([:], [:]) }
        guard thermostat == nil, !SensorDevices.isShown(values.keys) else { return }
        let count = min(product?.buttons ?? max(buttonObjects.count, 1), ButtonWords.maximumButtons)
        words = (0..<count).map { index in
            ShellyButton.words(id: "button:\(index)", name: count == 1 ? "Button" : "Button \(index + 1)")
        }
    }

    /// A Boolean value that indicates whether the device has functions that can be shown.
    private var isShown: Bool { thermostat != nil || !words.isEmpty || SensorDevices.isShown(values.keys) }

    // MARK: Values

    /// Updates the values from a complete or partial status of the Shelly device.
    mutating func merge(_ status: JSONValue) {
        for member in [key, thermostat?.key].compactMap(\.self) + sensors.keys {
            if let json = status[member] { merge(member, json) }
        }
    }

    private mutating func merge(_ key: String, _ json: JSONValue) {
        if let reading = sensors[key] { merge(json["value"], reading) }
        if key == self.key {
            if thermostat == nil { merge(json["battery"], .battery) }
            firmware = json["fw_ver"]?.shortText ?? firmware
        }
        if key == thermostat?.key { thermostat?.merge(json) }
    }

    private mutating func merge(_ field: JSONValue?, _ reading: SensorReading) {
        guard let field else { return }
        let flag = field.bool ?? (reading.isFlag ? field.int.map { $0 != 0 } : nil)
        let value = flag.map { SensorValue.flag($0) } ?? field.double.map { .number($0) }
        if let value = value?.valid(for: reading) {
            // In BTHome, true means open.
            values[reading] = if reading == .contact, case .flag(let isOpen) = value { .flag(!isOpen) } else { value }
        } else if values[reading] != nil {
            values[reading] = .unknown
        }
    }

    var report: LightReport {
        thermostat?.report ?? LightReport(readings: values, reachable: true)
    }

    /// Returns the momentary events of an event of the device; empty for other events.
    func events(_ json: JSONValue) -> PropertyValues {
        let index = json["idx"]?.int ?? 0
        guard words.indices.contains(index), let event = json["event"]?.string else { return PropertyValues() }
        return words[index].events(event)
    }

    /// Returns the description of the accessory with the given id.
    func description(_ id: LightID, kinds: Set<LightKind>) -> LightDescription {
        let buttons = words.flatMap(\.buttons)
        let (kind, capabilities) = SensorDevices.accessory(Set(values.keys), buttons, kinds: kinds)
        let name = name ?? "Shelly \(product?.name ?? "BLU") \(address.suffix(6).uppercased())"
        var description = LightDescription(
            id: id, name: name, kind: thermostat == nil ? kind : .thermostat, capabilities: capabilities,
            manufacturer: product == nil ? nil : "Shelly", model: product?.model, serialNumber: address,
            firmware: firmware)
        if let thermostat { description.functions = [thermostat.function] }
        return description
    }
}

/// A radiator valve with Bluetooth (Lights 9.6).
struct ShellyRadiatorValve: Equatable, Sendable {
    private static let temperatures = 4.0...30.0
    private static let step = 0.1

    /// The name of the component, such as `blutrv:200`.
    let key: String
    private var target: Double?
    private var current: Double?
    private var position: Double?

    init(_ key: String) { self.key = key }

    var function: AccessoryFunction {
        var features = ThermostatFeatures()
        features.modes = [.heat]
        features.temperatures = Self.temperatures
        features.reportsActivity = true
        return features.function
    }

    mutating func merge(_ json: JSONValue) {
        target = TemperatureUnit.celsius.celsius(json["target_C"]?.double) ?? target
        current = TemperatureUnit.celsius.celsius(json["current_C"]?.double) ?? current
        position = json["pos"]?.double ?? position
    }

    var report: LightReport {
        var report = LightReport(reachable: true)
        report.thermostatMode = .heat
        report.thermostatActivity = position.map { $0 > 0 ? .heat : .off }
        report.targetTemperature = target
        report.values[.currentTemperature] = current
        return report
    }

    /// Returns the method for a command, with its parameters; `nil` if the command sets no temperature.
    func call(for command: LightCommand) -> (method: String, params: JSONValue)? {
        guard let celsius = command.targetTemperature, let number = ShellyOutput.parts(of: key)?.number else {
            return nil
        }
        let target = TemperatureUnit.celsius.number(celsius: celsius, step: Self.step)
        return (
            "BluTRV.Call",
            [
                "id": .integer(Int64(number)), "method": "Trv.SetTarget",
                "params": ["id": 0, "target_C": .number(target)],
            ]
        )
    }
}
