import CProcess
import Glibc
import SystemKit

/// Runs commands without input and output.
enum CommandRun {
    /// Runs a command, and returns the reason if it fails or `nil` if its exit code is 0.
    ///
    /// After the timeout, the command is killed. When it ends, the programs that it has started are killed, too.
    static func failure(of command: [String], timeout: Duration) async -> String? {
        await withCheckedContinuation { continuation in
            do throws(SystemError) {
                // A separate thread waits for the process, so that no task is blocked.
                try DetachedThread.start { continuation.resume(returning: run(command, timeout)) }
            } catch {
                continuation.resume(returning: error.reason)
            }
        }
    }

    private static func run(_ command: [String], _ timeout: Duration) -> String? {
        var pid: pid_t = 0
        let failed = spawn(&pid, command)
        guard failed == 0 else { return SystemError(code: failed).reason }
        let pidfd = process_pidfd_open(pid)
        var polled = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
        let deadline = ContinuousClock.now + timeout
        var isOver = false
        while !isOver, pidfd >= 0, ContinuousClock.now < deadline {
            let rest = Int32(ContinuousClock.now.duration(to: deadline) / .milliseconds(1)) + 1
            isOver = poll(&polled, 1, rest) > 0
        }
        if pidfd >= 0 { close(pidfd) }
        // The process hasn't been reaped, so its ID still refers to its group.
        kill(-pid, SIGKILL)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        guard isOver else { return "it took longer than \(timeout)" }
        let signal = status & 0x7F
        guard signal == 0 else { return "signal \(signal)" }
        let code = status >> 8 & 0xFF
        return code == 0 ? nil : "exit code \(code)"
    }

    private static func spawn(_ pid: inout pid_t, _ command: [String]) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in Int32(0)...2 {
            posix_spawn_file_actions_addopen(
                &actions, descriptor, "/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY, 0)
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))

        // Don't pass on systemd's variables, which are meant for the daemon.
        var inherited: [String] = []
        for name in ["PATH", "HOME", "LANG", "LC_ALL", "TZ"] {
            if let value = getenv(name) { inherited.append("\(name)=\(String(cString: value))") }
        }
        var arguments = command.map { strdup($0) } + [nil]
        var variables = inherited.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        return posix_spawn(&pid, command.first ?? "", &actions, &attributes, &arguments, &variables)
    }
}
