import Foundation
import Synchronization
import TestTimeouts
import Testing

/// Two hosts that are connected by a cable.
///
/// Each host is a network namespace with a separate D-Bus and Avahi daemon.
///
/// The tested code runs in this process and uses the bus of the first host, `bridge`. libdbus reads the address of the
/// system bus only once per process. Therefore, the address is a relative path, and ``onBridge(_:)`` gives each
/// thread the directory of its LAN. Several LANs may exist at the same time.
final class PretendLAN {
    /// The reason why this machine can't create a LAN, or `nil` if it can.
    static var missingRequirement: String? {
        let missing = capabilities.filter { effectiveCapabilities >> $0.bit & 1 == 0 }.map(\.name)
        guard missing.isEmpty else {
            return "network namespaces need \(missing.joined(separator: " and ")); "
                + "run as root, in a container with these capabilities"
        }
        for tool in ["ip", "unshare", "dbus-daemon", "avahi-daemon", "avahi-browse", "avahi-publish"] {
            let places = ["/usr/bin", "/usr/sbin", "/bin", "/sbin"]
            if !places.contains(where: { access("\($0)/\(tool)", X_OK) == 0 }) { return "\(tool) isn't installed" }
        }
        return nil
    }

    /// Capabilities, by their bits (capabilities(7)).
    private static let capabilities: [(name: String, bit: UInt64)] = [("CAP_NET_ADMIN", 12), ("CAP_SYS_ADMIN", 21)]

    private static let effectiveCapabilities: UInt64 = {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        return line.flatMap { UInt64($0.split(separator: "\t").last ?? "", radix: 16) } ?? 0
    }()

    final class Host {
        let namespace: String
        let busPath: String
        fileprivate(set) var bus: ChildProcess?
        fileprivate(set) var avahi: ChildProcess?

        fileprivate init(namespace: String, busPath: String) {
            self.namespace = namespace
            self.busPath = busPath
        }

        var busAddress: String { "unix:path=\(busPath)" }

