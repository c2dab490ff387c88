package import BoundedJSON

// The forms of the drivers, in alphabetical order.

extension DriverForm.Field {
    /// The addresses of devices, for drivers that usually find them.
    fileprivate static func hosts(_ noun: String) -> DriverForm.Field {
        DriverForm.Field(
            "hosts", "Addresses", .list, example: "192.168.1.20",
            help: "Only for \(noun) that aren't found on the network.")
    }

    fileprivate static let shellySwitches = DriverForm.Field(
        "switches", "Show all relays", .flag, help: "Otherwise, only relays that switch a lamp are shown.")
    fileprivate static let shellyPassword = DriverForm.Field(
        "password-file", "Password", .secret(suffix: "password"), help: "Only for devices that have one.")
}

extension ESPHomeDriverConfiguration: OfferedDriver {
    package static let form = DriverForm(
        "ESPHome", "Boards with ESPHome and its native API. They are found on the network.",
        [
            DriverForm.Field(
                "host", "Address", example: "192.168.1.20", help: "Only for a board that isn't found on the network."),
            DriverForm.Field(
                "key-file", "Encryption key of this board", .secret(suffix: "key"),
                help: "The value of api: encryption: key: in its configuration."),
            DriverForm.Field("switches", "Show switches, too", .flag),
        ])

    package static func entry(for values: JSONObject) -> JSONObject {
        var entry = values
        var host: JSONObject = [:]
        for key in ["host", "key-file"] {
            host[key] = values[key]
            entry[key] = nil
        }
        if !host.isEmpty { entry["hosts"] = [.object(host)] }
        return entry
    }

    package static func formValues(of keys: JSONObject) -> JSONObject {
        guard let hosts = keys["hosts"]?.array, hosts.count == 1, let host = hosts[0].object else { return keys }
        var values = keys
        values["hosts"] = nil
        for member in host.members { values[member.name] = member.value }
        return values
    }
}

extension DatagramDriverConfiguration: OfferedDriver {
    package static var form: DriverForm {
        DriverForm(Device.traits.title, "\(Device.traits.about) They are found on the network.", [.hosts("devices")])
    }
}

extension HueDriverConfiguration: OfferedDriver {
    package static let form = DriverForm(
        "Philips Hue",
        "Hue bridges with their lights, sensors and switches. Press the link button of the bridge when a warning asks for it.",
        [
            .hosts("bridges"),
            DriverForm.Field("groups", "Show rooms and zones as lights, too", .flag),
        ])
}

extension MQTTDriverConfiguration: OfferedDriver {
    package static let form = DriverForm(
        "MQTT", "Devices of Zigbee2MQTT, Tasmota, and everything else that supports Home Assistant's MQTT discovery.",
        [
            DriverForm.Field(
                "url", "Broker", isRequired: true, example: "mqtt://192.168.1.10:1883",
                help: "The broker's address; mqtts:// for TLS."),
            DriverForm.Field("user", "User", help: "Only if the broker requires a password."),
            DriverForm.Field("password-file", "Password", .secret(suffix: "password")),
        ])

    package static func entry(for values: JSONObject) -> JSONObject {
        var entry = values
        if let url = values["url"]?.string, !url.contains("://") { entry["url"] = .string("mqtt://\(url)") }
        return entry
    }
}

extension ShellyDriverConfiguration: OfferedDriver {
    package static let form = DriverForm(
        "Shelly", "Devices of the second generation or later. They are found on the network.",
        [.hosts("devices"), .shellyPassword, .shellySwitches])
}

extension ShellyGen1DriverConfiguration: OfferedDriver {
    package static let form = DriverForm(
        "Shelly, first generation", "Older Shelly devices. They are found on the network.",
        [.hosts("devices"), .shellyPassword, .shellySwitches])
}

extension WLEDDriverConfiguration: OfferedDriver {
    package static let form = DriverForm(
        "WLED", "LED strips with WLED. They are found on the network.",
        [.hosts("devices"), DriverForm.Field("segments", "Show each segment as a light", .flag)])
}

extension YeelightDriverConfiguration: OfferedDriver {
    package static let form = DriverForm(
        "Yeelight", "Lights with LAN control enabled in the Yeelight app. They are found on the network.",
        [.hosts("lights")])
}
