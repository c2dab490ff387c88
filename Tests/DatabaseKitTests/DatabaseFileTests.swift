import FoundationEssentials
import GRDB
import Glibc
import Logging
import SystemKit
import TestTimeouts
import Testing

@testable import DatabaseKit

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

// Serialized, because a process that one test starts briefly shares the locks of other tests.
@Suite("DatabaseFile", .serialized, .timeout)
final class DatabaseFileTests {
    private let folder = "/tmp/database-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    private var path: String { folder + "/state/b.sqlite" }

    init() throws { try #require(mkdir(folder, 0o755) == 0) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.create(table: "pairing") { $0.primaryKey("id", .text) }
        }
        return migrator
    }

    private func open(_ path: String, migrator: DatabaseMigrator? = nil) throws(DatabaseFileError) -> DatabaseFile {
        try DatabaseFile(
            path: path, migrator: migrator ?? self.migrator, applicationID: 7,
            logger: silent)
    }

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    private func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o600) throws {
        let file = Glibc.open(path, O_CREAT | O_WRONLY | O_TRUNC, mode)
        try #require(file >= 0)
        defer { close(file) }
        try #require(fchmod(file, mode) == 0)
        try #require(Glibc.write(file, bytes, bytes.count) == bytes.count)
    }

    /// Creates the files of a database whose whole content is in the write-ahead log.
    private func makeKilledOne(at path: String) throws -> [(suffix: String, bytes: [UInt8])] {
        let database = try open(path)
        try database.queue.write { try $0.execute(sql: "INSERT INTO pairing VALUES ('former')") }
        let files = try ["", "-wal"].map { ($0, try read(path + $0)) }
        try database.close()
        return files
    }

    /// Creates a database of several pages.
    private func makeLargeOne(at path: String) throws {
        let database = try open(path)
        try database.queue.write { connection in
            for number in 0..<200 {
                let id = "\(number) " + String(repeating: "x", count: 100)
                try connection.execute(sql: "INSERT INTO pairing VALUES (?)", arguments: [id])
            }
        }
        try database.close()
    }

    private func damageLastPage(of path: String) throws {
        let file = Glibc.open(path, O_WRONLY)
        try #require(file >= 0)
        defer { close(file) }
        let page = [UInt8](repeating: 0xAA, count: 4096)
        try #require(pwrite(file, page, page.count, lseek(file, 0, SEEK_END) - page.count) == page.count)
    }

    private func makeOne(at path: String) throws {
        let database = try open(path)
        try database.queue.write { try $0.execute(sql: "INSERT INTO pairing VALUES ('a')") }
        try database.close()
    }

    @Test("creates a folder and a file that only their owner can access, and keeps the content")
    func roundTrip() throws {
        try makeOne(at: path)
        #expect(mode(path) == 0o600)
        #expect(mode(path + ".lock") == 0o600)
        #expect(mode(folder + "/state") == 0o700)
        let database = try open(path)
        let found = try database.queue.read { connection in
            try ["SELECT id FROM pairing", "PRAGMA synchronous", "PRAGMA journal_mode", "PRAGMA foreign_keys"].map {
                try String.fetchAll(connection, sql: $0)
            }
        }
        #expect(found == [["a"], ["2"], ["wal"], ["1"]])
        #expect(mode(path + "-wal") == 0o600)
        try database.close()
    }

    @Test("restricts a file that others can read", arguments: [0o644, 0o640, 0o620, 0o604, 0o666] as [mode_t])
    func tightened(mode given: mode_t) throws {
        try makeOne(at: path)
        try #require(chmod(path, given) == 0)
        try open(path).close()
        #expect(mode(path) == 0o600)
    }

    @Test("restricts a log that others can read")
    func tightenedLog() throws {
        for (suffix, bytes) in try makeKilledOne(at: path) { try write(bytes, to: path + suffix, mode: 0o644) }
        let database = try open(path)
        for suffix in ["", "-wal", "-shm"] { #expect(mode(path + suffix) == 0o600, "\(suffix)") }
        try database.close()
    }

    @Test("erases deleted data from the file")
    func deleted() throws {
        let secret = "a key that was removed with its pairing"
        let database = try open(path)
        try database.queue.write {
            try $0.execute(sql: "INSERT INTO pairing VALUES ('a'), (?)", arguments: [secret])
        }
        try database.queue.write { try $0.execute(sql: "DELETE FROM pairing WHERE id = ?", arguments: [secret]) }
        try database.close()
        #expect(try read(path).firstRange(of: Array("removed with its pairing".utf8)) == nil)
    }

    @Test("detects damage on an unused page, even while the file is in use")
    func hiddenDamage() throws {
        try makeLargeOne(at: path)
        do {
            let database = try open(path)
            #expect(database.problem == nil)
            try database.close()
        }
        do {
            let inUse = try open(path)
            try damageLastPage(of: path)
            #expect(inUse.problem?.hasPrefix("\(path) is damaged: ") == true)
            try inUse.close()
        }
        let damaged = try read(path)
        let error = try #require(throws: DatabaseFileError.self) { try open(path) }
        #expect(error.exitCode == .badData)
        #expect(error.description.contains("is damaged"))
        #expect(try read(path) == damaged)
    }

    @Test("rejects a broken link")
    func linkToNowhere() throws {
        try makeOne(at: path)
        try #require(unlink(path) == 0)
        try #require(symlink(path + ".elsewhere", path) == 0)
        #expect(throws: DatabaseFileError.damaged(path: path, reason: "it is a broken link")) { try open(path) }
        #expect(mode(path + ".elsewhere") == nil)
    }

    @Test("detects another user's database before the start", .enabled(if: geteuid() == 0, "only root can create one"))
    func foreignOwner() throws {
        try makeOne(at: path)
        let folder = folder + "/state"
        try #require(chown(folder, 65534, 65534) == 0)
        defer { chown(folder, 0, 0) }
        #expect(throws: DatabaseFileError.noPermission(path: path)) {
            try DatabaseFile.inspect(path, migrator: migrator, applicationID: 7)
        }
    }

    @Test(
        "reports a database created by root as a missing permission",
        .enabled(if: geteuid() == 0, "only root can create one"),
        arguments: ["b.sqlite", "b.sqlite-wal", "b.sqlite.lock"])
    func ownedByRoot(name: String) async throws {
        try makeOne(at: path)
        let folder = folder + "/state"
        for file in [folder, path, path + ".lock"] { chown(file, 65534, 65534) }
        let file = folder + "/" + name
        let descriptor = Glibc.open(file, O_RDWR | O_CREAT, 0o600)
        try #require(descriptor >= 0)
        close(descriptor)
        try #require(chown(file, 0, 0) == 0 && chmod(file, 0o600) == 0)
        // Root may use any file, so this part runs as the daemon's user, in another process.
        await #expect(processExitsWith: .success) { [path = self.path as String, file = file as String] in
            try #require(setuid(65534) == 0)
            let error = try #require(throws: DatabaseFileError.self) {
                try DatabaseFile(
                    path: path, migrator: DatabaseMigrator(), applicationID: 7,
                    logger: silent)
            }
            #expect(error == .noPermission(path: file))
        }
    }

    @Test("distinguishes a full disk and a missing permission from damage")
    func causes() {
        func cause(_ code: ResultCode) -> DatabaseFileError {
            DatabaseFileError(DatabaseError(resultCode: code, message: "m"), path: "p")
        }
        #expect(cause(.SQLITE_FULL) == .diskFull(directory: "."))
        for code in [ResultCode.SQLITE_IOERR, .SQLITE_CANTOPEN] {
            #expect(cause(code) == .inputOutput(path: "p", reason: "m (\(code.rawValue))"))
        }
        #expect(cause(.SQLITE_READONLY) == .noPermission(path: "p"))
        #expect(cause(.SQLITE_BUSY) == .inUse(lock: "p", pid: nil))
        #expect(cause(.SQLITE_CORRUPT) == .damaged(path: "p", reason: "m (11)"))
    }

    @Test("rejects a second owner, naming the first, until the file is closed")
    func exclusive() throws {
        do {
            let first = try open(path)
            let error = try #require(throws: DatabaseFileError.self) { try open(path) }
            #expect(error == .inUse(lock: path + ".lock", pid: getpid()))
            #expect(error.exitCode == .unavailable)
            #expect(
                error.description
                    == "\(path).lock is held by process \(getpid()); stop that process, or use another directory")
            try first.close()
        }
        try open(path).close()
    }

    @Test("rejects a damaged file with exit code 65, and keeps it unchanged")
    func damaged() throws {
        try makeOne(at: path)
        let good = try read(path)
        var overwritten = good
        overwritten.replaceSubrange(
            4096..<min(good.count, 12288), with: repeatElement(0xAA, count: min(good.count, 12288) - 4096))
        let bad: [[UInt8]] = [
            [], Array("hello\n".utf8), Array(repeating: 0, count: 8192), Array(good.prefix(good.count / 2)),
            overwritten,
        ]
        for (index, bytes) in bad.enumerated() {
            try write(bytes, to: path)
            let error = try #require(throws: DatabaseFileError.self) { try open(path) }
            #expect(error.exitCode == .badData)
            #expect(error.description.contains("lamplighter restore"))
            #expect(try read(path) == bytes, "case \(index)")
        }
        try write(good, to: path)
        try open(path).close()
    }

    @Test("refuses to create a database while its backup exists")
    func missing() throws {
        try makeOne(at: path)
        try write(try read(path), to: path + ".backup")
        try #require(unlink(path) == 0)
        #expect(
            throws: DatabaseFileError.damaged(path: path, reason: "it is missing, but \(path).backup exists")
        ) { try open(path) }
        #expect(mode(path) == nil)
    }

    @Test("finds the same problems by inspection as by opening, and changes nothing")
    func inspection() throws {
        func inspect(_ path: String) throws(DatabaseFileError) {
            try DatabaseFile.inspect(path, migrator: migrator, applicationID: 7)
        }
        try inspect(path)
        #expect(mode(folder + "/state") == nil)

        try makeOne(at: path)
        let good = try read(path)
        try inspect(path)
        #expect(try read(path) == good)
        try write(Array(good.prefix(good.count / 2)), to: path)
        #expect(try #require(throws: DatabaseFileError.self) { try inspect(path) }.exitCode == .badData)
        try write(good, to: path)
        #expect(
            throws: DatabaseFileError.foreign(path: path, reason: "is a database of another program")
        ) { try DatabaseFile.inspect(path, migrator: migrator, applicationID: 8) }

        let database = try open(path)
        #expect(throws: DatabaseFileError.inUse(lock: path + ".lock", pid: getpid())) { try inspect(path) }
        try database.close()
    }

    @Test("detects a removed file while it is in use")
    func health() throws {
        let database = try open(path)
        #expect(database.problem == nil)
        #expect(database.freeBytes > 0)
        unlink(path)
        #expect(database.problem?.contains("b.sqlite is missing") == true)
        try database.close()
    }

    @Test("rejects a database of a newer version or another program with exit code 65")
    func foreign() throws {
        var newer = migrator
        newer.registerMigration("2") { try $0.execute(sql: "ALTER TABLE pairing ADD COLUMN x") }
        try open(path, migrator: newer).close()
        let error = try #require(throws: DatabaseFileError.self) { try open(path) }
        #expect(error == .foreign(path: path, reason: "was written by a newer version"))
        #expect(error.exitCode == .badData)
        #expect(throws: DatabaseFileError.foreign(path: path, reason: "is a database of another program")) {
            try DatabaseFile(
                path: path, migrator: migrator, applicationID: 8,
                logger: silent)
        }
    }

    @Test("migrates an older database with its content")
    func migrated() throws {
        try makeOne(at: path)
        var newer = migrator
        newer.registerMigration("2") { try $0.execute(sql: "ALTER TABLE pairing ADD COLUMN x DEFAULT 5") }
        let database = try open(path, migrator: newer)
        let rows = try database.queue.read {
            try Row.fetchAll($0, sql: "SELECT id, x FROM pairing").map {
                [$0["id"] as String, "\($0["x"] as Int)"]
            }
        }
        #expect(rows == [["a", "5"]])
        try database.close()
    }

    @Test("repeats an unfinished creation")
    func unfinished() throws {
        try open(path).close()
        try #require(unlink(path) == 0)
        try write(Array("half".utf8), to: path + ".new")
        try makeOne(at: path)
        #expect(mode(path + ".new") == nil)
    }

    @Test("finishes an interrupted replacement when the database is opened", arguments: 0...3)
    func replacement(interruptedAfter step: Int) throws {
        try makeOne(at: path + ".restored")
        for (suffix, bytes) in try makeKilledOne(at: path) { try write(bytes, to: path + suffix) }
        try #require(Glibc.rename(path + ".restored", path + ".successor") == 0)
        for suffix in ["-wal", "", ".successor"].prefix(step) {
            let target = suffix == ".successor" ? path : path + ".replaced" + suffix
            try #require(Glibc.rename(path + suffix, target) == 0)
        }
        try DatabaseFile.inspect(path, migrator: migrator, applicationID: 7)
        let database = try open(path)
        #expect(try database.queue.read { try String.fetchAll($0, sql: "SELECT id FROM pairing") } == ["a"])
        try database.close()
        #expect(mode(path + ".successor") == nil)
        let kept = try open(path + ".replaced")
        #expect(try kept.queue.read { try String.fetchAll($0, sql: "SELECT id FROM pairing") } == ["former"])
        try kept.close()
    }

    @Test("refuses to create a database while the replaced one exists")
    func missingBesideReplaced() throws {
        try makeOne(at: path)
        try #require(Glibc.rename(path, path + ".replaced") == 0)
        let error = try #require(throws: DatabaseFileError.self) { try open(path) }
        #expect(error.exitCode == .badData)
    }

    @Test("replaces the previous copy with a complete one that only its owner can read")
    func copied() throws {
        let database = try open(path)
        try database.queue.write { try $0.execute(sql: "INSERT INTO pairing VALUES ('a')") }
        try write(Array("former".utf8), to: path + ".backup", mode: 0o644)
        try database.copy(to: path + ".backup")
        #expect(mode(path + ".backup") == 0o600)
        #expect(mode(path + ".backup.new") == nil)
        try database.close()
        let copy = try open(path + ".backup")
        #expect(try copy.queue.read { try String.fetchAll($0, sql: "SELECT id FROM pairing") } == ["a"])
        try copy.close()
    }

    @Test("keeps the previous copy if a new one fails")
    func unfinishedCopy() throws {
        try makeLargeOne(at: path)
        let database = try open(path)
        try damageLastPage(of: path)
        try write(Array("former".utf8), to: path + ".backup")
        #expect(throws: DatabaseFileError.self) { try database.copy(to: path + ".backup") }
        #expect(try read(path + ".backup") == Array("former".utf8))
        #expect(mode(path + ".backup.new") == nil)
        try database.close()
    }

    @Test("checks and migrates an adopted database")
    func adopted() async throws {
        try makeLargeOne(at: path)
        var newer = migrator
        newer.registerMigration("2") { try $0.execute(sql: "ALTER TABLE pairing ADD COLUMN x DEFAULT 5") }
        let found = try await DatabaseFile.adopt(path, migrator: newer, applicationID: 7) { queue in
            try await queue.read { try Int.fetchOne($0, sql: "SELECT SUM(x) FROM pairing") }
        }
        #expect(found == 1000)
        await #expect(throws: DatabaseFileError.foreign(path: path, reason: "is a database of another program")) {
            try await DatabaseFile.adopt(path, migrator: newer, applicationID: 8) { _ in }
        }
        await #expect(throws: DatabaseFileError.foreign(path: path, reason: "was written by a newer version")) {
            try await DatabaseFile.adopt(path, migrator: migrator, applicationID: 7) { _ in }
        }
        try damageLastPage(of: path)
        await #expect(throws: DatabaseFileError.self) {
            try await DatabaseFile.adopt(path, migrator: newer, applicationID: 7) { _ in }
        }
    }

    @Test("keeps only the last replaced database")
    func replacedTwice() throws {
        try makeOne(at: path)
        for suffix in ["", "-wal", "-shm", "-journal"] { try write([1], to: path + ".replaced" + suffix) }
        try makeOne(at: path + ".restored")
        try DatabaseFile.replace(path, by: path + ".restored")
        for suffix in ["-wal", "-shm", "-journal"] { #expect(mode(path + ".replaced" + suffix) == nil) }
        #expect(try read(path + ".replaced").count > 1)
        try open(path).close()
    }

    @Test("changes nothing if the replacement is missing")
    func replacedByNothing() throws {
        try makeOne(at: path)
        try write([1], to: path + ".replaced")
        let before = try read(path)
        #expect(throws: DatabaseFileError.self) { try DatabaseFile.replace(path, by: path + ".restored") }
        #expect(try read(path) == before)
        #expect(try read(path + ".replaced") == [1])
    }

    @Test("names a folder that can't be created")
    func noFolder() throws {
        let error = try #require(throws: DatabaseFileError.self) { try open("/dev/null/x/b.sqlite") }
        #expect(error == .cannotCreate(path: "/dev/null/x", reason: "Not a directory"))
        #expect(error.exitCode == .cannotCreate)
    }

    @Test("rejects a folder that another user owns with exit code 77")
    func noPermission() async {
        // Root has all permissions, so this part runs as user 65534, in another process.
        await #expect(processExitsWith: .success) {
            if geteuid() == 0 { try #require(setuid(65534) == 0) }
            let error = try #require(throws: DatabaseFileError.self) {
                try DatabaseFile(
                    path: "/root/x/b.sqlite", migrator: DatabaseMigrator(), applicationID: 7,
                    logger: silent)
            }
            #expect(error.exitCode == .noPermission)
        }
    }

    private func read(_ path: String) throws -> [UInt8] {
        let file = Glibc.open(path, O_RDONLY)
        try #require(file >= 0)
        defer { close(file) }
        var status = stat()
        try #require(fstat(file, &status) == 0)
        return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            count = max(0, Glibc.read(file, buffer.baseAddress, buffer.count))
        }
    }
}
