import BoundedJSON
import BridgeControl
import Glibc
import HAPModel
import SodiumKit
import SystemKit
import TerminalKit
import YAMLKit

/// The configuration file, the copy of its previous text, and the record of the last change.
///
/// A change that fails or is interrupted leaves either the old text, and the change before can still be undone, or the
/// new text, and the change itself can be undone.
struct ConfigurationStore {
    /// A change, which can be undone while the file has the text that it wrote.
    struct Record: Codable {
        /// The change in a few words.
        var change: String
        var file: String
        /// The hashes of the text before and after the change.
        var previous, written: String
        /// The files that were created for secrets.
        var secrets: [String]
        /// The states of these files after the change, by which a later edit is noticed.
        var states: [String]?
        /// Whether the web page made the change.
        var isByPage: Bool?
        /// The change before, until this one is complete.
        var before: [Record]?
    }

    private let name: String
    private let stateDirectory: String

    init(path: String, stateDirectory: String) {
        name = path
        self.stateDirectory = stateDirectory
    }

    /// The path of the file, without symbolic links, so that replacing it keeps them.
    var path: String {
        guard let resolved = realpath(name, nil) else { return name }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    var directory: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }
    /// The copy of the text before the last change.
    var previousPath: String { path + ".previous" }
    /// The copy while a change is made, so that a change that fails doesn't replace the copy.
    private var nextPreviousPath: String { previousPath + ".new" }
    private var recordPath: String { stateDirectory + "/configuration-change.json" }

    func read() throws -> [UInt8] { try StrictYAML.read(path) }

    static func hash(_ bytes: [UInt8]) -> String { Hex.encode(SHA256.hash(bytes)) }

    /// The last change, or `nil` if there is none, or the file has changed since then.
    var record: Record? { last?.record }

    /// The last change and the text before it.
    private var last: (record: Record, previous: [UInt8])? {
        guard let bytes = try? StrictYAML.read(recordPath), let json = try? JSONValue(parsing: bytes),
            let newest = try? json.decoded(as: Record.self), let current = try? read()
        else { return nil }
        let written = Self.hash(current)
        for record in [newest] + (newest.before ?? []) where record.file == path && record.written == written {
            for copy in [previousPath, nextPreviousPath] {
                guard let previous = try? StrictYAML.read(copy), Self.hash(previous) == record.previous else {
                    continue
                }
                return (record, previous)
            }
        }
        return nil
    }

    /// Replaces the text, and keeps the old text as a copy.
    ///
    /// - Parameters:
    ///   - old: The text that the file must have.
    ///   - new: The new text.
    ///   - secrets: Files to create, readable only by the daemon's user.
    ///   - change: The change in a few words.
    ///   - isByPage: Whether the web page makes the change.
    /// - Throws: ``BridgeControlError``. The file is then unchanged.
    func replace(
        _ old: [UInt8], with new: [UInt8], secrets: [ConfigurationPlan.Secret], change: String, isByPage: Bool
    ) throws {
        if let former = self.record, (try? StrictYAML.read(previousPath)).map(Self.hash) != former.previous {
            // The change before was interrupted after it had written the file.
            rename(nextPreviousPath, previousPath)
        }
        var record = Record(
            change: change, file: path, previous: Self.hash(old), written: Self.hash(new),
            secrets: secrets.map(\.path), isByPage: isByPage, before: self.record.map { [$0] })
        record.before?[0].before = nil
        var created: [String] = []
        do {
            for secret in secrets {
                try create(secret)
                created.append(secret.path)
            }
            record.states = created.map(Self.state(of:))
            try write(old, to: nextPreviousPath, like: path)
            // Without a record, the change can't be undone, but it can be made.
            try? OutputFile.write(JSONValue(encoding: record).encoded, to: recordPath)
            try write(new, to: path, like: path, replacing: old)
        } catch {
            for path in created + [nextPreviousPath] { unlink(path) }
            throw error
        }
        rename(nextPreviousPath, previousPath)
        record.before = nil
        try? OutputFile.write(JSONValue(encoding: record).encoded, to: recordPath)
    }

