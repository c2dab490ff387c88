package import BoundedJSON
package import LightKit
package import LineRPC

/// What a plugin may write: one line, read and checked.
package enum PluginMessage: Equatable, Sendable {
    case added(LightDescription)
    case removed(LightID)
    /// A light's state; its cause is the `lights/set` that it follows from.
    case state(LightID, LightReport, cause: Int64?)
    case answer(id: Int64, Result<JSONValue, RPCFailure>)
    /// A request, of which this host takes none.
    case request(RPCMessage.ID, method: String)
    /// A notification that this host does not know; a later one may.
    case unknown(method: String)
    /// A notification that is none, because of its parameters.
    case refused(String, about: String)

    /// Why a line is no message of the protocol.
    package struct Violation: Error, Equatable {
        package let text: String
    }

    /// Reads one line.
    package init(parsing line: [UInt8]) throws(Violation) {
        let message: RPCMessage
        do throws(RPCMessage.Refusal) {
            message = try RPCMessage(parsing: line)
        } catch {
            throw Violation(text: "it wrote a line that is no message: \(error.failure.message)")
        }
        switch message {
        case .request(let id, let method, _): self = .request(id, method: String(method.prefix(64)))
        case .response(.integer(let id), let result): self = .answer(id: id, .success(result))
        case .failure(.integer(let id)?, let failure): self = .answer(id: id, .failure(failure))
        case .failure(nil, let failure):
            throw Violation(text: "it did not understand what it was sent: \(failure.message.prefix(200))")
        case .response, .failure: throw Violation(text: "it answered what it was not asked")
        case .notification(let method, let params): self = Self.notification(method, params)
        }
    }

    private static func notification(_ method: String, _ params: JSONValue) -> PluginMessage {
        do throws(Problem) {
            switch method {
            case "lights/added": return .added(try params.light())
            case "lights/removed": return .removed(try params.lightID())
            case "lights/state":
                let cause = params["cause"]
                guard cause == nil || cause == .null || cause?.int != nil else { throw "\"cause\" is no whole number" }
                return .state(try params.lightID(), try params.report(), cause: cause?.int.map(Int64.init))
            default: return .unknown(method: String(method.prefix(64)))
            }
        } catch {
            let subject = (try? params.lightID())?.rawValue ?? method
            return .refused("\(method) is wrong: \(error.text)", about: subject)
        }
    }
}

/// What is wrong with a notification.
private struct Problem: Error, ExpressibleByStringInterpolation {
    let text: String
    init(stringLiteral text: String) { self.text = text }
}

extension JSONValue {
    /// A member that may be left out.
    private func member<Value>(
        _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) throws(Problem) -> Value? {
        guard let json = self[name], !json.isNull else { return nil }
        guard let value = read(json) else { throw "\"\(name)\" has to be \(expected)" }
        return value
    }

