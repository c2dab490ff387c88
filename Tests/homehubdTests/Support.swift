import DaemonKit
import FoundationEssentials
import GRDB
import Glibc
import HomeModel
import Logging

@testable import homehubd

// HAP has words of its own for these; here the home's are meant.
typealias Accessory = HomeModel.Accessory
typealias Service = HomeModel.Service
typealias Characteristic = HomeModel.Characteristic

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

struct Failure: Error { var message: String }

/// A folder of its own for one test, gone afterwards.
@discardableResult
func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.path + "/homehubd-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    guard mkdir(folder, 0o700) == 0 else { throw Failure(message: "mkdir \(folder): \(errno)") }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

/// Opens the home database of a folder, as the daemon does.
func openDatabase(in folder: String) throws -> DatabaseFile {
    try DatabaseFile(
        path: folder + "/home.sqlite", migrator: HomeSchema.migrator, applicationID: HomeSchema.applicationID,
        logger: silent)
}

/// A home database without a file.
func makeQueue() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = true
    let queue = try DatabaseQueue(configuration: configuration)
    try HomeSchema.migrator.migrate(queue)
    return queue
}