    /// Restores the text before the last change, and removes the files for its secrets.
    ///
    /// - Returns: The files that aren't removed, because they were edited since the change.
    /// - Throws: ``BridgeControlError`` if there is no such change or the file can't be written. It is then unchanged.
    func undo() throws -> [String] {
        guard let (record, previous) = last else {
            throw BridgeControlError.unavailable(
                "there is no change to undo: \(path) wasn't changed by lamplighterd, or was changed again",
                remedy: "edit it, and see \(previousPath) for the previous text")
        }
        try write(previous, to: path, like: path, replacing: read())
        unlink(recordPath)
        var kept: [String] = []
        for (index, secret) in record.secrets.enumerated() where access(secret, F_OK) == 0 {
            // A record of an earlier version has no states, so nobody knows whether the file was edited.
            if record.states.map({ index < $0.count && $0[index] == Self.state(of: secret) }) == true {
                unlink(secret)
            } else {
                kept.append(secret)
            }
        }
        return kept
    }

    /// Returns a text that differs after each edit of a file.
    private static func state(of path: String) -> String {
        var status = stat()
        guard lstat(path, &status) == 0 else { return "" }
        return "\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }

    // MARK: Files

    private func create(_ secret: ConfigurationPlan.Secret) throws {
        let file = open(secret.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(secret.path, .last) }
        defer { close(file) }
        do throws(SystemError) {
            try OpenFile(file).write((secret.text + "\n").utf8)
            guard fsync(file) == 0 else { throw .last }
        } catch {
            unlink(secret.path)
            throw failure(secret.path, error)
        }
    }

    /// Writes a file atomically, with the owner and the mode of another one.
    ///
    /// If `old` isn't `nil`, the file must have this content.
    private func write(_ bytes: [UInt8], to target: String, like model: String, replacing old: [UInt8]? = nil) throws {
        var status = stat()
        guard stat(model, &status) == 0 else { throw failure(model, .last) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
            throw BridgeControlError(
                code: 73, message: "can't write \(target): \(model) has several names or isn't a file",
                remedy: "edit it yourself")
        }
        do {
            try OutputFile.make(target) { file in
                // Only root can give a file to another user. A file of root may become one of the daemon, because root
                // can still edit it.
                let isOwned = fchown(file, status.st_uid, status.st_gid) == 0 || status.st_uid == geteuid()
                guard isOwned || status.st_uid == 0 else {
                    throw BridgeControlError.noPermission(
                        "can't write \(target): it belongs to \(SystemUser.name(of: status.st_uid))",
                        remedy: "run chown \(SystemUser.name(of: geteuid())) on it, or edit it yourself")
                }
                guard fchmod(file, status.st_mode & 0o7777) == 0 else { throw failure(target, .last) }
                do throws(SystemError) { try OpenFile(file).write(bytes) } catch { throw failure(target, error) }
                guard let old else { return }
                guard try StrictYAML.read(target) == old else { throw Self.changed(target) }
            }
        } catch let error as TerminalError {
            throw failure(target, SystemError(code: error.code == 77 ? EACCES : errno), error)
        }
    }

    static func changed(_ path: String) -> BridgeControlError {
        BridgeControlError(code: 75, message: "\(path) has changed in the meantime", remedy: "try again")
    }

    private func failure(_ path: String, _ error: SystemError, _ detail: TerminalError? = nil) -> BridgeControlError {
        let user = SystemUser.name(of: geteuid())
        let message = detail?.message ?? "can't write \(path): \(error.reason)"
        guard error.isPermissionDenied || error.code == EROFS || message.hasSuffix(SystemError(code: EROFS).reason)
        else { return BridgeControlError(code: 74, message: message, remedy: "edit \(self.path) yourself") }
        return .noPermission(
            message,
            remedy:
                "allow the user \(user) to write in \(directory) (chown \(user) \(directory); the service also needs "
                + "ReadWritePaths=\(directory)), or edit \(self.path) yourself")
    }
}
