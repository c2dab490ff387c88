import BridgeControl
import DaemonKit
import DatabaseKit
import Discovery
import HAPAccessory
import SystemKit

/// What the running bridge depends on: network, clock, disk.
struct HostFacts {
    /// Where the bridge is to be seen.
    let interfaces: InterfaceSelection
    let file: DatabaseFile
    let writes: ServerDatabase.WriteCount
    private let began = (wall: WallClock.now, steady: ContinuousClock.now)

    /// The interfaces that the operator has named and that are not there yet.
    var missingInterfaces: [String] {
        guard case .named(let names) = interfaces else { return [] }
        let present = Set(InterfaceFacts.current().map(\.name))
        return names.filter { !present.contains($0) }
    }

    /// How far the clock was set since the beginning, in seconds.
    var clockStep: Int {
        let elapsed = began.steady.duration(to: .now) / .milliseconds(1)
        return Int((Double(WallClock.now - began.wall) - elapsed) / 1000)
    }

    /// Why what the bridge learns now does not last, if so.
    var storageWarning: String? {
        if let storageError = file.storageError {
            return "\(storageError); pairings and other changes cannot be stored"
        }
        return writes.failure.map { "the last change could not be stored in \(file.path): \($0)" }
    }

    var storage: BridgeDiagnostics.Storage {
        BridgeDiagnostics.Storage(
            directory: file.directory, problem: file.problem, freeBytes: Int(clamping: file.freeBytes))
    }
}
