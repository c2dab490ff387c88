/// A light of the bridge, as `devices` lists it.
package struct LightListing: BridgeMessage {
    /// The light's key, `<driver id>/<light id>`.
    package var key: String
    package var name: String
    /// The kind of the light, such as `light` or `fan`.
    package var kind: String
    /// The accessory ID by which controllers identify the light.
    package var aid: UInt64
    /// The number of the light's bridge, from 1, or `nil` from a daemon that supports only one bridge.
    package var bridge: Int?
    /// The driver's ID.
    package var driver: String
    package var reachable: Bool
    /// The room that the light's source suggests, if any.
    ///
    /// HAP can't transmit it to controllers.
    package var room: String?
    /// A Boolean value that indicates whether the last command is treated as the light's state, or `nil` from an older
    /// daemon.
    package var optimistic: Bool?
    /// Human-readable descriptions of the light's problems, or `nil` if it has none or the daemon is older.
    package var warnings: [String]?
    /// The values of the light, without `reachable`, which is a separate key.
    package var state: LightChange

    package init(
        key: String, name: String, kind: String, aid: UInt64, bridge: Int? = nil, driver: String, reachable: Bool,
        room: String? = nil, optimistic: Bool? = nil, warnings: [String]? = nil, state: LightChange
    ) {
        self.key = key
        self.name = name
        self.kind = kind
        self.aid = aid
        self.bridge = bridge
        self.driver = driver
        self.reachable = reachable
        self.room = room
        self.optimistic = optimistic
        self.warnings = warnings
        self.state = state
        self.state.reachable = nil
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            key: try values.decode(String.self, forKey: .key), name: try values.decode(String.self, forKey: .name),
            kind: try values.decode(String.self, forKey: .kind), aid: try values.decode(UInt64.self, forKey: .aid),
            bridge: try values.decodeIfPresent(Int.self, forKey: .bridge),
            driver: try values.decode(String.self, forKey: .driver),
            reachable: try values.decode(Bool.self, forKey: .reachable),
            room: try values.decodeIfPresent(String.self, forKey: .room),
            optimistic: try values.decodeIfPresent(Bool.self, forKey: .optimistic),
            warnings: try values.decodeIfPresent([String].self, forKey: .warnings),
            state: try values.decode(LightChange.self, forKey: .state))
    }

    package enum CodingKeys: String, CodingKey {
        case key, name, kind, aid, bridge, driver, reachable, room, optimistic, warnings
        case state = "_0"
    }
}

/// A light that the bridge has permanently removed, as `devices purge` lists it.
package struct ForgottenLight: BridgeMessage {
    /// The light's key, `<driver id>/<light id>`.
    package var key: String
    /// The light's name at its source.
    package var name: String

    package init(key: String, name: String) {
        self.key = key
        self.name = name
    }
}

/// An event of a light, as `watch` prints it.
package struct LightEvent: BridgeMessage {
    /// The time in RFC 3339 format, UTC.
    package var time: String
    /// The light's key, `<driver id>/<light id>`.
    package var key: String
    package var changes: LightChange
    /// The source of the change: `device`, `controller`, `operator` or `adaptive lighting`.
    package var origin: String

    package init(time: String, key: String, changes: LightChange, origin: String) {
        self.time = time
        self.key = key
        self.changes = changes
        self.origin = origin
    }

    package enum CodingKeys: String, CodingKey {
        case time, key
        case changes = "_0"
        case origin
    }
}
