import BoundedJSON
import DeviceKit
import FoundationEssentials
import Glibc
import HAPTesting
import Logging
import TestTimeouts
import Testing

@testable import LightPlugins

@Suite("PluginDriver", .timeout, .serialized)
struct PluginDriverTests {
    /// Runs a driver while a test's body is running.
    private func running(
        _ driver: PluginDriver, _ body: (RecordingLightHost) async throws -> Void
    ) async throws {
        let host = RecordingLightHost()
        let run = Task { try await driver.run(host: host) }
        let result: Result<Void, any Error>
        do { result = .success(try await body(host)) } catch { result = .failure(error) }
        run.cancel()
        _ = await run.result
        try result.get()
    }

    private func until(_ limit: Duration = .seconds(60), _ isMet: () async -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            if await isMet() { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    private func quick() -> PluginTiming {
        var timing = PluginTiming()
        timing.answer = .milliseconds(300)
        timing.pingInterval = .milliseconds(100)
        timing.firstPause = .milliseconds(1)
        timing.longestPause = .milliseconds(1)
        timing.failures = .max
        return timing
    }

    private func failure(_ calls: [RecordingLightHost.Call]) -> String? {
        for case .state(.degraded(let reason)) in calls { return reason }
        return nil
    }

    // MARK: Valid plugins

    @Test("meets the driver contract with the example plugins", arguments: ["lamp.sh", "lamps.py", "fan.py"])
    func contract(name: String) async throws {
        let folder = try PluginProgram.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let lights: [String: LightID] = ["lamp.sh": "lamp", "lamps.py": "lamp-0", "fan.py": "fan-1"]
        let contract = DriverContract(goodLight: try #require(lights[name])) {
            PluginProgram.driver(
                ["\(PluginProgram.examples)/\(name)", "\(folder)/lamp"], stateDirectory: "\(folder)/plugins/t")
        }
        #expect(try await contract.violations() == [])
    }

    @Test("starts a plugin with three descriptors, its own process group, few variables and limits, and ends it")
    func environment() async throws {
        setenv("NOTIFY_SOCKET", "/nowhere", 1)
        defer { unsetenv("NOTIFY_SOCKET") }
        let driver = PluginProgram.driver(PluginProgram.script("serve"))
        var pid: Int32 = 0
        try await running(driver) { host in
            #expect(await host.wait(for: "a") { $0.reachable == true })
            pid = try #require(await driver.pid)
            #expect(getpgid(pid) == pid)
            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")
            #expect(Set(open).subtracting(["10", "255"]) == ["0", "1", "2"])
            let variables = String(
                decoding: try Data(contentsOf: URL(filePath: "/proc/\(pid)/environ")), as: UTF8.self)
            #expect(!variables.contains("NOTIFY_SOCKET") && variables.contains("PATH="))
            let limits = String(decoding: try Data(contentsOf: URL(filePath: "/proc/\(pid)/limits")), as: UTF8.self)
            #expect(limits.contains("Max data size             536870912            536870912"))
            #expect(limits.contains("Max open files            256                  256"))
            #expect(limits.contains("Max core file size        0                    0"))
        }
        #expect(await until { kill(pid, 0) != 0 })
    }

    // MARK: Invalid plugins

    @Test("restarts a killed plugin, whose light is unreachable until then")
    func killed() async throws {
        var timing = quick()
        // Use a long timeout, so that only the signal ends the plugin.
        timing.answer = .seconds(5)
        let driver = PluginProgram.driver(PluginProgram.script("serve"), timing: timing)
        try await running(driver) { host in
            var former: Int32 = 0
            for round in 1...20 {
                #expect(
                    await host.wait { calls in
                        calls.count { $0 == .report("a", LightReport(on: true, reachable: true)) } >= round
                    })
                let pid = try #require(await driver.pid)
                #expect(pid != former)
                former = pid
                kill(pid, SIGKILL)
                #expect(
                    await host.wait { calls in
                        calls.count { $0 == .report("a", LightReport(reachable: false)) } >= round
                    })
            }
            #expect(host.calls.count { if case .added = $0 { true } else { false } } == 1)
            #expect(failure(host.calls)?.contains("it was ended by signal 9") == true)
        }
    }

