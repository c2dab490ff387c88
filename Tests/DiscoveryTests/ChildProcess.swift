import Glibc

/// A program that a test has started, with its output in a file.
///
/// Foundation's `Process` needs a run loop to wait for the program's end, and a task doesn't have one.
final class ChildProcess {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let identifier: pid_t
    private var status: Int32?

    init(_ arguments: [String], environment: [String: String], output: String) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // Otherwise another test's port would stay in use while this program has its descriptor open.
        for file in 3..<Int32(1024) where fcntl(file, F_GETFD) >= 0 { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }

        // A dispatch thread blocks signals. A child that inherited its signal mask couldn't be ended.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        var argv = arguments.map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var identifier: pid_t = 0
        let code = posix_spawnp(&identifier, arguments[0], &actions, &attributes, &argv, &envp)
        guard code == 0 else {
            throw Failure(description: "\(arguments[0]) can't be started: \(String(cString: strerror(code)))")
        }
        self.identifier = identifier
    }

    /// Suspends the program.
    func freeze() { kill(identifier, SIGSTOP) }

    func thaw() { kill(identifier, SIGCONT) }

    /// Waits for the program's end by polling, because no thread must block and a task can't wait for a process.
    @discardableResult
    func wait() async throws -> Int32 {
        while status == nil {
            var status: Int32 = 0
            let ended = waitpid(identifier, &status, WNOHANG)
            if ended == identifier || (ended < 0 && errno != EINTR) {
                self.status = status
            } else {
                try await Task.sleep(for: .milliseconds(2))
            }
        }
        return status ?? 0
    }

    /// Ends the program, and returns once it has ended and its files and sockets are free.
    func end() {
        guard status == nil else { return }
        kill(identifier, SIGTERM)
        thaw()
        waitNow()
    }

    /// Waits for the end of a program that ends immediately, even if the task is canceled.
    func waitNow() {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        self.status = status
    }
}