    fileprivate func lightID() throws(Problem) -> LightID {
        guard let id = self["id"]?.string, (1...255).contains(id.utf8.count),
            !id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw "\"id\" has to be 1 to 255 bytes of text without control characters" }
        return LightID(id)
    }

    private func text(_ name: String) throws(Problem) -> String? {
        try member(name, "a text of at most \(PluginLimits.text) bytes") { json in
            json.string.flatMap { $0.utf8.count <= PluginLimits.text ? $0 : nil }
        }
    }

    private func flag(_ name: String) throws(Problem) -> Bool? { try member(name, "true or false", \.bool) }

    fileprivate func light() throws(Problem) -> LightDescription {
        let id = try lightID()
        let caps = try member("caps", "an object") { $0.object.map(JSONValue.object) } ?? [:]
        let temperature = try caps.member("ct", "[MIN, MAX] in mired, within 1 to 1000") { json -> ClosedRange<Int>? in
            guard let ends = json.array?.compactMap(\.int), ends.count == 2, json.array?.count == 2,
                1 <= ends[0], ends[0] <= ends[1], ends[1] <= 1000
            else { return nil }
            return ends[0]...ends[1]
        }
        let kinds = "one of \(LightKind.allCases.map { "\"\($0)\"" }.joined(separator: ", "))"
        let kind = try member("kind", kinds) { $0.string.flatMap(LightKind.init) } ?? .light
        var capabilities = LightCapabilities(
            brightness: try caps.flag("dimmable") ?? false, color: try caps.flag("hs") ?? false,
            temperature: temperature, transition: try caps.flag("transition") ?? false)
        capabilities.speed = try caps.flag("speed") ?? false
        capabilities.direction = try caps.flag("direction") ?? false
        capabilities.oscillation = try caps.flag("oscillation") ?? false
        let names = SensorReading.allCases.map(\.rawValue).joined(separator: ", ")
        let readings = try caps.member("readings", "some of \(names)") { json -> [SensorReading]? in
            guard let list = json.array, list.count <= SensorReading.allCases.count else { return nil }
            let known = list.compactMap { $0.string.flatMap(SensorReading.init) }
            return known.count == list.count ? known : nil
        }
        capabilities.readings = Set(readings ?? [])
        guard kind != .sensor || !capabilities.readings.isEmpty else {
            throw "a sensor needs \"readings\" in its \"caps\""
        }
        return LightDescription(
            id: id, name: try text("name") ?? id.rawValue, kind: kind, capabilities: capabilities,
            manufacturer: try text("manufacturer"), model: try text("model"), serialNumber: try text("serial"),
            firmware: try text("firmware"), suggestedRoom: try text("room"))
    }

    fileprivate func report() throws(Problem) -> LightReport {
        var report = LightReport(on: try flag("on"))
        // 0 % is a light that is off, which "on" says.
        report.brightness = try member("brightness", "a number from 0 to 100") { json -> Int? in
            json.double.flatMap { (0...100).contains($0) ? Int($0.rounded(.up)) : nil }
        }
        if report.brightness == 0 { report.brightness = nil }
        report.color = try member("color", "{\"hs\": [HUE, SATURATION]} or {\"ct\": MIRED}") { json in
            if let mired = json["ct"]?.int { return .temperature(mired: mired) }
            guard let pair = json["hs"]?.array?.compactMap(\.double), pair.count == 2, json["hs"]?.array?.count == 2,
                let (hue, saturation) = ColorConversion.hueSaturation(hue: pair[0], saturation: pair[1])
            else { return nil }
            return .hueSaturation(hue: hue, saturation: saturation)
        }
        report.speed = try member("speed", "a number from 0 to 100") { json -> Int? in
            json.double.flatMap { (0...100).contains($0) ? Int($0.rounded(.up)) : nil }
        }
        if report.speed == 0 { report.speed = nil }
        report.direction = try member("direction", "\"clockwise\" or \"counterclockwise\"") {
            $0.string.flatMap(FanDirection.init)
        }
        report.oscillates = try flag("oscillates")
        report.readings = try readings()
        // Whoever can tell a light's state reaches it.
        report.reachable = try flag("reachable") ?? true
        return report
    }
}

extension JSONValue {
    /// What a sensor has read; `null` is what it does not know.
    fileprivate func readings() throws(Problem) -> [SensorReading: SensorValue] {
        let values = try member("readings", "an object") { $0.object } ?? [:]
        var readings: [SensorReading: SensorValue] = [:]
        for reading in SensorReading.allCases {
            guard let json = values[reading.rawValue] else { continue }
            let value = json.isNull ? .unknown : json.bool.map(SensorValue.flag) ?? json.double.map(SensorValue.number)
            guard let value = value?.valid(for: reading) else {
                throw "\"\(reading.rawValue)\" has to be \(reading.isFlag ? "true or false" : "a number"), or null"
            }
            readings[reading] = value
        }
        return readings
    }
}

extension LightCommand {
    /// The parameters of `lights/set`.
    func params(for light: LightID, cause: Int64) -> JSONValue {
        var object: JSONObject = ["id": .string(light.rawValue)]
        object["on"] = on.map(JSONValue.bool)
        object["brightness"] = brightness.map { .integer(Int64($0)) }
        switch color {
        case nil: break
        case .hueSaturation(let hue, let saturation): object["color"] = ["hs": [.number(hue), .number(saturation)]]
        case .temperature(let mired): object["color"] = ["ct": .integer(Int64(mired))]
        }
        object["speed"] = speed.map { .integer(Int64($0)) }
        object["direction"] = direction.map { .string($0.rawValue) }
        object["oscillates"] = oscillates.map(JSONValue.bool)
        object["transition"] = transition.map { .number($0 / .seconds(1)) }
        object["cause"] = .integer(cause)
        return .object(object)
    }
}

extension LightError {
    /// What a plugin's answer means for the light.
    init(_ failure: RPCFailure) {
        switch failure.code {
        case -32001: self = .unknownLight
        case -32002, -32005: self = .unreachable
        case -32003: self = .busy
        default: self = .refused(String(failure.message.prefix(200)))
        }
    }
}
