import Glibc
import SystemKit
import TerminalKit

/// A program that a command runs, such as a daemon's, which reads and writes its database while the daemon isn't running.
package struct InstalledProgram: Sendable {
    private let name: String

    /// Creates the program of a daemon.
    package init(of daemon: OperatedDaemon) { name = daemon.program }

    /// Creates the program with the given name.
    package init(named name: String) { self.name = name }

    /// The path of the program, or `nil` if it isn't installed.
    ///
    /// The directory of this program is searched first, because a daemon there has the same version. The directories in
    /// `PATH` and the directories of packages follow.
    package var path: String? {
        var folders = ["/usr/sbin", "/usr/local/sbin"]
        if let path = getenv("PATH") {
            folders = String(cString: path).split(separator: ":").map(String.init) + folders
        }
        if let own = realpath("/proc/self/exe", nil) {
            defer { free(own) }
            let path = String(cString: own)
            if let slash = path.lastIndex(of: "/") { folders.insert(String(path[..<slash]), at: 0) }
        }
        return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// Runs the program and waits until it exits.
    ///
    /// The program's standard error is forwarded. If the program fails, the last line isn't forwarded, but becomes the
    /// message of the thrown error.
    ///
    /// - Throws: ``OperatorError`` with code 69 if the program isn't installed, or with the program's exit code and
    ///   message if it fails.
    package func run(
        _ arguments: [String], standardInput: CInt = STDIN_FILENO, standardOutput: CInt = STDOUT_FILENO
    ) throws(OperatorError) {
        guard let path else { throw .unavailable("\(name) isn't installed") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, standardInput, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, standardOutput, STDOUT_FILENO)
        var errors: [CInt] = [-1, -1]
        guard pipe(&errors) == 0 else { throw OperatorError(code: 70, message: SystemError.last.reason) }
        defer { close(errors[0]) }
        for end in errors { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO)
        var words = ([path] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var process: pid_t = 0
        let failure = posix_spawn(&process, path, &actions, nil, words, environ)
        close(errors[1])
        guard failure == 0 else {
            throw OperatorError(code: 70, message: "can't run \(path): \(SystemError(code: failure).reason)")
        }
        let text = (try? OpenFile(errors[0]).read(limit: 1 << 20)) ?? []
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        guard signal == 0 else { throw .unavailable("\(path) was terminated by signal \(signal)") }
        var lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        let code = (status >> 8) & 0xFF
        let last = code == 0 ? nil : lines.popLast() ?? "\(path) exited with \(code)"
        for line in lines { Terminal.current.writeError(line.sanitized + "\n") }
        guard let last else { return }
        let prefix = "\(name): "
        throw OperatorError(code: code, message: last.hasPrefix(prefix) ? String(last.dropFirst(prefix.count)) : last)
    }
}
