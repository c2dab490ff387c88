import BoundedJSON
import Glibc
import SystemKit
package import TerminalKit

/// The file that holds who may open the page, and where the page is.
///
/// It stands in the page's state directory and is its owner's alone. `homeweb` makes it with one owner; `homehub web` shows
/// and changes it. What is in it counts as soon as it is written.
package struct PeopleFile: Sendable {
    /// What the file says.
    package struct Content: Sendable {
        package var people: [Person]
        /// Where the page was served last, such as `http://127.0.0.1:8480/`; `nil` if it never was.
        package var address: String?

        package init(people: [Person], address: String? = nil) {
            self.people = people
            self.address = address
        }
    }

    /// The state directory's variable, as systemd's `StateDirectory=` has it for others.
    package static let variable = "HOMEWEB_STATE"
    private static let inClone = "./.lamplighter/web"
    private static let installed = "/var/lib/homeweb"
    /// The most people that there may be.
    package static let limit = 64

    /// The page's state directory.
    package let directory: String
    package var path: String { directory + "/people.json" }

    package init(directory: String) { self.directory = directory }

    /// The directory that a command means: what was said, else the environment's, a clone's, an installation's.
    package static func find(given: String?) -> PeopleFile {
        if let given { return PeopleFile(directory: given) }
        if let variable = getenv(variable), variable[0] != 0 { return PeopleFile(directory: String(cString: variable)) }
        return PeopleFile(directory: access(inClone, F_OK) == 0 ? inClone : installed)
    }

    /// What tells one state of the file from another; 0 while there is none.
    package var stamp: Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        let time = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        return time ^ Int64(truncatingIfNeeded: status.st_ino &<< 20)
    }

    /// Reads the file.
    ///
    /// - Throws: `TerminalError` with 77 if this user may not, 65 if it is damaged.
    package func read() throws(TerminalError) -> Content? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            let error = SystemError.last
            if error.code == ENOENT { return nil }
            guard error.isPermissionDenied else {
                throw TerminalError(code: 74, message: "cannot read \(path): \(error.reason)")
            }
            throw TerminalError(
                code: 77, message: "only root and the user that homeweb runs as may read \(path); say sudo homehub web")
        }
        defer { close(file) }
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try OpenFile(file).read(limit: 1 << 16) } catch {
            throw TerminalError(code: 74, message: "cannot read \(path): \(error.reason)")
        }
        guard let json = try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self), maximumLength: 1 << 16),
            let list = json["people"]?.array, list.count <= Self.limit
        else { throw damaged }
        let people = list.compactMap { Person(json: $0) }
        guard people.count == list.count else { throw damaged }
        return Content(people: people, address: json["address"]?.string)
    }

    private var damaged: TerminalError {
        TerminalError(
            code: 65, message: "\(path) is damaged; remove it, and homeweb makes a new one with another token")
    }

    /// Writes the file whole or not at all; it belongs to whom the directory belongs to, whoever writes it.
    ///
    /// - Throws: `TerminalError` if it cannot be written; then it is as it was.
    package func write(_ content: Content) throws {
        var json: JSONObject = ["people": .array(content.people.map(\.json))]
        json["address"] = content.address.map(JSONValue.string)
        var owner = stat()
        let isKnown = stat(directory, &owner) == 0
        try OutputFile.make(path) { file in
            if isKnown, owner.st_uid != geteuid() { fchown(file, owner.st_uid, owner.st_gid) }
            do throws(SystemError) { try OpenFile(file).write(JSONValue.object(json).encoded) } catch {
                throw TerminalError(code: 74, message: "cannot write \(path): \(error.reason)")
            }
        }
    }
}
