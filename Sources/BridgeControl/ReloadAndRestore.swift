internal import TerminalKit

/// What reading the configuration again has changed.
package struct ReloadListing: BridgeMessage {
    package struct Drivers: BridgeMessage, CustomStringConvertible {
        package var added: [String]
        package var changed: [String]
        package var removed: [String]

        package init(added: [String] = [], changed: [String] = [], removed: [String] = []) {
            self.added = added
            self.changed = changed
            self.removed = removed
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
}

/// What a restored backup has brought back.
package struct RestoreListing: BridgeMessage {
    package var deviceID: String
    package var pairings: Int
    package var lights: Int

    package init(deviceID: String, pairings: Int, lights: Int) {
        self.deviceID = deviceID
        self.pairings = pairings
        self.lights = lights
    }

    package var sentence: String {
        "The bridge is \(deviceID) now, with \(pairings.of("pairing")) and \(lights.of("light"))."
    }

    package enum CodingKeys: String, CodingKey {
        case deviceID = "deviceId"
        case pairings, lights
    }
}

/// What a backup that was sent holds.
struct BackupListing: BridgeMessage {
    /// Bytes.
    package var size: Int

    package init(size: Int) { self.size = size }
}
