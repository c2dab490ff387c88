import BoundedJSON
package import DeviceKit

/// A query or a command to a device that uses TP-Link's older protocol (Lights 9.5).
package enum KasaRequest: Equatable, Sendable {
    /// Requests the device's identity and state.
    case system
    /// Switches a plug, or one socket of a power strip, on or off.
    case relay(Bool, child: String?)
    /// Switches the indicator light of a plug.
    case led(isOff: Bool)
    /// Sets the level of a dimmer, from 1 to 100 percent. This doesn't switch the dimmer on.
    case level(Int)
    /// Sets the state of a bulb or a light strip.
    case light(KasaLightState, isStrip: Bool, milliseconds: Int?)
    /// Requests the readings of the meter in a bulb, a plug, or one socket of a power strip.
    case meter(isBulb: Bool, child: String?)

    fileprivate static let bulbMeter = "smartlife.iot.common.emeter"
    fileprivate static let plugMeter = "emeter"

    /// The names of the two nested JSON objects that contain the request and its answer.
    var path: (module: String, method: String) {
        switch self {
        case .system: ("system", "get_sysinfo")
        case .relay: ("system", "set_relay_state")
        case .led: ("system", "set_led_off")
        case .level: ("smartlife.iot.dimmer", "set_brightness")
        case .light(_, isStrip: false, _): ("smartlife.iot.smartbulb.lightingservice", "transition_light_state")
        case .light(_, isStrip: true, _): ("smartlife.iot.lightStrip", "set_light_state")
        case .meter(let isBulb, _): (isBulb ? Self.bulbMeter : Self.plugMeter, "get_realtime")
        }
    }

    private var parameters: JSONObject {
        switch self {
        case .system, .meter: return JSONObject()
        case .relay(let isOn, _): return ["state": isOn ? 1 : 0]
        case .led(let isOff): return ["off": isOff ? 1 : 0]
        case .level(let percent): return ["brightness": .integer(Int64(percent))]
        case .light(let state, _, let milliseconds):
            var object = state.json
            // With 0, a bulb restores its default state when it is switched on. Allow that only if the command sets
            // nothing else.
            object["ignore_default"] = state.saysOnlyWhetherItIsOn && state.isOn == true ? 0 : 1
            object["transition_period"] = milliseconds.map { .integer(Int64($0)) }
            return object
        }
    }

    /// The power strip socket that the request addresses, or `nil` if it addresses the whole device.
    private var child: String? {
        switch self {
        case .relay(_, let child), .meter(_, let child): child
        case .system, .led, .level, .light: nil
        }
    }

    package var bytes: [UInt8] {
        var object = JSONObject()
        if let child { object["context"] = ["child_ids": [.string(child)]] }
        object[path.module] = [path.method: .object(parameters)]
        return KasaCipher.encrypted(JSONValue.object(object).encoded)
    }
}

/// The current or the requested state of a bulb.
package struct KasaLightState: Equatable, Sendable {
    package var isOn: Bool?
    /// The brightness in percent.
    package var brightness: Int?
    /// The hue, 0 to 360 degrees.
    package var hue: Int?
    /// The saturation in percent.
    package var saturation: Int?
    /// The color temperature in kelvin; 0 if the light shows a color.
    package var kelvin: Int?
}

extension KasaLightState {
    /// Parses `light_state`.
    ///
    /// While the bulb is off, a nested object contains the state that it will have when switched on.
    fileprivate init(_ json: JSONValue) {
        let shown = json["dft_on_state"] ?? json
        isOn = Self.number(json["on_off"], 0...1).map { $0 == 1 }
        brightness = Self.number(shown["brightness"], 0...100)
        hue = Self.number(shown["hue"], 0...360)
        saturation = Self.number(shown["saturation"], 0...100)
        kelvin = Self.number(shown["color_temp"], 0...20_000)
    }

    fileprivate static func number(_ json: JSONValue?, _ range: ClosedRange<Int>) -> Int? {
        json?.int.flatMap { range.contains($0) ? $0 : nil }
    }

    fileprivate var saysOnlyWhetherItIsOn: Bool { self == KasaLightState(isOn: isOn) }

    fileprivate var json: JSONObject {
        var object = JSONObject()
        object["on_off"] = isOn.map { $0 ? 1 : 0 }
        let numbers = [("brightness", brightness), ("hue", hue), ("saturation", saturation), ("color_temp", kelvin)]
        for (name, number) in numbers { object[name] = number.map { .integer(Int64($0)) } }
        return object
    }

    /// Returns this state, updated with the non-`nil` values of a newer state.
    func merged(with newer: KasaLightState) -> KasaLightState {
        KasaLightState(
            isOn: newer.isOn ?? isOn, brightness: newer.brightness ?? brightness, hue: newer.hue ?? hue,
            saturation: newer.saturation ?? saturation, kelvin: newer.kelvin ?? kelvin)
    }
}

