package import BoundedJSON

/// What reading the configuration again has changed.
package struct ReloadListing: JSONConvertible {
    /// Drivers by their ids.
    package struct Drivers: JSONConvertible, CustomStringConvertible {
        package var added: [String]
        package var changed: [String]
        package var removed: [String]

        package init(added: [String] = [], changed: [String] = [], removed: [String] = []) {
            self.added = added
            self.changed = changed
            self.removed = removed
        }

        package init(json: JSONValue) throws(BridgeControlError) {
            self.init(
                added: try json.value("added", \.strings), changed: try json.value("changed", \.strings),
                removed: try json.value("removed", \.strings))
        }

        package var json: JSONValue {
            ["added": .strings(added), "changed": .strings(changed), "removed": .strings(removed)]
        }

        package var description: String {
            let parts = [("added", added), ("changed", changed), ("removed", removed)].filter { !$0.1.isEmpty }
            guard !parts.isEmpty else { return "unchanged" }
            return parts.map { "\($0.0) \($0.1.joined(separator: ", "))" }.joined(separator: "; ")
        }
    }

    package var drivers: Drivers
    /// The keys of the lights of which the configuration says something else than before.
    package var lights: [String]
    /// The keys of the configuration that take effect only when the daemon is restarted.
    package var needsRestart: [String]

    package init(drivers: Drivers = Drivers(), lights: [String] = [], needsRestart: [String] = []) {
        self.drivers = drivers
        self.lights = lights
        self.needsRestart = needsRestart
    }

    package init(json: JSONValue) throws(BridgeControlError) {
        self.init(
            drivers: try Drivers(json: json.value("drivers") { $0 }), lights: try json.value("lights", \.strings),
            needsRestart: try json.value("needsRestart", \.strings))
    }

    package var json: JSONValue {
        ["drivers": drivers.json, "lights": .strings(lights), "needsRestart": .strings(needsRestart)]
    }
}

/// What a restored backup has brought back.
package struct RestoreListing: JSONConvertible {
    package var deviceID: String
    package var pairings: Int
    package var lights: Int

    package init(deviceID: String, pairings: Int, lights: Int) {
        self.deviceID = deviceID
        self.pairings = pairings
        self.lights = lights
    }

    package init(json: JSONValue) throws(BridgeControlError) {
        self.init(
            deviceID: try json.value("deviceId", \.string), pairings: try json.value("pairings", \.int),
            lights: try json.value("lights", \.int))
    }

    /// For people.
    package var sentence: String {
        "The bridge is \(deviceID) now, with \(pairings) \(pairings == 1 ? "pairing" : "pairings") and \(lights) "
            + "\(lights == 1 ? "light" : "lights")."
    }

    package var json: JSONValue {
        ["deviceId": .string(deviceID), "pairings": .integer(pairings), "lights": .integer(lights)]
    }
}

extension JSONValue {
    var strings: [String]? {
        guard let elements = array else { return nil }
        let strings = elements.compactMap(\.string)
        return strings.count == elements.count ? strings : nil
    }

    static func strings(_ values: [String]) -> JSONValue { .array(values.map(JSONValue.string)) }
}
