import DaemonKit
import DatabaseKit
import FoundationEssentials
import Glibc
import Logging

@testable import lamplighterd

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// A state directory for one test, which is deleted when this object is deallocated.
final class StateFolder: Sendable {
    let path = "/tmp/bridge-\(getpid())-\(UInt32.random(in: 0 ... .max))"

    var places: BridgeDaemon.Places {
        BridgeDaemon.Places(
            configuration: path + "/lamplighter.yaml", stateDirectory: path + "/state", runtimeDirectory: path + "/run")
    }

    /// The names of the files in the state directory.
    var files: Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: places.stateDirectory)) ?? [])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func open() throws -> DatabaseFile {
        try DatabaseFile(
            path: places.database, migrator: BridgeDatabase.migrator, applicationID: BridgeDaemon.applicationID,
            logger: silent)
    }

    /// Writes the configuration file.
    func configure(_ text: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: places.configuration))
    }
}