        /// A Boolean value that indicates whether the bus accepts connections.
        ///
        /// The bus accepts connections only a moment after its socket has appeared.
        fileprivate var busListens: Bool {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: busPath.utf8) }
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            } == 0
        }
    }

    /// The number of LANs in this process.
    private static let number: Mutex<Int> = {
        setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=bridge.bus", 1)
        return Mutex(0)
    }()

    let bridge: Host
    let phone: Host
    /// The index of the bridge's interface in its Avahi daemon.
    private(set) var interfaceIndex: Int32 = 0
    private let directory: String
    private var helpers: [ChildProcess] = []

    init() throws {
        let number = Self.number.withLock { number in
            number += 1
            return number
        }
        directory = "/tmp/lamplighter-avahi-\(getpid())-\(number)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let prefix = "lampd\(getpid())-\(number)"
        bridge = Host(namespace: "\(prefix)-bridge", busPath: "\(directory)/bridge.bus")
        phone = Host(namespace: "\(prefix)-phone", busPath: "\(directory)/phone.bus")
    }

    /// Creates and connects the hosts.
    ///
    /// ``tearDown()`` removes them.
    func setUp() async throws {
        for (number, host) in [bridge, phone].enumerated() {
            try await run("ip", "netns", "add", host.namespace)
            try await run("ip", "-n", host.namespace, "link", "set", "lo", "up")
            try writeConfiguration(of: host, hostName: number == 0 ? "bridge" : "phone")
        }
        try await run(
            "ip", "-n", bridge.namespace, "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns",
            phone.namespace)
        for (number, host) in [bridge, phone].enumerated() {
            // The interfaces get no IPv6 addresses, and therefore no link-local ones.
            try await run("ip", "-n", host.namespace, "link", "set", "eth0", "addrgenmode", "none")
            try await run("ip", "-n", host.namespace, "addr", "add", "10.77.0.\(number + 1)/24", "dev", "eth0")
            try await run("ip", "-n", host.namespace, "link", "set", "eth0", "up")
        }
        let line = try await run("ip", "-n", bridge.namespace, "-o", "link", "show", "eth0")
        interfaceIndex = Int32(line.prefix { $0.isNumber }) ?? 0
    }

    /// Runs `body` on a thread that uses the bridge's system bus.
    ///
    /// Threads that `body` starts use the same bus.
    func onBridge(_ body: @escaping @Sendable () throws -> Void) async throws {
        let directory = directory
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        // From here on, this thread has a separate working directory.
                        guard Self.unshareDirectory?() == 0, chdir(directory) == 0 else {
                            throw ChildProcess.Failure(description: "chdir: \(String(cString: strerror(errno)))")
                        }
                        try body()
                    })
            }
        }
    }

    /// unshare(2) with CLONE_FS, which Swift's C library module lacks.
    private static let unshareDirectory: (@Sendable () -> CInt)? = {
        guard let symbol = dlsym(nil, "unshare") else { return nil }
        let unshare = unsafeBitCast(symbol, to: (@convention(c) (CInt) -> CInt).self)
        return { unshare(0x200) }
    }()

    // MARK: Daemons

    func startBus(of host: Host) async throws {
        unlink(host.busPath)
        host.bus = try launch(
            "dbus-daemon", "--system", "--nofork", "--nopidfile", "--nosyslog", "--address=\(host.busAddress)")
        try await eventually("the bus listens") { host.busListens }
    }

    func stopBus(of host: Host) {
        host.bus?.end()
        host.bus = nil
        unlink(host.busPath)
    }

    func startAvahi(of host: Host) throws {
        let script = """
            mount -t tmpfs tmpfs /run && mkdir /run/avahi-daemon && chown avahi:avahi /run/avahi-daemon || exit 1
            exec avahi-daemon --no-chroot -f "$1"
            """
        host.avahi = try launch(
            "ip", "netns", "exec", host.namespace, "unshare", "-m", "--propagation", "private", "sh", "-c", script,
            "sh", "\(host.busPath).conf", bus: host)
    }

    func stopAvahi(of host: Host) {
        host.avahi?.end()
        host.avahi = nil
    }

    /// Publishes a name on the second host.
    func occupy(_ name: String) throws {
        // If two hosts probe a name at the same time, the one with the greater data wins, record by record (RFC 6762,
        // 8.2). Here, both the SRV and the TXT record are greater than those of the bridge.
        helpers.append(
            try launch("avahi-publish", "-s", name, "_hap._tcp", "65000", "taken=by another host", bus: phone))
    }

    /// Publishes a service on the second host, until the returned program is ended.
    func publish(_ name: String, port: Int, txt: String...) throws -> ChildProcess {
        // avahi-publish sends the last string first.
        let program = try child(
            ["avahi-publish", "-s", name, "_hap._tcp", "\(port)"] + txt.reversed(), bus: phone, output: "/dev/null")
        helpers.append(program)
        return program
    }

    // MARK: Observing

    /// The resolved services on the second host: `name port "key=value" ...`.
    func services() async throws -> [String] {
        let text = try await run(
            "ip", "netns", "exec", phone.namespace, "avahi-browse", "-rpt", "_hap._tcp", bus: phone)
        return text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ";", omittingEmptySubsequences: false)
            guard fields.first == "=", fields.count >= 10, fields[1] == "eth0" else { return nil }
            return "\(fields[3]) \(fields[8]) \(fields[9])"
        }
    }

    /// Starts recording services that appear on and disappear from the second host; see ``events()``.
    func watch() throws {
        helpers.append(
            try launch(
                "ip", "netns", "exec", phone.namespace, "stdbuf", "-oL", "avahi-browse", "-p", "_hap._tcp", bus: phone,
                output: watchPath))
    }

    /// The services that appeared (`+name`) and disappeared (`-name`) since ``watch()``.
    func events() throws -> [String] {
        try String(contentsOfFile: watchPath, encoding: .utf8).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ";")
            return fields.count >= 4 && fields[1] == "eth0" ? "\(fields[0])\(fields[3])" : nil
        }
    }

    private var watchPath: String { "\(directory)/watch" }

    // MARK: Cleanup

    /// Ends and removes everything that was started.
    func tearDown() {
        for helper in helpers { helper.end() }
        for host in [bridge, phone] {
            stopAvahi(of: host)
            stopBus(of: host)
            let removal = try? child(["ip", "netns", "del", host.namespace], bus: nil, output: "/dev/null")
            removal?.waitNow()
        }
        try? FileManager.default.removeItem(atPath: directory)
    }

    // MARK: Processes

    @discardableResult
    private func run(_ arguments: String..., bus: Host? = nil) async throws -> String {
        let output = "\(directory)/output"
        let status = try await child(arguments, bus: bus, output: output).wait()
        guard status == 0 else {
            throw ChildProcess.Failure(description: "\(arguments.joined(separator: " ")) ended with status \(status)")
        }
        // FoundationEssentials leaks a page for each empty file that it reads.
        var file = stat()
        guard stat(output, &file) == 0, file.st_size > 0 else { return "" }
        return try String(contentsOfFile: output, encoding: .utf8)
    }

    private func launch(_ arguments: String..., bus: Host? = nil, output: String = "/dev/null") throws -> ChildProcess {
        try child(arguments, bus: bus, output: output)
    }

    private func child(_ arguments: [String], bus: Host?, output: String) throws -> ChildProcess {
        var environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"]
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus?.busAddress
        return try ChildProcess(["/usr/bin/env"] + arguments, environment: environment, output: output)
    }

    private func writeConfiguration(of host: Host, hostName: String) throws {
        let text = """
            [server]
            host-name=\(hostName)
            use-ipv6=no
            [publish]
            publish-hinfo=no
            publish-workstation=no
            [rlimits]

            """
        try Data(text.utf8).write(to: URL(filePath: "\(host.busPath).conf"))
    }
}
