import CProcess
import Glibc
import LineRPC
package import Logging
import Synchronization
import SystemKit
import TerminalKit

/// One run of a plugin's program, from its start to its end.
///
/// Each run needs a new object.
///
/// A dedicated thread starts the program, transfers its input and output, and reaps it. All other functions may be
/// called from any thread and never block. The program gets only standard input, output and error as descriptors. It
/// runs in a separate process group, which is killed when the program ends, and has memory and file limits. When the
/// bridge ends for any reason, the program's standard input ends.
package final class PluginProcess: Sendable {
    package struct Program: Equatable, Sendable {
        package var command: [String]
        package var environment: [String: String]
        package var workingDirectory: String?

        /// Creates a program.
        ///
        /// - Parameters:
        ///   - command: The program and its arguments.
        ///   - environment: Variables in addition to the variables that every plugin gets.
        ///   - workingDirectory: The working directory, or `nil` for the bridge's directory.
        package init(command: [String], environment: [String: String] = [:], workingDirectory: String? = nil) {
            self.command = command
            self.environment = environment
            self.workingDirectory = workingDirectory
        }
    }

    private struct State {
        var inbox = PluginInbox()
        var outbox: [UInt8] = []
        var isInputClosed = false
        var killAt: ContinuousClock.Instant?
        var hasEnded = false
        /// The write end of the pipe that wakes the thread, or -1 while the thread isn't serving the process.
        var waker: Int32 = -1
        var pid: pid_t?
    }

    private let program: Program
    private let logger: Logger
    private let signal: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates a run, which does nothing before it is started.
    ///
    /// Its thread calls `signal` when there are events.
    package init(_ program: Program, logger: Logger, signal: @escaping @Sendable () -> Void) {
        self.program = program
        self.logger = logger
        self.signal = signal
    }

    /// The process id, or `nil` while the process isn't running.
    package var pid: Int32? { state.withLock { $0.hasEnded ? nil : $0.pid } }

    // MARK: Interface of the driver

    /// Starts the thread that starts the program.
    package func start() {
        do throws(SystemError) { try DetachedThread.start { [self] in runThread() } } catch {
            ended("can't start a thread for it (\(error.reason))")
        }
    }

    /// Returns and removes the program's events since the last call.
    package func takeEvents() -> [PluginInbox.Event] { state.withLock { $0.inbox.takeAll() } }

    package func send(_ line: [UInt8]) {
        let isFull = state.withLock { state in
            guard !state.isInputClosed, !state.hasEnded else { return false }
            guard state.outbox.count + line.count <= PluginLimits.outbox else {
                state.inbox.violated("it doesn't read its messages")
                return true
            }
            state.outbox += line
            return false
        }
        if isFull { signal() }
        wake()
    }

    /// Closes standard input after the pending lines.
    package func closeInput() {
        state.withLock { $0.isInputClosed = true }
        wake()
    }

    /// Closes the program's standard input, and kills its process group if it's still running after a grace period.
    package func end(within grace: Duration = .zero) {
        state.withLock { state in
            state.isInputClosed = true
            state.killAt = ContinuousClock.now + grace
        }
        wake()
    }

    private func wake() {
        state.withLock { state in
            guard state.waker >= 0 else { return }
            var byte: UInt8 = 0
            // A failed write doesn't matter: a full pipe wakes the thread, too.
            _ = Glibc.write(state.waker, &byte, 1)
        }
    }

    private func ended(_ how: String) {
        state.withLock { state in
            state.hasEnded = true
            state.inbox.ended(how)
        }
        signal()
    }
}

// MARK: - Thread

extension PluginProcess {
    private func runThread() {
        // Writing to a plugin that has closed its standard input must not end the bridge.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)

        guard let input = Pipe(), let output = Pipe(), let errors = Pipe(), let wakes = Pipe() else {
            return ended("it can't be started: \(SystemError.last.reason)")
        }
        var pid: pid_t = 0
        let failed = spawn(&pid, input.readEnd, output.writeEnd, errors.writeEnd)
        guard failed == 0 else {
            return ended("\(program.command.first ?? "it") can't be started: \(SystemError(code: failed).reason)")
        }
        limit(pid)
        let pidfd = Descriptor(process_pidfd_open(pid))
        input.closeReadEnd()
        output.closeWriteEnd()
        errors.closeWriteEnd()
        for descriptor in [input.writeEnd, output.readEnd, errors.readEnd, wakes.readEnd, wakes.writeEnd] {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        }
        state.withLock { state in
            state.waker = wakes.writeEnd
            state.pid = pid
        }
        let how = serve(pid, pidfd, input, output, errors, wakes)
        state.withLock { $0.waker = -1 }
        ended(how)
    }

