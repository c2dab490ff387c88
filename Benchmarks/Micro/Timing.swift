import BoundedJSON
import Glibc

/// How much processor time one operation takes: the median of rounds, each long enough for the clock.
struct Timing {
    private static let rounds = 11
    private static let roundLength = Duration.milliseconds(30)

    /// For one operation.
    let nanoseconds: Double
    /// By how much the quarter of the rounds that is above the others differs from the quarter below them, as a share of
    /// the median: what the machine adds.
    let spread: Double

    /// Times operations.
    ///
    /// - Parameter run: does it as often as it is told.
    init(_ run: (_ count: Int) async throws -> Void) async rethrows {
        // To find out how many make a round is the warm-up, too.
        var count = 1
        while try await Self.time(count, run) < Self.roundLength, count < 1 << 30 { count *= 2 }
        var times: [Double] = []
        for _ in 0..<Self.rounds { times.append(try await Self.time(count, run) / .nanoseconds(1) / Double(count)) }
        times.sort()
        nanoseconds = times[times.count / 2]
        spread = (times[times.count * 3 / 4] - times[times.count / 4]) / nanoseconds
    }

    /// All threads' time: what waits for the machine costs nothing.
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

    /// Prints a line about what was timed.
    ///
    /// - Parameters:
    ///   - name: what it is.
    ///   - bytes: how many bytes one operation moves, where that says more than a count.
    func report(_ name: String, bytes: Int? = nil) {
        var object: JSONObject = [
            "step": .string(name), "cpu_us": .number(nanoseconds / 1000), "spread": .number(spread),
        ]
        if let bytes { object["mb_per_s"] = .number(Double(bytes) * 1000 / nanoseconds) }
        let line = JSONValue.object(object).encoded + [UInt8(ascii: "\n")]
        _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}

/// Takes a value, so that the optimiser cannot leave out what made it.
@inline(never) @_optimize(none)
func blackHole<Value>(_ value: Value) {}
