import Foundation

/// Two hosts on one cable, each a network namespace with a D-Bus and an Avahi daemon of its own.
///
/// The publisher under test lives in this process and reaches the first host's bus by its path, so the address is
/// set once for the whole process and the suite that uses it is serialized.
final class PretendLAN {
    /// Why it cannot be made here; nil when it can.
    static var obstacle: String? {
        if getuid() != 0 { return "network namespaces need root" }
        for tool in ["ip", "unshare", "dbus-daemon", "avahi-daemon", "avahi-browse", "avahi-publish"] {
            let places = ["/usr/bin", "/usr/sbin", "/bin", "/sbin"]
            if !places.contains(where: { access("\($0)/\(tool)", X_OK) == 0 }) { return "\(tool) is not installed" }
        }
        return nil
    }

    /// In CI a skip would go unseen, so there the tests run and fail.
    static var isUsable: Bool {
        let isCI = ProcessInfo.processInfo.environment["CI"] == "true"
        if let obstacle, !isCI { print("Skipped: the tests with a real Avahi, because \(obstacle)") }
        return obstacle == nil || isCI
    }

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

        /// Whether the bus takes connections; its socket is there a moment before.
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

    private static let directory: String = {
        let path = "/tmp/lamplighter-avahi-\(getpid())"
        setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=\(path)/bridge.bus", 1)
        return path
    }()

    let bridge: Host
    let phone: Host
    private var helpers: [ChildProcess] = []

    init() throws {
        try FileManager.default.createDirectory(atPath: Self.directory, withIntermediateDirectories: true)
        let prefix = "lampd\(getpid())"
        bridge = Host(namespace: "\(prefix)-bridge", busPath: "\(Self.directory)/bridge.bus")
        phone = Host(namespace: "\(prefix)-phone", busPath: "\(Self.directory)/phone.bus")
        for (number, host) in [bridge, phone].enumerated() {
            try run("ip", "netns", "add", host.namespace)
            try run("ip", "netns", "exec", host.namespace, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
            try run("ip", "-n", host.namespace, "link", "set", "lo", "up")
            try writeConfiguration(of: host, hostName: number == 0 ? "bridge" : "phone")
        }
        try run(
            "ip", "-n", bridge.namespace, "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns",
            phone.namespace)
        for (number, host) in [bridge, phone].enumerated() {
            try run("ip", "-n", host.namespace, "addr", "add", "10.77.0.\(number + 1)/24", "dev", "eth0")
            try run("ip", "-n", host.namespace, "link", "set", "eth0", "up")
        }
    }

    /// The index of the bridge's interface, as its Avahi daemon counts.
    func interfaceIndex() throws -> Int32 {
        let line = try run("ip", "-n", bridge.namespace, "-o", "link", "show", "eth0")
        return Int32(line.prefix { $0.isNumber }) ?? 0
    }

    // MARK: Daemons

    func startBus(of host: Host) async throws {
        unlink(host.busPath)
        host.bus = try launch(
            "dbus-daemon", "--system", "--nofork", "--nopidfile", "--nosyslog", "--address=\(host.busAddress)")
        try await until("the bus listens") { host.busListens }
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

    /// Takes a name on the second host's Avahi.
    func occupy(_ name: String) throws {
        // Of two that ask at once, the greater data wins, record by record (RFC 6762, 8.2): both SRV and TXT are greater.
        helpers.append(
            try launch("avahi-publish", "-s", name, "_hap._tcp", "65000", "taken=by another host", bus: phone))
    }

    /// Publishes on the second host, until the program that is returned is ended.
    func publish(_ name: String, port: Int, txt: String...) throws -> ChildProcess {
        // It sends the last string first.
        let program = try child(
            ["avahi-publish", "-s", name, "_hap._tcp", "\(port)"] + txt.reversed(), bus: phone, output: "/dev/null")
        helpers.append(program)
        return program
    }

    // MARK: Looking

    /// What the second host sees: resolved services, `name port "key=value" ...`.
    func services() throws -> [String] {
        try run("ip", "netns", "exec", phone.namespace, "avahi-browse", "-rpt", "_hap._tcp", bus: phone).split(
            separator: "\n"
        ).compactMap { line in
            let fields = line.split(separator: ";", omittingEmptySubsequences: false)
            guard fields.first == "=", fields.count >= 10, fields[1] == "eth0" else { return nil }
            return "\(fields[3]) \(fields[8]) \(fields[9])"
        }
    }

    /// Begins to note what comes to and goes from the second host's view; ``events()`` tells.
    func watch() throws {
        helpers.append(
            try launch(
                "ip", "netns", "exec", phone.namespace, "stdbuf", "-oL", "avahi-browse", "-p", "_hap._tcp", bus: phone,
                output: watchPath))
    }

    /// What came (`+name`) and went (`-name`) since ``watch()``.
    func events() throws -> [String] {
        try String(contentsOfFile: watchPath, encoding: .utf8).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ";")
            return fields.count >= 4 && fields[1] == "eth0" ? "\(fields[0])\(fields[3])" : nil
        }
    }

    private var watchPath: String { "\(Self.directory)/watch" }

    // MARK: The end

    func tearDown() throws {
        for helper in helpers { helper.end() }
        for host in [bridge, phone] {
            stopAvahi(of: host)
            stopBus(of: host)
        }
        for host in [bridge, phone] { try run("ip", "netns", "del", host.namespace) }
        try FileManager.default.removeItem(atPath: Self.directory)
    }

    // MARK: Processes

    @discardableResult
    private func run(_ arguments: String..., bus: Host? = nil) throws -> String {
        let output = "\(Self.directory)/output"
        let status = try child(arguments, bus: bus, output: output).wait()
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

    private func until(_ claim: String, _ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while !condition() {
            guard .now < deadline else { throw ChildProcess.Failure(description: "not within 10 s: \(claim)") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
