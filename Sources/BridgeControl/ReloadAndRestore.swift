internal import TerminalKit

/// The effects of a reloaded configuration.
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
    /// The keys of the lights whose configuration has changed.
    package var lights: [String]
    /// The configuration keys that take effect only after a restart.
    package var needsRestart: [String]
    /// The files of secrets that an undo keeps, because they were edited since the change.
    package var keptFiles: [String]?

    package init(drivers: Drivers = Drivers(), lights: [String] = [], needsRestart: [String] = []) {
        self.drivers = drivers
        self.lights = lights
        self.needsRestart = needsRestart
    }
}

/// The contents of a restored backup.
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
        "The bridge is now \(deviceID), with \(pairings.of("pairing")) and \(lights.of("device"))."
    }

    package enum CodingKeys: String, CodingKey {
        case deviceID = "deviceId"
        case pairings, lights
    }
}

/// The result of a backup, sent after the backup's bytes.
struct BackupListing: BridgeMessage {
    /// The size in bytes.
    package var size: Int

    package init(size: Int) { self.size = size }
}
