package import AccessoryRole
package import DeviceKit
package import HAPModel

/// The key of a light, `<driver id>/<light id>`, which doesn't depend on the light's name.
package struct LightKey: Hashable, Sendable, CustomStringConvertible {
    package let driver: String
    package let light: LightID

    package init(driver: String, light: LightID) {
        self.driver = driver
        self.light = light
    }

    /// Parses `<driver id>/<light id>`; the light's id may contain more slashes.
    package init?(_ text: String) {
        guard let slash = text.firstIndex(of: "/"), slash != text.startIndex else { return nil }
        driver = String(text[..<slash])
        light = LightID(String(text[text.index(after: slash)...]))
        if light.rawValue.isEmpty { return nil }
    }

    package var description: String { "\(driver)/\(light)" }
}

/// The last known state of a light, with its permanent aid.
package struct StoredLight: Equatable, Sendable {
    package var key: LightKey
    /// The number of the light's bridge, from 1.
    package var bridge: Int
    /// The aid, which is unique across all bridges.
    package var aid: AccessoryID
    package var instanceIDs: InstanceIDs
    package var description: LightDescription
    /// The last state, or `nil` if no state was ever reported.
    package var state: LightReport?
    /// The active adaptive lighting transition, if any.
    package var transition: [UInt8]?
    /// The light's number in the order of removals, or `nil` if its source hasn't removed it.
    package var removal: Int?

    /// A Boolean value that indicates whether the light's source has removed it.
    ///
    /// Its aid stays reserved.
    package var isRemoved: Bool { removal != nil }

    package init(
        key: LightKey, bridge: Int = 1, aid: AccessoryID, instanceIDs: InstanceIDs, description: LightDescription,
        state: LightReport? = nil, transition: [UInt8]? = nil, removal: Int? = nil
    ) {
        self.key = key
        self.bridge = bridge
        self.aid = aid
        self.instanceIDs = instanceIDs
        self.description = description
        self.state = state
        self.transition = transition
        self.removal = removal
    }
}

/// The persistent state of a device bridge.
package struct StoredBridge: Equatable, Sendable {
    /// The first bridge.
    package var server: StoredServer
    /// The additional bridges, by number from 2.
    package var furtherServers: [Int: StoredServer]
    /// The lights, sorted by aid.
    package var lights: [StoredLight]
    /// The highest aid ever assigned, including the aids of forgotten lights.
    package var highestAID: AccessoryID

    package init(
        server: StoredServer, furtherServers: [Int: StoredServer] = [:], lights: [StoredLight] = [],
        highestAID: AccessoryID = .bridge
    ) {
        self.server = server
        self.furtherServers = furtherServers
        self.lights = lights
        self.highestAID = highestAID
    }
}

extension StoredBridge {
    /// All bridges, by number.
    package var servers: [Int: StoredServer] { furtherServers.merging([1: server]) { $1 } }
}

/// The storage of a device bridge.
///
/// Changes are atomic. Each function returns when the change is durable, which means that it survives a power failure.
package protocol LightStore: Sendable {
    /// Adds or replaces a light.
    func save(_ light: StoredLight) async throws

    /// Permanently removes lights; the highest assigned aid is kept.
    func forget(_ lights: [LightKey]) async throws

    /// Replaces a light's adaptive lighting transition.
    func save(transition: [UInt8]?, of light: LightKey) async throws

    /// Replaces the last states of some lights.
    func save(states: [LightKey: LightReport]) async throws
}
