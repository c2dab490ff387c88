import BridgeControl
import DaemonKit
import DatabaseKit
import Discovery
import HAPAccessory
import SystemKit

/// Facts about the host of the running bridge: its network, clock and disk.
struct HostFacts {
    /// The interfaces on which the bridge is advertised.
    let interfaces: InterfaceSelection
    let file: DatabaseFile
    let writes: ServerDatabase.WriteCount
    private let clock = ClockStep()

    /// The configured interfaces that don't exist yet.
    var missingInterfaces: [String] {
        guard case .named(let names) = interfaces else { return [] }
        let present = Set(InterfaceFacts.current().map(\.name))
        return names.filter { !present.contains($0) }
    }

    /// The number of seconds by which the wall clock was changed since the bridge started; negative if it was set back.
    var clockStep: Int { clock.seconds }

    /// The reason why new state can't be stored, if any.
    var storageWarning: String? {
        if let storageError = file.storageError {
            return "\(storageError); pairings and other changes can't be stored"
        }
        return writes.failure.map { "the last change couldn't be stored in \(file.path): \($0)" }
    }

    var storage: StorageReport {
        StorageReport(
            directory: file.directory, problem: file.problem, freeBytes: Int(clamping: file.freeBytes))
    }
}
