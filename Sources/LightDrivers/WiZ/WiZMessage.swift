import BoundedJSON
package import DeviceKit

/// The current or the requested state of a WiZ device (Lights 9.5).
package struct WiZPilot: Equatable, Sendable {
    package var isOn: Bool?
    /// The brightness in percent.
    ///
    /// Most devices reject values below 10.
    package var dimming: Int?
    package var kelvin: Int?
    /// The channels, 0 to 255 each: red, green, blue, cold white and warm white.
    package var channels: [Int]?
}

extension WiZPilot {
    fileprivate init(_ json: JSONValue) {
        isOn = json["state"]?.bool
        dimming = json["dimming"]?.int.flatMap { (1...100).contains($0) ? $0 : nil }
        kelvin = json["temp"]?.int.flatMap { (1000...20_000).contains($0) ? $0 : nil }
        let parts = ["r", "g", "b", "c", "w"].map { json[$0]?.int }
        if parts.prefix(3).allSatisfy({ $0 != nil }), parts.allSatisfy({ $0.map { (0...255).contains($0) } ?? true }) {
            channels = parts.map { $0 ?? 0 }
        }
    }

    fileprivate var json: JSONValue {
        var object = JSONObject()
        if let isOn { object["state"] = .bool(isOn) }
        if let dimming { object["dimming"] = .integer(Int64(dimming)) }
        if let kelvin { object["temp"] = .integer(Int64(kelvin)) }
        for (name, value) in zip(["r", "g", "b", "c", "w"], channels ?? []) { object[name] = .integer(Int64(value)) }
        return .object(object)
    }
}

/// A query or a command to a WiZ device (Lights 9.5).
package enum WiZRequest: Equatable, Sendable {
    /// Registers this computer for reports of changes during the next half minute.
    case register
    case pilot
    case system
    case model
    case user
    case setPilot(WiZPilot)

    var method: String {
        switch self {
        case .register: "registration"
        case .pilot: "getPilot"
        case .system: "getSystemConfig"
        case .model: "getModelConfig"
        case .user: "getUserConfig"
        case .setPilot: "setPilot"
        }
    }

    func bytes(session: UInt32, localAddress: UInt32) -> [UInt8] {
        let params: JSONValue
        switch self {
        case .pilot, .system, .model, .user: params = .object(JSONObject())
        case .setPilot(let pilot): params = pilot.json
        case .register:
            params = [
                "phoneMac": .string("0200" + withUnsafeBytes(of: session.bigEndian, \.hexDigits)),
                "register": true, "phoneIp": .string(IPv4Endpoint(address: localAddress, port: 0).addressText),
                "id": "1",
            ]
        }
        return (["method": .string(method), "params": params] as JSONValue).encoded
    }
}

package struct WiZMessage: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case done
        case refused
        case unknown
        case pilot(WiZPilot)
        case system(module: String?, firmware: String?)
        /// The range of the device's color temperatures in kelvin, and its lowest brightness in percent.
        case limits(whites: ClosedRange<Int>?, leastDimming: Int?)
    }

    package var method: String
    package var content: Content
    /// The device's MAC address in twelve hexadecimal digits, if the message contains it.
    package var device: LightID?

    /// Parses a datagram.
    ///
    /// Returns `nil` if it isn't a valid message from a device.
    package init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes), let method = json["method"]?.string else {
            return nil
        }
        self.method = method
        let body = json["result"] ?? json["params"]
        device = body?["mac"]?.string.flatMap { Self.id($0) }
        guard json["error"] == nil, let body else {
            guard json["error"] != nil else { return nil }
            content = json["error"]?["code"]?.int == -32601 ? .unknown : .refused
            return
        }
        switch method {
        case "registration", "setPilot": content = body["success"]?.bool == false ? .refused : .done
        case "firstBeat": content = .done
        case "getPilot", "syncPilot": content = .pilot(WiZPilot(body))
        case "getSystemConfig":
            content = .system(module: Self.text(body["moduleName"]), firmware: Self.text(body["fwVersion"]))
        case "getModelConfig", "getUserConfig":
            content = .limits(
                whites: Self.range(body["cctRange"] ?? body["extRange"] ?? body["whiteRange"]),
                leastDimming: body["minDimLevel"]?.int.flatMap { (1...100).contains($0) ? $0 : nil })
        default: return nil
        }
    }

    private static func id(_ text: String) -> LightID? {
        guard text.utf8.count == 12, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        return LightID(text.lowercased())
    }

    private static func text(_ json: JSONValue?) -> String? {
        json?.string.flatMap { (1...64).contains($0.utf8.count) ? $0 : nil }
    }

    private static func range(_ json: JSONValue?) -> ClosedRange<Int>? {
        let ends = (json?.array ?? []).prefix(8).compactMap { $0.int }.filter { (1000...20_000).contains($0) }
        guard let low = ends.min(), let high = ends.max() else { return nil }
        return low...high
    }
}
