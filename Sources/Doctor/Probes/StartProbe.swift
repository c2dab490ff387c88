import BoundedJSON
import Glibc
import OperatorControl
import SystemKit

/// Runs a daemon's program to find the reason why it doesn't start.
package enum StartProbe {
    /// The maximum size of the output to read, in bytes.
    private static let maximumOutput = 64 << 10
    /// The time limit for the output, in milliseconds.
    private static let timeout: CInt = 5000

    /// Runs the program with `--check-start --json`.
    ///
    /// This function blocks until the program ends, or for several seconds if it hangs.
    ///
    /// If root runs this for a state directory in `/var/lib`, the check runs as the user of the packaged service,
    /// because root has all permissions and wouldn't find missing permissions.
    ///
    /// - Parameters:
    ///   - program: The path of the daemon's program.
    ///   - user: The user of the packaged service.
    ///   - configuration: The configuration file, or `nil` for the default file.
    ///   - stateDirectory: The directory of the daemon's database.
    ///   - runtimeDirectory: The directory of the daemon's sockets.
    /// - Returns: The output, or `nil` if the program can't be run or hangs.
    package static func run(
        _ program: String, user: String = OperatedDaemon.bridge.group, configuration: String?, stateDirectory: String,
        runtimeDirectory: String
    ) -> StartOutput? {
        let words =
            [program, "--check-start"] + (configuration.map { ["--config", $0] } ?? []) + [
                "--state-directory", stateDirectory, "--runtime-directory", runtimeDirectory, "--json",
            ]
        guard geteuid() == 0, stateDirectory.hasPrefix("/var/lib/"), SystemUser.id(of: user) != nil else {
            return spawn(words)
        }
        let asUser = ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--init-groups"]
        let found = spawn(asUser + words)
        // If a port or a socket is in use, check again as root, because only root can find the process that uses it.
        return found?.code == unavailable ? spawn(words) ?? found : found
    }

    /// The exit code EX_UNAVAILABLE of sysexits(3).
    private static let unavailable: CInt = 69

    private static func spawn(_ words: [String]) -> StartOutput? {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for stream in [STDOUT_FILENO, STDERR_FILENO] { posix_spawn_file_actions_adddup2(&actions, ends[1], stream) }

        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let failure = posix_spawn(&process, words[0], &actions, nil, &arguments, environ)
        close(ends[1])
        guard failure == 0 else { return nil }

        let output = read(ends[0])
        if output == nil { kill(process, SIGKILL) }
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return nil } }
        // The low seven bits contain a signal, the next byte the exit code (wait(2)).
        guard let output, status & 0x7F == 0 else { return nil }
        var reports: [StartReport] = []
        var lastLine: String?
        for line in output.split(separator: UInt8(ascii: "\n")) {
            if let json = try? JSONValue(parsing: line), let report = try? StartReport(json: json) {
                reports.append(report)
            } else {
                lastLine = String(decoding: line, as: UTF8.self)
            }
        }
        return StartOutput(reports: reports, lastLine: lastLine, code: status >> 8 & 0xFF)
    }

    /// Returns the complete output, or `nil` if it doesn't end in time or is too long.
    private static func read(_ file: CInt) -> [UInt8]? {
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        let end = ContinuousClock.now + .milliseconds(Int(timeout))
        while output.count < maximumOutput, ContinuousClock.now < end {
            var wait = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            let ready = poll(&wait, 1, timeout)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            let count = Glibc.read(file, &chunk, chunk.count)
            if count == 0 { return output }
            guard count > 0 else { return nil }
            output += chunk[..<count]
        }
        return nil
    }
}
