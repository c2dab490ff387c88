package import BoundedJSON

/// One light of the bridge, as `lights` lists it.
package struct LightListing: JSONConvertible {
    /// `<driver id>/<light id>`.
    package var key: String
    package var name: String
    /// `light`, `switch` or `outlet`.
    package var kind: String
    /// The accessory id that controllers know it by.
    package var aid: UInt64
    /// The driver's id.
    package var driver: String
    package var reachable: Bool
    /// Its state; what the light lacks is `nil`, and `reachable` stands beside it, not in it.
    package var state: LightChange

    package init(
        key: String, name: String, kind: String, aid: UInt64, driver: String, reachable: Bool, state: LightChange
    ) {
        self.key = key
        self.name = name
        self.kind = kind
        self.aid = aid
        self.driver = driver
        self.reachable = reachable
        self.state = state
        self.state.reachable = nil
    }

    package init(json: JSONValue) throws(BridgeControlError) {
        self.init(
            key: try json.value("key", \.string), name: try json.value("name", \.string),
            kind: try json.value("kind", \.string), aid: try json.value("aid", \.unsignedInteger),
            driver: try json.value("driver", \.string), reachable: try json.value("reachable", \.bool),
            state: try LightChange(json: json))
    }

    package var json: JSONValue {
        var object: JSONObject = [
            "key": .string(key), "name": .string(name), "kind": .string(kind),
            "aid": Int64(exactly: aid).map(JSONValue.integer) ?? .unsigned(aid),
            "driver": .string(driver), "reachable": .bool(reachable),
        ]
        for member in state.members.members { object[member.name] = member.value }
        return .object(object)
    }
}

/// Something that happened to a light, as `watch` prints it.
package struct LightEvent: JSONConvertible {
    /// RFC 3339, UTC.
    package var time: String
    /// `<driver id>/<light id>`.
    package var key: String
    /// What is different now.
    package var changes: LightChange
    /// Who changed it: a controller's pairing id, `operator`, `device`.
    package var origin: String

    package init(time: String, key: String, changes: LightChange, origin: String) {
        self.time = time
        self.key = key
        self.changes = changes
        self.origin = origin
    }

    package init(json: JSONValue) throws(BridgeControlError) {
        self.init(
            time: try json.value("time", \.string), key: try json.value("key", \.string),
            changes: try LightChange(json: json), origin: try json.value("origin", \.string))
    }

    package var json: JSONValue {
        var object: JSONObject = ["time": .string(time), "key": .string(key)]
        for member in changes.members.members { object[member.name] = member.value }
        object["origin"] = .string(origin)
        return .object(object)
    }
}
