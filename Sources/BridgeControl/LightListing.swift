/// One light of the bridge, as `lights` lists it.
package struct LightListing: BridgeMessage {
    /// `<driver id>/<light id>`.
    package var key: String
    package var name: String
    /// Its kind: `light`, `fan` and so on.
    package var kind: String
    /// The accessory id that controllers know it by.
    package var aid: UInt64
    /// The bridge that shows it, from 1; `nil` if the daemon is older than further bridges.
    package var bridge: Int?
    /// The driver's id.
    package var driver: String
    package var reachable: Bool
    /// The room that its source suggests, if any; HAP has no field for it.
    package var room: String?
    /// Whether its last command counts as its state; `nil` from an older daemon.
    package var optimistic: Bool?
    /// What needs attention, for people; `nil` if nothing does, or the daemon is older than that.
    package var warnings: [String]?
    /// Its state, without `reachable`, which is separate.
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

/// A light that the bridge has forgotten, as `lights purge` lists it.
package struct ForgottenLight: BridgeMessage {
    /// `<driver id>/<light id>`.
    package var key: String
    /// Its name at the source.
    package var name: String

    package init(key: String, name: String) {
        self.key = key
        self.name = name
    }
}

/// Something that happened to a light, as `watch` prints it.
package struct LightEvent: BridgeMessage {
    /// RFC 3339, UTC.
    package var time: String
    /// `<driver id>/<light id>`.
    package var key: String
    package var changes: LightChange
    /// Who changed it: a controller's pairing id, `operator`, `device`.
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
