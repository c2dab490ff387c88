import BridgeControl
import Glibc
import SystemKit

/// The daemon's program, for what needs the database while no daemon runs.
enum DaemonProgram {
    /// Where it is: beside this program, so that both are of one build, or where a package puts it; `nil` if nowhere.
    static var path: String? {
        var folders = ["/usr/sbin", "/usr/local/sbin"]
        if let path = getenv("PATH") {
            folders = String(cString: path).split(separator: ":").map(String.init) + folders
        }
        if let own = realpath("/proc/self/exe", nil) {
            defer { free(own) }
            let path = String(cString: own)
            if let slash = path.lastIndex(of: "/") { folders.insert(String(path[..<slash]), at: 0) }
        }
        return folders.map { $0 + "/lamplighterd" }.first { access($0, X_OK) == 0 }
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
        guard let path else { throw .unavailable("lamplighterd is not installed beside this program") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, standardInput, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, standardOutput, STDOUT_FILENO)
        var words = ([path] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var process: pid_t = 0
        let failure = posix_spawn(&process, path, &actions, nil, words, environ)
        guard failure == 0 else {
            throw BridgeControlError(code: 70, message: "cannot run \(path): \(SystemError(code: failure).reason)")
        }
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        guard signal == 0 else { throw .unavailable("\(path) was ended by signal \(signal)") }
        let code = (status >> 8) & 0xFF
        guard code == 0 else { throw BridgeControlError(code: code, message: "") }
    }
}
