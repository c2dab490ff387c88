import AccessoryRole
import DaemonKit
import DeviceBridge
import DeviceKit
import Discovery
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import lamplighterd

@Suite("BridgeMetrics", .timeout)
struct BridgeMetricsTests {
    /// Returns metrics whose numbers are all different, so that the test detects swapped metrics.
    private func metrics() async throws -> BridgeMetrics {
        let bridge = try await BridgeUnderTest(
            InMemoryAccessoryServerStore(),
            lights: (["a", "b", "c"] as [LightID]).map { LightDescription(id: $0, name: $0.rawValue) })
        await bridge.host.report(LightReport(reachable: false), from: "c")
        await bridge.host.dropped(5, .overflow)
        await bridge.host.dropped(6, .unreadable)
        await bridge.host.report(LightReport(brightness: 101), from: "a")
        for (light, error) in [("a", nil), ("b", .busy), ("a", .unreachable)] as [(LightID, LightError?)] {
            bridge.driver.set(light, error.map { ScriptedLightDriver.Behaviour.refuses($0) } ?? .accepts)
            _ = await bridge.lights.command(
                LightCommand(on: true), LightKey(driver: BridgeUnderTest.driverID, light: light))
        }
        var server = await bridge.server.statistics
        server.connections = 101
        server.crowdedOut = 102
        server.stalled = 103
        server.throttled = 104
        server.wrongSetupCodes = 105
        server.refusedSetups = 106
        server.eventMessages = 107
        server.eventsSent = 108
        server.eventsCoalesced = 109
        server.eventsDropped = 110
        return BridgeMetrics(
            version: "1.2", isPaired: true, pairings: 111, wrongSetupCodesInARow: 112, connections: 113, sessions: 114,
            configurationNumber: 115, server: server, drivers: await bridge.lights.driverStatistics(), warnings: 116,
            advertisement: .init(.withheld(reason: "r")), databaseWrites: 117, failedDatabaseWrites: 118,
            suppressedEvents: 119,
            process: ProcessFigures(
                startTime: 120, processorTime: 121, residentMemory: 122, openFiles: 123, maximumFiles: 124))
    }

    @Test("writes every metric under its name")
    func names() async throws {
        let lines = Set(try await metrics().text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init))
        let wanted = """
            lamplighter_build_info{version="1.2"} 1
            lamplighter_paired 1
            lamplighter_pairings 111
            lamplighter_connections 113
            lamplighter_sessions 114
            lamplighter_connections_total 101
            lamplighter_connections_closed_total{reason="crowded"} 102
            lamplighter_connections_closed_total{reason="stalled"} 103
            lamplighter_connections_closed_total{reason="throttled"} 104
            lamplighter_pair_setup_failures_total 105
            lamplighter_pair_setup_failures_in_a_row 112
            lamplighter_configuration_number 115
            lamplighter_event_messages_total 107
            lamplighter_events_total{outcome="sent"} 108
            lamplighter_events_total{outcome="coalesced"} 109
            lamplighter_events_total{outcome="dropped"} 110
            lamplighter_lights{driver="test"} 3
            lamplighter_lights_reachable{driver="test"} 2
            lamplighter_light_commands_total{driver="test",status="success"} 1
            lamplighter_light_commands_total{driver="test",status="busy"} 1
            lamplighter_light_commands_total{driver="test",status="unreachable"} 1
            lamplighter_light_command_duration_seconds_count{driver="test"} 3
            lamplighter_light_values_dropped_total{driver="test",reason="overflow"} 5
            lamplighter_light_values_dropped_total{driver="test",reason="unreadable"} 6
            lamplighter_light_values_dropped_total{driver="test",reason="invalid"} 1
            lamplighter_advertisement_state{state="off"} 0
            lamplighter_advertisement_state{state="waiting"} 0
            lamplighter_advertisement_state{state="withheld"} 1
            lamplighter_advertisement_state{state="registering"} 0
            lamplighter_advertisement_state{state="published"} 0
            lamplighter_advertisement_state{state="failed"} 0
            lamplighter_warnings 116
            lamplighter_database_writes_total{result="done"} 117
            lamplighter_database_writes_total{result="failed"} 118
            lamplighter_log_messages_suppressed_total 119
            process_start_time_seconds 120
            process_cpu_seconds_total 121
            process_resident_memory_bytes 122
            process_open_fds 123
            process_max_fds 124
            """.split(separator: "\n").map(String.init)
        for line in wanted { #expect(lines.contains(line), "\(line)") }
        // The only metrics that aren't listed above are buckets and sums of durations, and states of drivers.
        let others = lines.subtracting(wanted).filter { !$0.contains("_bucket") && !$0.contains("_sum") }
        #expect(others.allSatisfy { $0.hasPrefix("lamplighter_driver_state{driver=\"test\"") }, "\(others)")
        #expect(others.count == 3)
    }

    @Test("writes that the bridge is unpaired")
    func unpaired() async throws {
        var metrics = try await metrics()
        metrics.isPaired = false
        #expect(metrics.text.contains("\nlamplighter_paired 0\n"))
    }
}