    private func spawn(_ pid: inout pid_t, _ input: Int32, _ output: Int32, _ errors: Int32) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        if let directory = program.workingDirectory { posix_spawn_file_actions_addchdir_np(&actions, directory) }

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

        // The plugin inherits only the variables for language, time zone and program paths. systemd's variables are
        // meant for the bridge.
        var environment: [String: String] = [:]
        for name in ["PATH", "LANG", "LC_ALL", "TZ"] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        environment.merge(program.environment) { $1 }
        var arguments = program.command.map { strdup($0) } + [nil]
        var variables = environment.sorted { $0.key < $1.key }.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        return posix_spawnp(&pid, program.command.first ?? "", &actions, &attributes, &arguments, &variables)
    }

    private func limit(_ pid: pid_t) {
        let limits: [(__rlimit_resource, UInt64)] = [
            (RLIMIT_DATA, PluginLimits.memory), (RLIMIT_NOFILE, PluginLimits.files), (RLIMIT_CORE, 0),
        ]
        for (resource, value) in limits { _ = process_limit(pid, Int32(resource.rawValue), value) }
    }

    /// Transfers input and output until the process ends, and returns how it ended.
    private func serve(
        _ pid: pid_t, _ pidfd: Descriptor, _ input: Pipe, _ output: Pipe, _ errors: Pipe, _ wakes: Pipe
    ) -> String {
        var reader = OutputReader()
        var errorLines = LineSplitter(maximumLength: PluginLimits.logLine)
        var isOutputOpen = true
        var areErrorsOpen = true
        var slot = Slot()
        while true {
            let now = ContinuousClock.now
            let (hasOutput, killAt) = write(to: input)
            if let killAt, killAt <= now { kill(-pid, SIGKILL) }
            let mayRead = slot.mayRead(now)
            // poll(2) ignores negative descriptors.
            var polled = [
                pollfd(fd: pidfd.number, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakes.readEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isOutputOpen && mayRead ? output.readEnd : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: areErrorsOpen && mayRead ? errors.readEnd : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: hasOutput ? input.writeEnd : -1, events: Int16(POLLOUT), revents: 0),
            ]
            var deadlines = killAt.map { $0 > now ? [$0] : [] } ?? []
            if !mayRead { deadlines.append(slot.end) }
            let timeout = deadlines.min().map { Int32(max(1, now.duration(to: $0) / .milliseconds(1) + 1)) } ?? -1
            guard poll(&polled, nfds_t(polled.count), timeout) >= 0 || errno == EINTR else {
                kill(-pid, SIGKILL); break
            }
            if polled[1].revents != 0 { _ = Self.read(wakes.readEnd) }
            if polled[2].revents != 0 {
                switch Self.read(output.readEnd) {
                case .bytes(let bytes): slot.lines += take(reader.received(bytes))
                case .nothing: break
                case .end:
                    isOutputOpen = false
                    // Give the process a moment to end, so that its exit status can be reported.
                    state.withLock { $0.killAt = min($0.killAt ?? .now + .seconds(1), .now + .seconds(1)) }
                }
            }
            if polled[3].revents != 0 {
                switch Self.read(errors.readEnd) {
                case .bytes(let bytes): slot.lines += log(errorLines.received(bytes))
                case .nothing: break
                case .end: areErrorsOpen = false
                }
            }
            if polled[0].revents != 0 { break }
        }
        // The process has ended but hasn't been reaped, so its id still refers to its group. Kill the programs that it
        // has started.
        kill(-pid, SIGKILL)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        // Read the last output, which is limited by the size of the pipe.
        for _ in 0..<16 {
            guard case .bytes(let bytes) = Self.read(output.readEnd) else { break }
            _ = take(reader.received(bytes))
        }
        for _ in 0..<16 {
            guard case .bytes(let bytes) = Self.read(errors.readEnd) else { break }
            _ = log(errorLines.received(bytes))
        }
        let number = status & 0x7F
        return number == 0 ? "it ended with exit code \(status >> 8 & 0xFF)" : "it was ended by signal \(number)"
    }

    /// Adds events to the inbox.
    ///
    /// - Returns: The number of lines.
    private func take(_ events: [PluginInbox.Event]) -> Int {
        guard !events.isEmpty else { return 0 }
        state.withLock { state in
            for event in events {
                switch event {
                case .message(let message): state.inbox.add(message)
                case .violation(let text): state.inbox.violated(text)
                case .ended: break
                }
            }
        }
        signal()
        return events.count
    }

    private func log(_ lines: [LineSplitter.Event]) -> Int {
        for line in lines {
            let text =
                switch line {
                case .line(let bytes): String(decoding: bytes, as: UTF8.self).sanitized
                case .tooLong: "(a line of more than \(PluginLimits.logLine) bytes)"
                }
            logger.info("plugin wrote", metadata: ["text": "\(text)"])
        }
        return lines.count
    }

    /// Writes as many pending bytes as the pipe accepts.
    private func write(to input: Pipe) -> (hasMore: Bool, killAt: ContinuousClock.Instant?) {
        state.withLock { state in
            while !state.outbox.isEmpty, input.writeEnd >= 0 {
                let count = Glibc.write(input.writeEnd, state.outbox, state.outbox.count)
                if count > 0 {
                    state.outbox.removeFirst(count)
                } else if errno == EAGAIN {
                    break
                } else if errno != EINTR {
                    // The program no longer reads. If it has ended, another event shows that.
                    state.outbox = []
                    state.isInputClosed = true
                }
            }
            if state.isInputClosed, state.outbox.isEmpty { input.closeWriteEnd() }
            return (!state.outbox.isEmpty, state.killAt)
        }
    }

    private enum ReadResult {
        case bytes(ArraySlice<UInt8>)
        case nothing, end
    }

    private static func read(_ descriptor: Int32) -> ReadResult {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count > 0 { return .bytes(buffer[..<count]) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothing : .end
    }

    /// A time slot in which a maximum number of lines is read.
    private struct Slot {
        var lines = 0
        private(set) var end = ContinuousClock.now

        mutating func mayRead(_ now: ContinuousClock.Instant) -> Bool {
            if end <= now {
                end = now + PluginLimits.slot
                lines = 0
            }
            return lines < PluginLimits.linesInSlot
        }
    }
}

