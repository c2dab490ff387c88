import BoundedJSON
import HAPController
import HAPModel
import HAPProtocol

extension Load {
    /// An event that a subscriber has received.
    private struct Arrival: Sendable {
        let subscriber: Int
        let value: Int
        let at: ContinuousClock.Instant
    }

    /// Measures events: one controller changes a light, and the other controllers receive events.
    func events(_ pairing: AccessoryPairing, _ lights: [Bridge.Light]) async throws {
        let id = lights[0].brightness
        let (arrivals, continuation) = AsyncStream.makeStream(of: Arrival.self)
        try await bridge.withSessions(1, pairing) { writers in
            let writer = writers[0]
            // Write a value with which none of the measurements begins, so that their first write is a change.
            try await writer.put(WriteRequest.Entry(id: id, value: .integer(100)))
            try await bridge.withSessions(Self.crowd, pairing) { subscriber, body in
                let now = ContinuousClock.now
                for entry in CharacteristicAnswer.list(parsing: body) ?? [] where entry.id == id {
                    guard let value = entry.value?.int else { continue }
                    continuation.yield(Arrival(subscriber: subscriber, value: value, at: now))
                }
            } _: { subscribers in
                for session in subscribers { try await session.put(WriteRequest.Entry(id: id, events: true)) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await Task.sleep(for: .seconds(120))
                        continuation.finish()
                    }
                    defer { group.cancelAll() }
                    var iterator = arrivals.makeAsyncIterator()
                    func next() async throws -> Arrival {
                        guard let arrival = await iterator.next(isolation: #isolation) else {
                            throw LoadError("not all events arrived in time")
                        }
                        return arrival
                    }
                    try await sparse(id, writer, next)
                    try await burst(id, writer, next)
                }
            }
        }
    }

    /// Measures single events: the changes are so far apart that each one is sent at once and in a separate event.
    private func sparse(
        _ id: CharacteristicID, _ writer: ControllerSession, _ next: () async throws -> Arrival
    ) async throws {
        var cost = Duration.zero
        var latencies: [Duration] = []
        let writes = count(20)
        for number in 0..<writes {
            // Wait until the event window has ended.
            try await Task.sleep(for: .milliseconds(400))
            let value = 1 + number % 99
            let spent = try server.processorTime()
            let began = ContinuousClock.now
            try await writer.put(WriteRequest.Entry(id: id, value: .integer(Int64(value))))
            for _ in 0..<Self.crowd {
                let arrival = try await next()
                guard arrival.value == value else {
                    throw LoadError("subscriber \(arrival.subscriber) received \(arrival.value) instead of \(value)")
                }
                latencies.append(arrival.at - began)
            }
            cost += try server.processorTime() - spent
        }
        report(
            "events to \(Self.crowd), sparse",
            ["operations": .integer(Int64(writes)), "cpu_us": .number(cost.microseconds / Double(writes))],
            latencies: latencies)
    }

    /// Measures bursts: the light is changed as fast as the bridge accepts the writes.
    ///
    /// Intermediate values may be coalesced, but every subscriber must receive the last one.
    private func burst(
        _ id: CharacteristicID, _ writer: ControllerSession, _ next: () async throws -> Arrival
    ) async throws {
        try await Task.sleep(for: .milliseconds(400))
        let writes = count(1000) + 1
        let last = 100
        let spent = try server.processorTime()
        for number in 1...writes {
            let value = number == writes ? last : 1 + (number + 49) % 99
            try await writer.put(WriteRequest.Entry(id: id, value: .integer(Int64(value))))
        }
        let written = ContinuousClock.now
        var waiting = Set(0..<Self.crowd)
        var notified = 0
        var latencies: [Duration] = []
        while !waiting.isEmpty {
            let arrival = try await next()
            notified += 1
            guard arrival.value == last, waiting.remove(arrival.subscriber) != nil else { continue }
            latencies.append(max(arrival.at - written, .zero))
        }
        let cost = try server.processorTime() - spent
        report(
            "events to \(Self.crowd), bursts",
            [
                "operations": .integer(Int64(writes)), "cpu_us": .number(cost.microseconds / Double(writes)),
                "events": .integer(Int64(notified)),
            ], latencies: latencies)
    }
}
