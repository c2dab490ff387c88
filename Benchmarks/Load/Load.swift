import BoundedJSON
import Glibc

/// Measures the steps of a run: the server's processor time per operation, and the latency that the client sees.
struct Load: Sendable {
    /// The number of controllers in a busy home.
    static let crowd = 8

    let bridge: Bridge
    let server: ServerProcess
    let percent: Int

    /// Scales the number of operations of a complete run to the requested percentage, but to at least 1.
    func count(_ whole: Int) -> Int { max(whole * percent / 100, 1) }

    /// Measures operations, several of which may run concurrently.
    ///
    /// A tenth as many operations run first, as a warm-up.
    ///
    /// - Parameters:
    ///   - step: The step's name.
    ///   - operations: The number of operations in a complete run.
    ///   - lanes: The number of concurrent operations.
    ///   - operation: The operation, which receives the number of its lane and its number within the lane.
    /// - Throws: The error of `operation`, because the measurement is then invalid.
    func measure(
        _ step: String, operations: Int, lanes: Int = 1,
        _ operation: @escaping @Sendable (_ lane: Int, _ number: Int) async throws -> Void
    ) async throws {
        let share = max(count(operations) / lanes, 1)
        let warmUp = share / 10 + 1
        _ = try await run(0..<warmUp, lanes, operation)
        let spent = try server.processorTime()
        let began = ContinuousClock.now
        let latencies = try await run(warmUp..<warmUp + share, lanes, operation)
        let duration = ContinuousClock.now - began
        let cost = try server.processorTime() - spent
        report(
            step,
            [
                "operations": .integer(Int64(latencies.count)),
                "cpu_us": .number(cost.microseconds / Double(latencies.count)),
                "per_second": .number(Double(latencies.count) / duration.microseconds * 1e6),
            ],
            latencies: latencies)
    }

    private func run(
        _ numbers: Range<Int>, _ lanes: Int, _ operation: @escaping @Sendable (Int, Int) async throws -> Void
    ) async throws -> [Duration] {
        try await withThrowingTaskGroup(of: [Duration].self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var latencies: [Duration] = []
                    latencies.reserveCapacity(numbers.count)
                    for number in numbers {
                        let began = ContinuousClock.now
                        try await operation(lane, number)
                        latencies.append(ContinuousClock.now - began)
                    }
                    return latencies
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Prints the figures of a step as a line of JSON.
    func report(_ step: String, _ figures: JSONObject, latencies: [Duration] = []) {
        var object: JSONObject = ["step": .string(step)]
        for member in figures.members { object[member.name] = member.value }
        let sorted = latencies.sorted()
        if !sorted.isEmpty {
            object["p50_us"] = .number(sorted[sorted.count / 2].microseconds)
            object["p99_us"] = .number(sorted[min(sorted.count * 99 / 100, sorted.count - 1)].microseconds)
        }
        let line = JSONValue.object(object).encoded + [UInt8(ascii: "\n")]
        _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}

extension Duration {
    var microseconds: Double { self / .microseconds(1) }
}
