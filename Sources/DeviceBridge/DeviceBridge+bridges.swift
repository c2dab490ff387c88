package import AccessoryRole

/// Opens the bridge with the given number: stores its identity, and advertises it soon after.
package typealias BridgeOpener = @Sendable (_ number: Int) async throws -> AccessoryServer

// The distribution of lights over bridges. HAP limits the number of accessories on a bridge (HAP 1.1), so another
// bridge is opened when all bridges are full.
extension DeviceBridge {
    func hasRoom(_ bridge: Int) -> Bool { lightCounts[bridge, default: 0] < Self.maximumLights }

    /// Returns the bridge for a light, and opens a new bridge if necessary.
    ///
    /// A light that returns gets its previous bridge if that bridge has room. A new light takes a place that is
    /// reserved for an absent light only if no other place is free.
    ///
    /// - Parameter former: The light's stored state, or `nil` if the light is new.
    /// - Returns: The bridge, or `nil` if the maximum number of bridges is open and all of them are full.
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
