import AccessoryRole
import DaemonKit
import DeviceKit
import FoundationEssentials
import Glibc
import HAPProtocol
import HAPTesting
import HAPTransport
import Logging
import NIOPosix
import Synchronization
import SystemKit
import TestTimeouts
import Testing

@testable import lamplighterd

@Suite("PrometheusText")
struct PrometheusTextTests {
    @Test("writes help and type before the samples of a metric")
    func families() {
        var text = PrometheusText()
        text.counter("a_total", "What a\\b is.\nMore.", 7)
        text.gauge("b", "It.", [.init(["x": "1", "y": "z"], 2), .init(["x": "\"\\\n é"], -3)])
        #expect(
            text.text == #"""
                # HELP a_total What a\\b is.\nMore.
                # TYPE a_total counter
                a_total 7
                # HELP b It.
                # TYPE b gauge
                b{x="1",y="z"} 2
                b{x="\"\\\n é"} -3

                """#)
    }

    @Test("accumulates the buckets of a histogram")
    func histogram() {
        var durations = LatencyHistogram()
        for duration in [Duration.microseconds(500), .milliseconds(2), .milliseconds(2), .seconds(9)] {
            durations.record(duration)
        }
        var text = PrometheusText()
        text.histogram("t_seconds", "T.", [(("e", "x"), durations)])
        #expect(
            text.text == """
                # HELP t_seconds T.
                # TYPE t_seconds histogram
                t_seconds_bucket{e="x",le="0.001"} 1
                t_seconds_bucket{e="x",le="0.005"} 3
                t_seconds_bucket{e="x",le="0.025"} 3
                t_seconds_bucket{e="x",le="0.1"} 3
                t_seconds_bucket{e="x",le="0.25"} 3
                t_seconds_bucket{e="x",le="0.5"} 3
                t_seconds_bucket{e="x",le="1"} 3
                t_seconds_bucket{e="x",le="2"} 3
                t_seconds_bucket{e="x",le="3"} 3
                t_seconds_bucket{e="x",le="+Inf"} 4
                t_seconds_sum{e="x"} 9.0045
                t_seconds_count{e="x"} 4

                """)
    }

    @Test("omits unknown values")
    func empty() {
        var text = PrometheusText()
        text.counter("a_total", "A.", [])
        text.histogram("b_seconds", "B.", [])
        #expect(text.text == "")
    }

    @Test(
        "formats numbers",
        arguments: [
            (0, "0"), (1.5, "1.5"), (1_700_000_000.25, "1700000000.25"), (.infinity, "+Inf"), (-.infinity, "-Inf"),
            (.nan, "NaN"), (0x1p60, "1.152921504606847e+18"),
        ] as [(Double, String)])
    func numbers(value: Double, text: String) {
        var written = PrometheusText()
        written.gauge("a", "A.", value)
        #expect(written.text.split(separator: "\n").last == "a \(text)")
    }

    @Test("reads the kernel's statistics about this process")
    func process() throws {
        let figures = ProcessFigures.current
        #expect(try #require(figures.startTime) > 1_600_000_000)
        #expect(try #require(figures.processorTime) > 0)
        // The value may change between the two reads. The comparison still distinguishes it from mapped memory, which
        // is several times as large.
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        let resident = try #require(Int(pages[1])) * sysconf(CInt(_SC_PAGESIZE))
        #expect((resident / 2...resident * 3 / 2).contains(try #require(figures.residentMemory)))
        #expect(try #require(figures.openFiles) > 2)
        #expect(figures.startTime == ProcessFigures.current.startTime)
    }
}

@Suite("MetricsServer", .timeout)
struct MetricsServerTests {
    private let loop = MultiThreadedEventLoopGroup.singleton.next()
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func listen(_ read: @escaping @Sendable () async -> String = { "figures" }) async throws
        -> AccessoryListener
    {
        try await AccessoryListener(
            address: "127.0.0.1", port: 0, on: loop,
            for: MetricsServer(executor: EventLoopExecutor(loop), read: read), logger: logger)
    }

    private func connect(_ listener: AccessoryListener) async throws -> TestController {
        let controller = TestController(executor: EventLoopExecutor(loop))
        _ = try await TCPLink(controller, port: listener.port, loop: loop)
        return controller
    }

    @Test("answers GET /metrics repeatedly on one connection, and rejects other requests")
    func routes() async throws {
        let count = Mutex(0)
        let listener = try await listen {
            count.withLock { count in
                count += 1
                return "figures \(count)"
            }
        }
        let prometheus = try await connect(listener)
        let first = try await prometheus.get("/metrics")
        #expect(first.status == 200)
        #expect(first.text == "figures 1")
        #expect(try await prometheus.get("/metrics?collect=all").text == "figures 2")
        #expect(try await prometheus.get("/").status == 404)
        #expect(try await prometheus.get("/accessories").status == 404)
        #expect(try await prometheus.post("/pair-setup", []).status == 404)
        #expect(try await prometheus.post("/metrics", []).status == 405)
        #expect(count.withLock { $0 } == 2)
        await listener.close()
    }

    @Test(
        "rejects a host name that a web page could resolve to this computer",
        arguments: [
            (nil, 200), ("evil.example", 421), ("evil.example:9251", 421), ("lamp.example", 200),
            ("LAMP.example:9251", 200),
            ("127.0.0.1:9251", 200), ("[::1]:9251", 200), ("localhost", 200), ("lamp", 200), ("lamp.local", 200),
        ] as [(String?, Int)])
    func hosts(host: String?, status: Int) async throws {
        let listener = try await AccessoryListener(
            address: "127.0.0.1", port: 0, on: loop,
            for: MetricsServer(executor: EventLoopExecutor(loop), names: ["lamp.example"]) { "figures" }, logger: logger
        )
        let prometheus = try await connect(listener)
        #expect(try await prometheus.request(HTTPRequest(.get, "/metrics", publicHost: host)).status == status)
        await listener.close()
    }

    @Test("closes the connection that has been idle the longest if there are too many")
    func crowded() async throws {
        let listener = try await listen()
        var connected: [TestController] = []
        for _ in 0..<MetricsServer.maximumConnections {
            let prometheus = try await connect(listener)
            #expect(try await prometheus.get("/metrics").status == 200)
            connected.append(prometheus)
        }
        let first = try #require(connected.first)
        #expect(try await first.get("/metrics").status == 200)
        let last = try await connect(listener)
        #expect(try await last.get("/metrics").status == 200)
        await connected[1].waitForClose()
        #expect(try await first.get("/metrics").status == 200)
        await listener.close()
    }

    @Test("reports a port in use and a foreign address with a remedy")
    func taken() async throws {
        let listener = try await listen()
        let text = "127.0.0.1:\(listener.port)"
        let taken = MetricsListenerError(address: try ListenAddress(text), cause: .portTaken(listener.port))
        #expect(taken.exitCode == .unavailable)
        #expect(taken.description.hasPrefix("metrics: port \(listener.port) is taken by "))
        #expect(taken.description.hasSuffix("choose another metrics.listen"))
        await #expect(throws: ListenerError.portTaken(listener.port)) {
            _ = try await AccessoryListener(
                address: "127.0.0.1", port: listener.port, on: loop,
                for: MetricsServer(executor: EventLoopExecutor(loop)) { "" }, logger: logger)
        }
        await #expect(throws: ListenerError.self) {
            _ = try await AccessoryListener(
                address: "192.0.2.1", port: 0, on: loop,
                for: MetricsServer(executor: EventLoopExecutor(loop)) { "" }, logger: logger)
        }
        await listener.close()
    }
}
