import BoundedJSON
import HAPController
import HAPModel
import HAPProtocol

extension Load {
    /// Measures pair setup.
    ///
    /// Returns the last pairing.
    func pairSetup(_ code: SetupCode) async throws -> AccessoryPairing {
        var cost = Duration.zero
        var latencies: [Duration] = []
        // The first pair setup isn't counted, because caches are still cold.
        let times = count(10) + 1
        for time in 1... {
            let spent = try server.processorTime()
            let began = ContinuousClock.now
            let pairing = try await bridge.withConnections(1) { connections in
                try await connections[0].pairSetup(
                    as: bridge.identity, code: code, withAuth: false, within: Bridge.timeout)
            }
            if time > 1 {
                latencies.append(ContinuousClock.now - began)
                cost += try server.processorTime() - spent
            }
            guard time < times else {
                report(
                    "pair setup",
                    [
                        "operations": .integer(Int64(latencies.count)),
                        "cpu_us": .number(cost.microseconds / Double(latencies.count)),
                    ], latencies: latencies)
                return pairing
            }
            try await bridge.withSessions(1, pairing) { sessions in
                _ = try await sessions[0].pairings(.remove(bridge.identity.controller), within: Bridge.timeout)
            }
        }
        throw LoadError("no pair setup succeeded")
    }

    /// Measures connections with pair verify, which every returning controller makes.
    func pairVerify(_ pairing: AccessoryPairing) async throws {
        for lanes in [1, 4] {
            try await measure("connect and pair verify, \(lanes) at a time", operations: 200 * lanes, lanes: lanes) {
                _, _ in
                try await bridge.withSessions(1, pairing) { _ in }
            }
        }
    }

    func reads(_ pairing: AccessoryPairing, _ lights: [Bridge.Light]) async throws {
        try await bridge.withSessions(1, pairing) { sessions in
            try await measure("GET /accessories", operations: 200) { _, _ in
                try await sessions[0].demand(200, HTTPRequest(.get, "/accessories"))
            }
        }
        for lanes in [1, Self.crowd] {
            try await bridge.withSessions(lanes, pairing) { sessions in
                let requests = lights.prefix(lanes).map {
                    HTTPRequest(.get, "/characteristics", query: ReadRequest(ids: [$0.on]).query)
                }
                try await measure("GET 1 characteristic, \(lanes) at a time", operations: 4000 * lanes, lanes: lanes) {
                    lane, _ in
                    try await sessions[lane].demand(200, requests[lane])
                }
            }
        }
    }

    func writes(_ pairing: AccessoryPairing, _ lights: [Bridge.Light]) async throws {
        for lanes in [1, Self.crowd] {
            try await bridge.withSessions(lanes, pairing) { sessions in
                try await measure("PUT 1 characteristic, \(lanes) at a time", operations: 2000 * lanes, lanes: lanes) {
                    lane, number in
                    try await sessions[lane].put(
                        WriteRequest.Entry(id: lights[lane].on, value: .bool(number.isMultiple(of: 2))))
                }
            }
        }
    }

    /// Measures the server while it is idle but has subscribers.
    func idle(_ pairing: AccessoryPairing, _ lights: [Bridge.Light]) async throws {
        try await bridge.withSessions(Self.crowd, pairing) { sessions in
            for session in sessions {
                try await session.put(WriteRequest.Entry(id: lights[0].brightness, events: true))
            }
            // Wait until the states of the lights are saved, which happens 10 s after the last change.
            try await Task.sleep(for: .seconds(15))
            let (spent, slept) = (try server.processorTime(), try server.sleeps())
            let began = ContinuousClock.now
            try await Task.sleep(for: .seconds(10))
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            let wakeUps = try server.sleeps().map { $0.value - (slept[$0.key] ?? 0) }.reduce(0, +)
            report(
                "idle, \(Self.crowd) subscribed",
                [
                    "cpu_us_per_second": .number((try server.processorTime() - spent).microseconds / seconds),
                    "wake_ups_per_second": .number(Double(wakeUps) / seconds),
                ])
        }
    }

    func memory(_ step: String) throws {
        report(
            step,
            [
                "resident_kib": .integer(Int64(try server.residentMemory())),
                "private_dirty_kib": .integer(Int64(try server.privateDirtyMemory())),
            ])
    }
}
