package import HAPModel

/// How the colour temperature moves with time and brightness: points in time, with straight lines between them.
package struct AdaptiveLightingCurve: Equatable, Sendable {
    /// A point of the curve.
    package struct Entry: Equatable, Sendable {
        /// Warmth that each percent of brightness adds, in mired; usually negative: brighter is cooler.
        package let adjustmentFactor: Float
        /// Warmth at brightness 0, in mired.
        package let mired: Float
        /// From the entry before, or the end of its hold, to this one; for the first from the curve's start.
        package let offset: Duration
        /// For how long the entry *before* keeps its value; the first entry's says nothing.
        package let hold: Duration?

        /// Numbers beyond these make no sense for a lamp; with them, no sum overflows.
        static let factors: ClosedRange<Float> = -1000...1000
        static let mireds: ClosedRange<Float> = 0...10_000

        private static let durations = Duration.zero ... .milliseconds(UInt32.max)

        /// Makes an entry; `nil` if a number is beyond sense.
        package init?(adjustmentFactor: Float, mired: Float, offset: Duration, hold: Duration? = nil) {
            guard Self.factors.contains(adjustmentFactor), Self.mireds.contains(mired),
                Self.durations.contains(offset), Self.durations.contains(hold ?? .zero)
            else { return nil }
            self.adjustmentFactor = adjustmentFactor
            self.mired = mired
            self.offset = offset
            self.hold = hold
        }
    }

    /// A day at one entry for each five minutes has 288.
    package static let maximumEntries = 1024

    /// The points, the earliest first.
    package let entries: [Entry]
    /// The Brightness that the curve refers to.
    package let brightness: InstanceID
    /// Brightness below or above counts as the nearer bound.
    package let brightnessRange: ClosedRange<Int>

    /// Makes a curve; `nil` if it has no entry or too many, lasts no time, or its range is none of percentages.
    package init?(entries: [Entry], brightness: InstanceID, brightnessRange: ClosedRange<Int> = 10...100) {
        guard (1...Self.maximumEntries).contains(entries.count), (0...100).contains(brightnessRange.lowerBound),
            brightnessRange.upperBound <= 100
        else { return nil }
        self.entries = entries
        self.brightness = brightness
        self.brightnessRange = brightnessRange
        guard duration > .zero else { return nil }
    }

    /// From the start to the last entry.
    package var duration: Duration {
        var end = entries[0].offset
        for entry in entries.dropFirst() { end += (entry.hold ?? .zero) + entry.offset }
        return end
    }

    /// The colour temperature at a time, to the nearest mired and not yet limited to what a lamp can do.
    ///
    /// - Parameters:
    ///   - elapsed: since the curve was received; before the first entry its value holds.
    ///   - brightness: the lamp's, in percent.
    /// - Returns: the colour temperature, or `nil` behind the last entry.
    package func mired(elapsed: Duration, brightness: Int) -> Int? {
        var previous = entries[0]
        var time = previous.offset
        guard elapsed > time else { return Self.mired(previous, previous, 0, multiplier(brightness)) }
        for entry in entries.dropFirst() {
            let start = time + (entry.hold ?? .zero)
            let end = start + entry.offset
            if elapsed <= end {
                // Behind `start` and not behind `end`: there is time between them, so this divides by no zero.
                let fraction = elapsed <= start ? 0 : (elapsed - start) / entry.offset
                return Self.mired(previous, entry, fraction, multiplier(brightness))
            }
            time = end
            previous = entry
        }
        return nil
    }

    private func multiplier(_ brightness: Int) -> Double {
        Double(min(max(brightness, brightnessRange.lowerBound), brightnessRange.upperBound))
    }

    private static func mired(_ from: Entry, _ to: Entry, _ fraction: Double, _ multiplier: Double) -> Int {
        func between(_ value: KeyPath<Entry, Float>) -> Double {
            Double(from[keyPath: value]) + fraction * (Double(to[keyPath: value]) - Double(from[keyPath: value]))
        }
        return Int((between(\.mired) + between(\.adjustmentFactor) * multiplier).rounded())
    }
}
