package import AccessoryRole

/// Opens a bridge of this number: makes its identity durable and lets controllers find it a little later.
package typealias BridgeOpener = @Sendable (_ number: Int) async throws -> AccessoryServer

// Which bridge shows a light. HAP limits a bridge's places (HAP 1.1); when all are full a further bridge is opened.
extension DeviceBridge {
    func hasRoom(_ bridge: Int) -> Bool { lightCounts[bridge, default: 0] < Self.maximumLights }

    /// Finds the bridge that is to show a light, and opens one if need be.
    ///
    /// A light that comes back gets the bridge that it had. A new one takes a place that is kept for another light only if
    /// there is no other.
    ///
    /// - Parameter former: the light as it was known before.
    /// - Returns: the bridge; `nil` if there are as many as there can be, and all are full.
    /// - Throws: what the opener throws.
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
