import BoundedJSON
import Glibc

/// The processor time of one operation.
///
/// It is the median of several rounds, each of which is long compared to the resolution of the clock.
struct Timing {
    private static let rounds = 11
    private static let roundLength = Duration.milliseconds(30)

    /// The time per operation.
    let nanoseconds: Double
    /// The difference between the upper and the lower quartile of the rounds, relative to the median.
    ///
    /// It shows the noise of the machine.
    let spread: Double

    /// Measures an operation.
    ///
    /// - Parameter run: The function that executes the operation the given number of times.
    init(_ run: (_ count: Int) async throws -> Void) async rethrows {
        // Find the number of operations per round. This is also the warm-up.
        var count = 1
        while try await Self.time(count, run) < Self.roundLength, count < 1 << 30 { count *= 2 }
        var times: [Double] = []
        for _ in 0..<Self.rounds { times.append(try await Self.time(count, run) / .nanoseconds(1) / Double(count)) }
        times.sort()
        nanoseconds = times[times.count / 2]
        spread = (times[times.count * 3 / 4] - times[times.count / 4]) / nanoseconds
    }

    /// Returns the processor time of all threads, which excludes time spent waiting.
    private static func time(_ count: Int, _ run: (Int) async throws -> Void) async rethrows -> Duration {
        let began = processorTime
        try await run(count)
        return processorTime - began
    }

    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Prints a line with the result.
    ///
    /// - Parameters:
    ///   - name: The operation's name.
    ///   - bytes: The number of bytes per operation, to also report a throughput.
    func report(_ name: String, bytes: Int? = nil) {
        var object: JSONObject = [
            "step": .string(name), "cpu_us": .number(nanoseconds / 1000), "spread": .number(spread),
        ]
        if let bytes { object["mb_per_s"] = .number(Double(bytes) * 1000 / nanoseconds) }
        let line = JSONValue.object(object).encoded + [UInt8(ascii: "\n")]
        _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}

/// Consumes a value, so that the optimizer can't remove its computation.
@inline(never) @_optimize(none)
func blackHole<Value>(_ value: Value) {}
