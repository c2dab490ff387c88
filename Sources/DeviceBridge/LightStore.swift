package import AccessoryRole
package import DeviceKit
package import HAPModel

/// A light's key: the driver's id and the light's own, `<driver id>/<light id>`.
///
/// It never changes with a name.
package struct LightKey: Hashable, Sendable, CustomStringConvertible {
    package let driver: String
    package let light: LightID

    package init(driver: String, light: LightID) {
        self.driver = driver
        self.light = light
    }

    /// Reads `<driver id>/<light id>`; the light's id may hold further slashes.
    package init?(_ text: String) {
        guard let slash = text.firstIndex(of: "/"), slash != text.startIndex else { return nil }
        driver = String(text[..<slash])
        light = LightID(String(text[text.index(after: slash)...]))
        if light.rawValue.isEmpty { return nil }
    }

    package var description: String { "\(driver)/\(light)" }
}

/// A light as it was last known, under an aid that is its own for ever.
package struct StoredLight: Equatable, Sendable {
    package var key: LightKey
    /// The bridge that shows it, from 1.
    package var bridge: Int
    /// Different from that of every other light, whatever the bridge.
    package var aid: AccessoryID
    package var instanceIDs: InstanceIDs
    package var description: LightDescription
    /// The last state; `nil` if none was ever reported.
    package var state: LightReport?
    /// The transition of adaptive lighting that it follows; `nil` if it follows none.
    package var transition: [UInt8]?
    /// Its number in the order in which lights were removed; `nil` while it is there.
    package var removal: Int?

    /// The light is gone and its aid is kept for its return.
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

/// All that a bridge of lights must never forget.
package struct StoredBridge: Equatable, Sendable {
    /// The first bridge.
    package var server: StoredServer
    /// The bridges for lights beyond what the first can show, by their numbers from 2.
    package var furtherServers: [Int: StoredServer]
    /// By aid.
    package var lights: [StoredLight]
    /// The highest aid that was ever given, also to a light that is forgotten.
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
    /// All bridges by their numbers.
    package var servers: [Int: StoredServer] { furtherServers.merging([1: server]) { $1 } }
}

/// The storage of a device bridge.
///
/// Each function returns when the change is durable, survives a power cut from then on, and either has happened whole or
/// not at all.
package protocol LightStore: Sendable {
    /// Adds or replaces one light.
    func save(_ light: StoredLight) async throws

    /// Forgets lights for good; the highest aid that was ever given is kept.
    func forget(_ lights: [LightKey]) async throws

    /// Replaces what is kept of a light's adaptive lighting.
    func save(transition: [UInt8]?, of light: LightKey) async throws

    /// Replaces the last states of some lights.
    func save(states: [LightKey: LightReport]) async throws
}
