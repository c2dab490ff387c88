package import BoundedJSON
package import DeviceKit
import HAPModel
package import LineRPC

/// A message of a plugin: one line, parsed and validated.
package enum PluginMessage: Equatable, Sendable {
    case added(LightDescription)
    case removed(LightID)
    /// A light's state. `cause` identifies the command that led to it, or is `nil` if no command did.
    case state(LightID, LightReport, cause: Int64?)
    /// Momentary events of a device.
    case event(LightID, PropertyValues)
    case answer(id: Int64, Result<JSONValue, RPCFailure>)
    /// A request. The host doesn't support any requests from plugins.
    case request(RPCMessage.ID, method: String)
    /// An unknown notification, which may be part of a later protocol version.
    case unknown(method: String)
    /// A notification with invalid parameters.
    case refused(String, about: String)

    /// The reason why a line isn't a message of the protocol.
    package struct Violation: Error, Equatable {
        package let text: String
    }

    package init(parsing line: [UInt8]) throws(Violation) {
        let message: RPCMessage
        do throws(RPCMessage.Refusal) {
            message = try RPCMessage(parsing: line)
        } catch {
            throw Violation(text: "it wrote an invalid line: \(error.failure.message)")
        }
        switch message {
        case .request(let id, let method, _): self = .request(id, method: String(method.prefix(64)))
        case .response(.integer(let id), let result): self = .answer(id: id, .success(result))
        case .failure(.integer(let id)?, let failure): self = .answer(id: id, .failure(failure))
        case .failure(nil, let failure):
            throw Violation(text: "it didn't understand a message: \(failure.message.prefix(200))")
        case .response, .failure: throw Violation(text: "it answered without a request")
        case .notification(let method, let params): self = Self.notification(method, params)
        }
    }

    private static func notification(_ method: String, _ params: JSONValue) -> PluginMessage {
        let name = method.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let version = PluginProtocol.allCases.first { $0.namespace == name[0] }
        do throws(Problem) {
            switch (version, name.last) {
            case (.version1?, "added"): return .added(try params.light(try params.lightID()))
            case (.version2?, "added"): return .added(try params.device(try params.lightID()))
            case (_?, "removed"): return .removed(try params.lightID())
            case (let version?, "state"):
                let cause = params["cause"]
                guard cause == nil || cause == .null || cause?.int != nil else { throw "\"cause\" isn't an integer" }
                let id = try params.lightID()
                let values = version == .version1 ? try params.lightValues() : try params.values(areEvents: false)
                // A light whose state is reported is reachable, unless the message contains "reachable": false.
                let report = LightReport(values, reachable: try params.flag("reachable") ?? true)
                return .state(id, report, cause: cause?.int.map(Int64.init))
            case (.version2?, "event"): return .event(try params.lightID(), try params.values(areEvents: true))
            default: return .unknown(method: String(method.prefix(64)))
            }
        } catch {
            let subject = (try? params.lightID())?.rawValue ?? method
            return .refused("\(method) is invalid: \(error.text)", about: subject)
        }
    }
}

/// A problem with the parameters of a notification.
struct Problem: Error, ExpressibleByStringInterpolation {
    let text: String
    init(stringLiteral text: String) { self.text = text }
}

// MARK: Parameters of all versions

extension JSONValue {
    /// Returns a member, or `nil` if it's missing or `null`.
    ///
    /// Throws a problem if `read` doesn't accept its value.
    func member<Value>(
        _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) throws(Problem) -> Value? {
        guard let json = self[name], !json.isNull else { return nil }
        guard let value = read(json) else { throw "\"\(name)\" must be \(expected)" }
        return value
    }

    fileprivate func lightID() throws(Problem) -> LightID {
        guard let id = identifier("id") else {
            throw "\"id\" must be 1 to 255 bytes of text without control characters"
        }
        return LightID(id)
    }

    /// Returns a member that is an id, or `nil` if it is missing, empty, too long or contains control characters.
    func identifier(_ name: String) -> String? {
        guard let id = self[name]?.string, (1...255).contains(id.utf8.count),
            !id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        return id
    }

    private func text(_ name: String) throws(Problem) -> String? {
        try member(name, "a string of at most \(PluginLimits.text) bytes") { json in
            json.string.flatMap { $0.utf8.count <= PluginLimits.text ? $0 : nil }
        }
    }

    func flag(_ name: String) throws(Problem) -> Bool? { try member(name, "true or false", \.bool) }

    /// Returns the description of a device with its functions, and with the strings that all protocol versions have in
    /// common.
    func description(
        _ id: LightID, _ kind: LightKind, _ functions: [AccessoryFunction]
    ) throws(Problem) -> LightDescription {
        LightDescription(
            id: id, name: try text("name") ?? id.rawValue, kind: kind, functions: functions,
            manufacturer: try text("manufacturer"), model: try text("model"), serialNumber: try text("serial"),
            firmware: try text("firmware"), suggestedRoom: try text("room"))
    }
}

extension LightError {
    /// Creates the light error for a plugin's error response.
    init(_ failure: RPCFailure) {
        switch failure.code {
        case -32001: self = .unknownLight
        case -32002, -32005: self = .unreachable
        case -32003: self = .busy
        default: self = .refused(String(failure.message.prefix(200)))
        }
    }
}
