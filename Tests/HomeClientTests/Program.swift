import BoundedJSON
import FoundationEssentials
import Glibc
import TestTimeouts
import Testing

/// A running program of this package, which reads lines and writes its output to a file.
final class Program {
    private let identifier: pid_t
    private let input: Int32
    private let output: String

    /// Starts a program from the folder of the tests.
    ///
    /// - Parameters:
    ///   - name: The program's name, or the path of another program.
    ///   - arguments: The arguments.
    ///   - output: The file for its output.
    /// - Throws: ``TestFailure`` if it can't be started.
    init(_ name: String, _ arguments: [String], output: String) throws {
        let path = name.contains("/") ? name : try Self.path(of: name)
        var pipes: [Int32] = [0, 0]
        guard pipe(&pipes) == 0 else { throw TestFailure("pipe: \(errno)") }
        defer { close(pipes[0]) }
        for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes[0], 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)

        // A dispatch thread blocks signals. A child that inherits the mask can't be terminated.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for text in argv { free(text) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, path, &actions, &attributes, &argv, environ)
        guard code == 0 else {
            close(pipes[1])
            throw TestFailure("\(path) cannot be started: \(String(cString: strerror(code)))")
        }
        self.identifier = identifier
        input = pipes[1]
        self.output = output
    }

    /// Returns the path of a program of this package.
    static func path(of name: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return tests.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/" + name
    }

    deinit {
        close(input)
        kill(identifier, SIGKILL)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        unlink(output)
    }

    /// Sends a line to the program.
    func tell(_ line: String) {
        var bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeMutableBytes { write(input, $0.baseAddress, $0.count) }
    }

    /// The printed lines.
    var lines: [String] {
        guard let data = try? Data(contentsOf: URL(filePath: output)) else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The printed JSON values.
    var objects: [JSONValue] { lines.compactMap { try? JSONValue(parsing: Array($0.utf8), maximumLength: 1 << 20) } }

    /// Waits for a line.
    func awaitLine(_ expected: String) async throws {
        try await eventually("the line \"\(expected)\"") { lines.contains(expected) }
    }

    /// Sends a command and returns its answer.
    func ask(_ id: Int64, _ command: String) async throws -> JSONValue {
        tell("{\"id\":\(id),\(command)}")
        var answer: JSONValue?
        try await eventually("an answer to \(command)") {
            answer = objects.first { $0["id"] == .integer(id) }
            return answer != nil
        }
        return answer ?? .null
    }
}
