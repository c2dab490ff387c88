package import AccessoryRole

/// Opens the bridge with this number: stores its identity and starts advertising it a little later.
package typealias BridgeOpener = @Sendable (_ number: Int) async throws -> AccessoryServer

// The bridge of each light. HAP limits the accessories of a bridge (HAP 1.1). When all are full, another bridge is
// opened.
extension DeviceBridge {
    func hasRoom(_ bridge: Int) -> Bool { lightCounts[bridge, default: 0] < Self.maximumLights }

    /// Returns the bridge for a light, and opens a new one if necessary.
    ///
    /// A light that returns gets its former bridge. A new light takes a place reserved for another light only if there
    /// is no other.
    ///
    /// - Parameter former: The light's stored state.
    /// - Returns: The bridge, or `nil` if the maximum number of bridges is open and all are full.
    /// - Throws: The opener's error.
    func bridgeWithRoom(for former: StoredLight?) async throws -> (number: Int, server: AccessoryServer)? {
        let kept = absent.values.reduce(into: [:]) { $0[$1.bridge, default: 0] += 1 }
        let withRoom = servers.keys.sorted().filter(hasRoom)
        let choice =
            withRoom.first { $0 == former?.bridge }
            ?? withRoom.first { lightCounts[$0, default: 0] + kept[$0, default: 0] < Self.maximumLights }
            ?? withRoom.first
        if let choice, let server = servers[choice] { return (choice, server) }
        guard let open, let number = (1...Self.maximumBridges).first(where: { servers[$0] == nil }) else { return nil }
        let server = try await open(number)
        servers[number] = server
        return (number, server)
    }
}
