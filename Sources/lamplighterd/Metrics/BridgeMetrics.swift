import AccessoryRole
import BridgeControl
import DeviceBridge
import DeviceKit
import Discovery
import HAPProtocol

/// The metrics of the bridge at one time.
struct BridgeMetrics: Sendable {
    private typealias Sample = PrometheusText.Sample

    var version: String
    var isPaired: Bool
    var pairings: Int
    var wrongSetupCodesInARow: Int
    var connections: Int
    var sessions: Int
    var configurationNumber: UInt16
    var server: ServerStatistics
    var drivers: [DriverStatistics]
    var warnings: Int
    var advertisement: BridgeStatus.Advertisement.State
    var databaseWrites: UInt64
    var failedDatabaseWrites: UInt64
    var suppressedEvents: UInt64
    var process: ProcessFigures

    /// The metrics in Prometheus format.
    ///
    /// To limit the number of time series, labels contain only endpoints, statuses, states, drivers and the like, but
    /// never peers or lights.
    var text: String {
        var text = PrometheusText()
        text.gauge("lamplighter_build_info", "The running version; always 1.", [Sample(["version": version], 1)])
        appendController(to: &text)
        appendRequests(to: &text)
        appendEvents(to: &text)
        appendLights(to: &text)
        appendDropped(to: &text)
        appendHostFacts(to: &text)
        appendProcess(to: &text)
        return text.text
    }

    private func appendController(to text: inout PrometheusText) {
        text.gauge("lamplighter_paired", "1 if a controller has paired.", isPaired ? 1 : 0)
        text.gauge("lamplighter_pairings", "Controllers that may connect.", Double(pairings))
        text.gauge(
            "lamplighter_connections", "Open connections, including unverified ones.", Double(connections))
        text.gauge("lamplighter_sessions", "Open verified connections.", Double(sessions))
        text.counter("lamplighter_connections_total", "Accepted connections.", Double(server.connections))
        text.counter(
            "lamplighter_connections_closed_total",
            "Connections that the bridge closed, by reason: too many, no progress, or rate limit exceeded.",
            [
                Sample(["reason": "crowded"], server.crowdedOut), Sample(["reason": "stalled"], server.stalled),
                Sample(["reason": "throttled"], server.throttled),
            ])
        text.counter(
            "lamplighter_pair_setup_failures_total", "Attempts to pair with a wrong setup code.",
            Double(server.wrongSetupCodes))
        text.gauge(
            "lamplighter_pair_setup_failures_in_a_row",
            "Wrong setup codes since the last correct one, including before a restart; \(SetupAttempts.maximumFailures) lock pairing.",
            Double(wrongSetupCodesInARow))
        text.gauge(
            "lamplighter_configuration_number",
            "The c# that controllers see; it increases when accessories change.",
            Double(configurationNumber))
    }

    private func appendRequests(to text: inout PrometheusText) {
        let routes = Route.allCases.compactMap { route in server.requests[route].map { (route, $0) } }
        text.counter(
            "lamplighter_requests_total", "Requests of controllers by endpoint and HTTP status.",
            routes.flatMap { route, requests in
                requests.outcomes.sorted { $0.key < $1.key }.map {
                    Sample(["endpoint": route.name, "status": "\($0.key)"], $0.value)
                }
            })
        text.histogram(
            "lamplighter_request_duration_seconds", "Time from a request to its response.",
            routes.map { (("endpoint", $0.name), $1.latency) })
    }

    private func appendEvents(to text: inout PrometheusText) {
        text.counter("lamplighter_event_messages_total", "Event messages to controllers.", Double(server.eventMessages))
        text.counter(
            "lamplighter_events_total",
            "Changed values for controllers: sent, replaced by newer ones before they were sent, or lost.",
            [
                Sample(["outcome": "sent"], server.eventsSent),
                Sample(["outcome": "coalesced"], server.eventsCoalesced),
                Sample(["outcome": "dropped"], server.eventsDropped),
            ])
    }

    private func appendLights(to text: inout PrometheusText) {
        text.gauge("lamplighter_lights", "Lights by driver.", drivers.map { Sample(["driver": $0.id], $0.lights) })
        text.gauge(
            "lamplighter_lights_reachable", "Reachable lights by driver.",
            drivers.map { Sample(["driver": $0.id], $0.reachableLights) })
        text.gauge(
            "lamplighter_driver_state", "The state of each driver: 1 for its current state, 0 for the others.",
            drivers.flatMap { driver in
                ["starting", "running", "degraded"].map {
                    Sample(["driver": driver.id, "state": $0], $0 == driver.state.code.rawValue ? 1 : 0)
                }
            })
        text.counter(
            "lamplighter_light_commands_total", "Commands to drivers, by result.",
            drivers.flatMap { driver in
                driver.commands.outcomes.sorted { $0.key.rawValue > $1.key.rawValue }.map {
                    Sample(["driver": driver.id, "status": $0.key.word], $0.value)
                }
            })
        text.histogram(
            "lamplighter_light_command_duration_seconds", "Time from a command to the driver's response.",
            drivers.map { (("driver", $0.id), $0.commands.latency) })
    }

    private func appendDropped(to text: inout PrometheusText) {
        text.counter(
            "lamplighter_light_values_dropped_total",
            "Dropped messages from light systems: too many, unreadable, or with impossible values.",
            drivers.flatMap { driver in
                DropReason.allCases.map {
                    Sample(["driver": driver.id, "reason": $0.rawValue], driver.dropped[$0, default: 0])
                }
            })
    }

    private func appendHostFacts(to text: inout PrometheusText) {
        text.gauge(
            "lamplighter_advertisement_state",
            "The state of the mDNS publication: 1 for the current state, 0 for the others.",
            BridgeStatus.Advertisement.State.all.map { Sample(["state": $0.rawValue], $0 == advertisement ? 1 : 0) })
        text.gauge(
            "lamplighter_warnings", "Warnings that lamplighter status shows about drivers and lights.", Double(warnings)
        )
        text.counter(
            "lamplighter_database_writes_total", "Changes that were stored, or couldn't be stored.",
            [Sample(["result": "done"], databaseWrites), Sample(["result": "failed"], failedDatabaseWrites)])
        text.counter(
            "lamplighter_log_messages_suppressed_total", "Log messages that were suppressed as repetitions.",
            Double(suppressedEvents))
    }

    /// Appends the metrics of the process, with the standard names that Prometheus exporters use.
    private func appendProcess(to text: inout PrometheusText) {
        if let start = process.startTime {
            text.gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.", start)
        }
        if let time = process.processorTime {
            text.counter("process_cpu_seconds_total", "Processor time in seconds.", time)
        }
        if let memory = process.residentMemory {
            text.gauge("process_resident_memory_bytes", "Resident memory.", Double(memory))
        }
        if let files = process.openFiles { text.gauge("process_open_fds", "Open files and sockets.", Double(files)) }
        if let maximum = process.maximumFiles {
            text.gauge("process_max_fds", "The maximum number of open files and sockets.", Double(maximum))
        }
    }
}

extension HAPStatus {
    fileprivate var word: String {
        switch self {
        case .success: "success"
        case .unableToCommunicate: "unreachable"
        case .busy: "busy"
        case .timedOut: "timed_out"
        case .doesNotExist: "unknown"
        case .insufficientPrivileges, .readOnly, .writeOnly, .notificationNotSupported, .outOfResources, .invalidValue,
            .insufficientAuthorization, .notAllowedInCurrentState:
            "\(rawValue)"
        }
    }
}
