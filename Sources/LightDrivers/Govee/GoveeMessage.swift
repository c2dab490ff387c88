import BoundedJSON
package import DeviceKit

/// The current or the requested state of a Govee device (Lights 9.5).
package struct GoveeStatus: Equatable, Sendable {
    package struct Color: Equatable, Sendable {
        package var red, green, blue: Int
    }

    package var isOn: Bool?
    /// The brightness in percent.
    package var brightness: Int?
    /// The red, green and blue channels, 0 to 255 each.
    package var color: Color?
    /// The color temperature in kelvin; 0 if the light shows a color.
    package var kelvin: Int?
}

extension GoveeStatus {
    fileprivate init(_ json: JSONValue) {
        func number(_ json: JSONValue?, _ range: ClosedRange<Int>) -> Int? {
            json?.int.flatMap { range.contains($0) ? $0 : nil }
        }
        isOn = number(json["onOff"], 0...1).map { $0 == 1 }
        brightness = number(json["brightness"], 0...100)
        kelvin = number(json["colorTemInKelvin"], 0...20_000)
        let parts = ["r", "g", "b"].compactMap { number(json["color"]?[$0], 0...255) }
        if parts.count == 3 { color = Color(red: parts[0], green: parts[1], blue: parts[2]) }
    }

    /// Returns whether this state includes a change, within the precision of the devices.
    ///
    /// If the change sets a color temperature, its RGB values are ignored.
    func shows(_ change: GoveeStatus) -> Bool {
        func isNear(_ wanted: Int?, _ shown: Int?, within distance: Int) -> Bool {
            guard let wanted else { return true }
            return shown.map { abs($0 - wanted) <= distance } ?? false
        }
        let color = (change.kelvin ?? 0) > 0 ? nil : change.color
        return (change.isOn == nil || change.isOn == isOn) && isNear(change.brightness, brightness, within: 1)
            && isNear(change.kelvin, kelvin, within: change.kelvin == 0 ? 0 : 50)
            && isNear(color?.red, self.color?.red, within: 2) && isNear(color?.green, self.color?.green, within: 2)
            && isNear(color?.blue, self.color?.blue, within: 2)
    }
}

/// A query or a command to a Govee device.
package enum GoveeRequest: Equatable, Sendable {
    case status
    /// A command for each changed value, followed by a query for the resulting status, because devices don't answer
    /// commands.
    case change(GoveeStatus)

    private static func message(_ command: String, _ data: JSONValue) -> [UInt8] {
        (["msg": ["cmd": .string(command), "data": data]] as JSONValue).encoded
    }

    /// The search request for all devices.
    static let scan = message("scan", ["account_topic": "reserve"])

    /// The datagrams.
    ///
    /// The command that switches the light off comes before the other commands. The command that switches it on comes
    /// after them.
    var datagrams: [[UInt8]] {
        var datagrams: [[UInt8]] = []
        if case .change(let change) = self {
            if change.isOn == false { datagrams.append(Self.message("turn", ["value": 0])) }
            if let color = change.color {
                let parts: JSONValue = [
                    "r": .integer(Int64(color.red)), "g": .integer(Int64(color.green)),
                    "b": .integer(Int64(color.blue)),
                ]
                datagrams.append(
                    Self.message(
                        "colorwc", ["color": parts, "colorTemInKelvin": .integer(Int64(change.kelvin ?? 0))]))
            }
            if let brightness = change.brightness {
                datagrams.append(Self.message("brightness", ["value": .integer(Int64(brightness))]))
            }
            if change.isOn == true { datagrams.append(Self.message("turn", ["value": 1])) }
        }
        return datagrams + [Self.message("devStatus", .object(JSONObject()))]
    }
}

package enum GoveeMessage: Equatable, Sendable {
    case status(GoveeStatus)
    case presence(device: LightID, model: String?, firmware: String?)

    /// Parses a datagram.
    ///
    /// Returns `nil` if it isn't a valid message from a device.
    package init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes), let data = json["msg"]?["data"],
            data.object != nil
        else { return nil }
        switch json["msg"]?["cmd"]?.string {
        case "devStatus": self = .status(GoveeStatus(data))
        case "scan":
            // The id of a device usually has eight bytes, of which the last six are its MAC address.
            let digits = data["device"]?.string?.filter(\.isHexDigit).lowercased() ?? ""
            guard (12...32).contains(digits.utf8.count), digits.allSatisfy(\.isASCII) else { return nil }
            self = .presence(
                device: LightID(digits), model: Self.text(data["sku"]), firmware: Self.text(data["wifiVersionSoft"]))
        default: return nil
        }
    }

    private static func text(_ json: JSONValue?) -> String? {
        json?.string.flatMap { (1...64).contains($0.utf8.count) ? $0 : nil }
    }
}