package struct KasaSystem: Equatable, Sendable {
    package struct Child: Equatable, Sendable {
        package var id: String
        package var name: String
        package var isOn: Bool
    }

    /// The maximum number of sockets of a power strip.
    static let maximumChildren = 16

    /// The MAC address in twelve hexadecimal digits.
    package var device: LightID
    package var name: String
    package var model: String?
    package var firmware: String?
    /// A Boolean value that indicates whether the device is a bulb or a light strip, not a plug or a switch.
    package var isBulb: Bool
    /// A Boolean value that indicates whether a plug describes itself as a wall switch.
    package var isWallSwitch: Bool
    package var isStrip: Bool
    package var canDim: Bool
    package var hasColor: Bool
    package var hasWhites: Bool
    /// A Boolean value that indicates whether the device has a meter, or a meter for each socket.
    package var hasMeter: Bool
    package var light: KasaLightState
    package var isRelayOn: Bool?
    package var isLEDOff: Bool
    package var children: [Child]

    /// Parses the answer to `get_sysinfo`.
    ///
    /// Returns `nil` if it contains no MAC address, or if the device is neither a bulb nor a plug.
    init?(_ json: JSONValue) {
        let digits = (json["mac"] ?? json["mic_mac"])?.string?.filter(\.isHexDigit).lowercased() ?? ""
        guard digits.utf8.count == 12, digits.allSatisfy(\.isASCII) else { return nil }
        switch (json["mic_type"] ?? json["type"])?.string {
        case "IOT.SMARTBULB": isBulb = true
        case "IOT.SMARTPLUGSWITCH": isBulb = false
        default: return nil
        }
        device = LightID(digits)
        name = Self.text(json["alias"]) ?? "Kasa \(digits.suffix(4).uppercased())"
        model = Self.text(json["model"])
        firmware = Self.text(json["sw_ver"])?.split(separator: " ").first.map(String.init)
        let words = Self.text(json["dev_name"]) ?? ""
        isWallSwitch = words.contains("Switch") && !words.contains("Plug")
        isStrip = json["length"]?.int != nil
        let dimmerLevel = KasaLightState.number(json["brightness"], 0...100)
        canDim = isBulb ? json["is_dimmable"]?.int == 1 : dimmerLevel != nil
        hasColor = json["is_color"]?.int == 1
        // Every bulb measures its power.
        hasMeter = isBulb || Self.text(json["feature"])?.split(separator: ":").contains("ENE") == true
        hasWhites = json["is_variable_color_temp"]?.int == 1
        light = json["light_state"].map(KasaLightState.init) ?? KasaLightState(brightness: dimmerLevel)
        // While an effect is running, the effect has a separate brightness and the light has no color.
        if let effect = json["lighting_effect_state"], effect["enable"]?.int == 1 {
            let level = KasaLightState.number(effect["brightness"], 0...100)
            light = KasaLightState(isOn: light.isOn, brightness: level ?? light.brightness)
        }
        isRelayOn = KasaLightState.number(json["relay_state"], 0...1).map { $0 == 1 }
        isLEDOff = json["led_off"]?.int == 1
        children = (json["children"]?.array ?? []).prefix(Self.maximumChildren).compactMap { child in
            guard let id = Self.text(child["id"]), let isOn = KasaLightState.number(child["state"], 0...1) else {
                return nil
            }
            return Child(id: id, name: Self.text(child["alias"]) ?? "Socket \(id.suffix(2))", isOn: isOn == 1)
        }
    }

    private static func text(_ json: JSONValue?) -> String? {
        json?.string.flatMap { (1...64).contains($0.utf8.count) ? $0 : nil }
    }
}

package struct KasaMessage: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case system(KasaSystem)
        case meter([SensorReading: SensorValue])
        /// The device is neither a bulb nor a plug.
        case foreign
        case done
        case refused
        /// The device doesn't support the module or the method.
        case unsupported
    }

    var module: String
    /// The method; `nil` if the answer is about the whole module, for example because the device doesn't support it.
    var method: String?
    package var content: Content

    /// Parses a datagram.
    ///
    /// Returns `nil` if it isn't a device's answer.
    package init?(_ bytes: [UInt8]) {
        let text = KasaCipher.decrypted(bytes)
        guard let json = try? JSONValue(parsing: text),
            let first = json.object?.members.first(where: { $0.name != "context" }), let body = first.value.object
        else { return nil }
        module = first.name
        guard let answer = body.members.first(where: { $0.value.object != nil }) else {
            guard body["err_code"]?.int != nil else { return nil }
            content = body["err_code"]?.int == 0 ? .done : Self.refusal(body["err_code"])
            return
        }
        method = answer.name
        if let code = answer.value["err_code"]?.int, code != 0 {
            content = Self.refusal(answer.value["err_code"])
        } else if module == "system", method == "get_sysinfo" {
            content = KasaSystem(answer.value).map { .system($0) } ?? .foreign
        } else if [KasaRequest.bulbMeter, KasaRequest.plugMeter].contains(module), method == "get_realtime" {
            content = .meter(KasaMeter.readings(answer.value))
        } else {
            content = .done
        }
    }

    private static func refusal(_ code: JSONValue?) -> Content {
        [-1, -2].contains(code?.int ?? 0) ? .unsupported : .refused
    }
}

/// The obfuscation of the older protocol: each byte is XORed with the previous encrypted byte, and the first byte with
/// 171.
enum KasaCipher {
    private static let first: UInt8 = 171

    static func encrypted(_ text: [UInt8]) -> [UInt8] {
        var key = first
        return text.map { byte in
            key ^= byte
            return key
        }
    }

    static func decrypted(_ bytes: [UInt8]) -> [UInt8] {
        var key = first
        return bytes.map { byte in
            defer { key = byte }
            return byte ^ key
        }
    }
}