    @Test(
        "ends a plugin that violates the protocol, and reports the reason",
        arguments: [
            ("serve_then_garbage", "it wrote an invalid line: not valid JSON"),
            (
                "printf 'x%.0s' $(seq 70000) $(seq 70000) $(seq 70000) $(seq 70000); serve",
                "it wrote a line of more than 262144 bytes"
            ),
            ("exit 3", "it ended with exit code 3"),
            ("exec /nonexistent", "it ended with exit code 127"),
            (
                "say '\"method\":\"lights/removed\",\"params\":{\"id\":\"a\"}'; serve",
                "it sent messages before it answered hello"
            ),
            ("exec >&-; serve", "it was ended by signal 9"),
            ("kill -STOP $$", "it didn't answer hello within 1 s"),
        ])
    func violations(script: String, reason: String) async throws {
        var timing = quick()
        timing.hello = .seconds(script.contains("STOP") ? 1 : 30)
        timing.firstPause = .seconds(60)
        let command =
            script == "serve_then_garbage"
            ? PluginProgram.script("serve", asks: "echo rubbish") : PluginProgram.script(script)
        try await running(PluginProgram.driver(command, timing: timing)) { host in
            #expect(await host.wait { self.failure($0)?.contains(reason) == true }, "\(host.calls)")
        }
    }

    @Test("reports why a plugin can't be started")
    func missing() async throws {
        var timing = quick()
        timing.firstPause = .seconds(60)
        try await running(PluginProgram.driver(["/nonexistent"], timing: timing)) { host in
            #expect(
                await host.wait { self.failure($0)?.contains("/nonexistent can't be started: No such file") == true })
        }
    }

    @Test("ends after the fifth failure, and reports a remedy")
    func stops() async throws {
        var timing = quick()
        timing.failures = 5
        let driver = PluginProgram.driver(["/bin/false"], timing: timing)
        let host = RecordingLightHost()
        do {
            try await driver.run(host: host)
            Issue.record("the driver doesn't end")
        } catch {
            #expect("\(error)".contains("it ended with exit code 1; fix the plugin, then run lamplighter reload"))
        }
        #expect(host.calls.count { if case .state(.degraded) = $0 { true } else { false } } == 4)
    }

    @Test("ends the processes that a plugin has started")
    func forks() async throws {
        let folder = try PluginProgram.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var timing = quick()
        timing.firstPause = .seconds(60)
        let command = PluginProgram.script("sleep 1000 & echo $! >\(folder)/pid; serve")
        let driver = PluginProgram.driver(command, timing: timing)
        try await running(driver) { host in
            #expect(await host.wait(for: "a") { $0.reachable == true })
            let text = try String(contentsOf: URL(filePath: "\(folder)/pid"), encoding: .utf8)
            let child = try #require(Int32(text.dropLast()))
            #expect(kill(child, 0) == 0)
            // The child keeps standard output open, so the plugin's end isn't visible there.
            kill(try #require(await driver.pid), SIGKILL)
            #expect(await host.wait(for: "a") { $0.reachable == false })
            #expect(await until { isGone(child) })
        }
    }

    private func isGone(_ pid: Int32) -> Bool {
        guard let stat = try? String(contentsOf: URL(filePath: "/proc/\(pid)/stat"), encoding: .utf8) else {
            return true
        }
        return stat.contains(") Z ")
    }

    @Test("reports the last state of a plugin that sends too many messages")
    func floods() async throws {
        let flood = PluginProgram.script(
            "serve",
            asks: """
                { n=0; while [ $n -lt 300 ]; do n=$((n+1)); echo $n >&2; done; \
                yes '{"jsonrpc":"2.0","method":"lights/state","params":{"id":"a","on":false}}' | head -n 4000; \
                say '"method":"lights/state","params":{"id":"a","reachable":false}'; }
                """)
        var timing = quick()
        timing.answer = .seconds(30)
        try await running(PluginProgram.driver(flood, timing: timing)) { host in
            #expect(await host.wait(for: "a", limit: .seconds(30)) { $0.reachable == false })
            let reports = host.calls.count { if case .report = $0 { true } else { false } }
            #expect(reports > 2, "reports were delivered during the flood")
            #expect(failure(host.calls) == nil)
        }
    }
}
