import BridgeControl
import Glibc

/// The daemon's program, for what needs the database while no daemon runs.
enum DaemonProgram {
    /// Where it is: beside this program, or where a package puts it.
    static func path() throws(BridgeControlError) -> String {
        var own = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard readlink("/proc/self/exe", &own, own.count - 1) > 0 else {
            throw BridgeControlError(code: 70, message: "cannot find out where this program is")
        }
        let folder = String(decoding: own.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            .split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let places = [folder + "/lamplighterd", folder + "/../sbin/lamplighterd", "/usr/sbin/lamplighterd"]
        guard let place = places.first(where: { access($0, X_OK) == 0 }) else {
            throw .unavailable("lamplighterd is not installed beside this program")
        }
        return place
    }

    /// Runs it and waits; what it has to say goes to standard error.
    ///
    /// - Parameters:
    ///   - arguments: its words.
    ///   - standardInput: a file it reads.
    ///   - standardOutput: a file it writes.
    /// - Throws: ``BridgeControlError`` with its exit code, and no message, if it fails.
    static func run(
        _ arguments: [String], standardInput: CInt = STDIN_FILENO, standardOutput: CInt = STDOUT_FILENO
    ) throws(BridgeControlError) {
        let path = try path()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, standardInput, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, standardOutput, STDOUT_FILENO)
        var words = ([path] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var process: pid_t = 0
        guard posix_spawn(&process, path, &actions, nil, words, environ) == 0 else {
            throw BridgeControlError(code: 70, message: "cannot run \(path): \(String(cString: strerror(errno)))")
        }
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : 70
        guard code == 0 else { throw BridgeControlError(code: code, message: "") }
    }
}
