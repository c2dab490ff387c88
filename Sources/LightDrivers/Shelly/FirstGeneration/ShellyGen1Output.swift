import BoundedJSON
import DeviceKit
import HAPModel

/// An output of a first-generation Shelly device: a light, a relay or a roller (Lights 9.6.1).
struct ShellyGen1Output: Equatable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case light, relay, roller

        /// The name of the list of these outputs in the settings and in the status.
        var list: String { rawValue + "s" }
    }

    let kind: Kind
    let number: Int
    let name: String?
    /// A Boolean value that indicates whether the settings describe the appliance at a relay as a lamp.
    let switchesLamp: Bool
    private var isOn: Bool?
    private var light: ShellyGen1Light
    private var roller = ShellyGen1Roller()
    private(set) var meter = ShellyMeter()

    /// The name of the output within the device, such as `relay:0`.
    var key: String { "\(kind.rawValue):\(number)" }

    /// Returns the outputs in a device's settings.
    ///
    /// A device whose relays can drive a motor lists its roller even in relay mode.
    static func all(in settings: JSONValue, type: String, maximum: Int) -> [ShellyGen1Output] {
        let kinds: [Kind] = settings["mode"]?.string == "roller" ? [.roller] : [.light, .relay]
        let outputs = kinds.flatMap { kind in
            (settings[kind.list]?.array ?? []).prefix(maximum).enumerated().map { number, json in
                ShellyGen1Output(kind, number, json, settings, type: type)
            }
        }
        return Array(outputs.prefix(maximum))
    }

    private init(_ kind: Kind, _ number: Int, _ json: JSONValue, _ settings: JSONValue, type: String) {
        self.kind = kind
        self.number = number
        name = json["name"]?.shortText.flatMap { $0.isEmpty ? nil : $0 }
        switchesLamp = json["appliance_type"]?.string?.lowercased().hasPrefix("light") == true
        light = ShellyGen1Light(type: type, mode: settings["mode"]?.string)
        merge(json)
        // The settings contain the state at the time of the request, but the status is newer.
        isOn = nil
    }

    /// A Boolean value that indicates whether the output's state is known.
    var isKnown: Bool { kind == .roller ? roller.isKnown : isOn != nil }

    /// A Boolean value that indicates whether the output's motor is running.
    var isMoving: Bool { kind == .roller && roller.isMoving }

    var power: Bool? { isOn }

    /// Updates the output from its list in the status.
    mutating func merge(status: JSONValue) {
        guard let list = status[kind.list]?.array, list.indices.contains(number) else { return }
        merge(list[number])
        if kind == .roller {
            meter.merge(roller: list[number])
        } else if let meters = status["meters"]?.array, meters.count == list.count {
            // A meter for several outputs belongs to none of them.
            meter.merge(firstGeneration: meters[number])
        }
    }

    /// Updates the output from its settings or its status.
    mutating func merge(_ json: JSONValue) {
        switch kind {
        case .relay: isOn = json["ison"]?.bool ?? isOn
        case .light:
            light.merge(json)
            isOn = light.isOn
        case .roller: roller.merge(json)
        }
    }

    /// Updates the output from the answer to a command.
    mutating func accepted(_ command: LightCommand, _ answer: JSONValue) {
        merge(answer)
        roller.accepted(command)
    }

    var functions: [AccessoryFunction]? { kind == .roller ? [.cover(stops: true)] : nil }
    var capabilities: LightCapabilities { kind == .light ? light.capabilities : LightCapabilities() }

    var report: LightReport {
        switch kind {
        case .relay: LightReport(on: isOn, reachable: true)
        case .light: light.report
        case .roller: roller.report
        }
    }

    /// Returns the path of a command with its parameters, such as `/relay/0?turn=on`.
    func path(for command: LightCommand) -> String {
        let parameters: [(name: String, value: String)] =
            switch kind {
            case .relay: command.on.map { [("turn", $0 ? "on" : "off")] } ?? []
            case .light: light.parameters(for: command)
            case .roller: roller.parameters(for: command)
            }
        let path = "/\(kind == .light ? light.path : kind.rawValue)/\(number)"
        guard !parameters.isEmpty else { return path }
        return path + "?" + parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }
}
