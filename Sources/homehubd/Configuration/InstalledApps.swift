import Glibc
import HomeHub
import Logging
import YAMLKit

/// The files with which packages give their apps access to the homes.
///
/// Only root can add such a file. Files that another user could have written are ignored.
struct InstalledApps: Sendable {
    /// The maximum number of files.
    private static let limit = 64

    let directory: String
    let logger: Logger

    /// Returns the apps of all valid files.
    func read() -> Set<InstalledApp> {
        guard let folder = opendir(directory) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = Glibc.readdir(folder), names.count < Self.limit {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".yaml") { names.append(name) }
        }
        return Set(names.sorted().compactMap { app(inFile: "\(directory)/\($0)") })
    }

    private func app(inFile path: String) -> InstalledApp? {
        guard isTrusted(directory, S_IFDIR), isTrusted(path, S_IFREG) else {
            logger.warning(
                "installed app ignored",
                metadata: [
                    "error":
                        "\(path) must be a file that only root can change, in a directory that only root can change"
                ])
            return nil
        }
        do {
            let file = try StrictYAML.decode(InstalledAppFile.self, fromFile: path)
            return InstalledApp(app: file.app.text, uid: file.user.uid, managesApps: file.managesApps ?? false)
        } catch {
            logger.warning("installed app ignored", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Returns whether only root and this daemon's user can change a file or a directory.
    private func isTrusted(_ path: String, _ type: mode_t) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == type && status.st_mode & 0o022 == 0
            && [0, geteuid()].contains(status.st_uid)
    }
}

/// The contents of a file of an installed app.
private struct InstalledAppFile: Decodable {
    let app: AppID
    let user: ConfiguredUser
    let managesApps: Bool?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case app, user
        case managesApps = "manages-apps"
    }
}