/// Parses a plugin's standard output into messages.
package struct OutputReader: Sendable {
    private var lines = LineSplitter(maximumLength: PluginLimits.line)

    package init() {}

    /// Processes received bytes.
    ///
    /// - Returns: The messages and violations whose lines end in these bytes. None of the events is
    ///   ``PluginInbox/Event/ended(_:)``.
    package mutating func received(_ bytes: some Collection<UInt8>) -> [PluginInbox.Event] {
        lines.received(bytes).map { event in
            switch event {
            case .tooLong: return .violation("it wrote a line of more than \(PluginLimits.line) bytes")
            case .line(let line):
                do throws(PluginMessage.Violation) {
                    return .message(try PluginMessage(parsing: line))
                } catch {
                    return .violation(error.text)
                }
            }
        }
    }
}

/// A file descriptor that is closed when this object is deallocated.
private final class Descriptor {
    private(set) var number: Int32

    init(_ number: Int32) { self.number = number }

    func close() {
        if number >= 0 { _ = Glibc.close(number) }
        number = -1
    }

    deinit { close() }
}

/// A pipe that child processes don't inherit.
private final class Pipe {
    private let ends: (read: Descriptor, write: Descriptor)

    init?() {
        var numbers: [Int32] = [-1, -1]
        guard pipe2(&numbers, O_CLOEXEC) == 0 else { return nil }
        ends = (Descriptor(numbers[0]), Descriptor(numbers[1]))
    }

    var readEnd: Int32 { ends.read.number }
    var writeEnd: Int32 { ends.write.number }
    func closeReadEnd() { ends.read.close() }
    func closeWriteEnd() { ends.write.close() }
}
