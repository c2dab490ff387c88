import BoundedJSON
import Glibc
import SystemKit
package import TerminalKit

/// The file with the people who may open the web page, and the address of the page.
///
/// The file is in the page's state directory, and only its owner can read it. `homeweb` creates it with one owner;
/// `homehub web` shows and changes it. Changes take effect immediately.
package struct PeopleFile: Sendable {
    /// The contents of the file.
    package struct Content: Sendable {
        package var people: [Person]
        /// The address at which the page was last served, such as `http://127.0.0.1:8480/`, or `nil` if it never was.
        package var address: String?
        /// The link that signs one browser in, until it has been used.
        package var link: SignInLink?

        package init(people: [Person], address: String? = nil) {
            self.people = people
            self.address = address
        }
    }

    /// The largest size of the file in bytes.
    private static let sizeLimit = 1 << 19

    /// The environment variable that contains the state directory, like systemd's `STATE_DIRECTORY`.
    package static let variable = "HOMEWEB_STATE"
    private static let clone = "./.lamplighter"
    private static let installed = "/var/lib/homeweb"
    /// The maximum number of people.
    package static let limit = 64

    /// The page's state directory.
    package let directory: String
    package var path: String { directory + "/people.json" }

    package init(directory: String) {
        self.directory = directory.count > 1 && directory.hasSuffix("/") ? String(directory.dropLast()) : directory
    }

    /// A Boolean value that indicates whether the page is a service of the system.
    package var isInstalled: Bool { directory == Self.installed }

    /// Finds the file for a command.
    ///
    /// Its state directory is the given one, or else the one in the environment, in a clone, or of an installation.
    package static func find(given: String?) -> PeopleFile {
        if let given { return PeopleFile(directory: given) }
        if let variable = getenv(variable), variable[0] != 0 { return PeopleFile(directory: String(cString: variable)) }
        return PeopleFile(directory: access(clone, F_OK) == 0 ? clone + "/web" : installed)
    }

    /// A value that changes with the file, or 0 if the file doesn't exist.
    package var stamp: Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        let time = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        return time ^ Int64(truncatingIfNeeded: status.st_ino &<< 20)
    }

    /// Reads the file.
    ///
    /// Returns `nil` if it doesn't exist.
    ///
    /// - Throws: `TerminalError` with code 77 if this user has no permission, 65 if the file is damaged, or 74 if another
    ///   error prevents reading it.
    package func read() throws(TerminalError) -> Content? {
        // The directory belongs to the user of homeweb, and root reads the file. A pipe could stop root, and a link could
        // lead it to another file.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            let error = SystemError.last
            if error.code == ENOENT { return nil }
            guard error.isPermissionDenied else {
                throw TerminalError(code: 74, message: "can't read \(path): \(error.reason)")
            }
            throw TerminalError(
                code: 77,
                message: "only root and the user of homeweb can read \(path); use \(ShellCommand.homehubAsRoot) web")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw damaged }
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try OpenFile(file).read(limit: Self.sizeLimit) } catch {
            throw TerminalError(code: 74, message: "can't read \(path): \(error.reason)")
        }
        guard let json = try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self), maximumLength: Self.sizeLimit),
            let list = json["people"]?.array, list.count <= Self.limit
        else { throw damaged }
        let people = list.compactMap { Person(json: $0) }
        guard people.count == list.count else { throw damaged }
        var content = Content(people: people, address: json["address"]?.string)
        content.link = json["link"].flatMap { SignInLink(json: $0) }
        return content
    }

    /// Changes the contents of the file under a lock that excludes other programs.
    ///
    /// - Throws: The errors of ``read()`` and ``write(_:)``, `TerminalError` with code 75 if another program holds the
    ///   lock for more than two seconds, and the errors of `body`. The file is then unchanged.
    /// - Returns: The new contents.
    package func change(_ body: (inout Content) throws -> Void) throws -> Content {
        let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            throw TerminalError(code: 74, message: "can't open \(directory): \(SystemError.last.reason)")
        }
        defer { close(folder) }
        var attempts = 0
        while flock(folder, LOCK_EX | LOCK_NB) != 0 {
            attempts += 1
            guard attempts < 200 else {
                throw TerminalError(code: 75, message: "another program is changing \(path); try again")
            }
            usleep(10_000)
        }
        var content = try read() ?? Content(people: [])
        let former = content.people
        try body(&content)
        // A link must not lead to the new token of a person whose former token was replaced.
        let isWithdrawn = former.contains { person in !content.people.contains { $0.token.matches(person.token) } }
        if isWithdrawn { content.link = nil }
        try write(content)
        return content
    }

    private var damaged: TerminalError {
        TerminalError(
            code: 65, message: "\(path) is damaged; delete it and restart homeweb, which creates a new token")
    }

    /// Writes the file atomically.
    ///
    /// - Throws: `TerminalError` if it can't be written. The file is then unchanged.
    package func write(_ content: Content) throws {
        var json: JSONObject = ["people": .array(content.people.map(\.json))]
        json["address"] = content.address.map(JSONValue.string)
        json["link"] = content.link?.json
        try OutputFile.make(path, in: directory) { file in
            do throws(SystemError) { try OpenFile(file).write(JSONValue.object(json).encoded) } catch {
                throw TerminalError(code: 74, message: "can't write \(path): \(error.reason)")
            }
        }
    }
}

extension OutputFile {
    /// Creates a file in the page's state directory atomically.
    ///
    /// The file gets the same owner as the directory, regardless of the current user.
    ///
    /// - Throws: `TerminalError` if it can't be written, or the errors of `body`. An existing file is then unchanged.
    package static func make(_ path: String, in directory: String, _ body: (CInt) throws -> Void) throws {
        var owner = stat()
        let isKnown = stat(directory, &owner) == 0
        try make(path, replacesOthers: true) { file in
            if isKnown, owner.st_uid != geteuid() { fchown(file, owner.st_uid, owner.st_gid) }
            try body(file)
        }
    }
}
