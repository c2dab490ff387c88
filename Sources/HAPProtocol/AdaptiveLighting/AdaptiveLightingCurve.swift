package import HAPModel

/// The color temperature as a function of time and brightness: points in time that are connected by straight lines.
package struct AdaptiveLightingCurve: Equatable, Sendable {
    /// A point of the curve.
    package struct Entry: Equatable, Sendable {
        /// The change of the color temperature per percent of brightness, in mired.
        ///
        /// It is usually negative: a brighter lamp is cooler.
        package let adjustmentFactor: Float
        /// The color temperature at brightness 0, in mired.
        package let mired: Float
        /// The time from the previous entry, or from the end of its hold, to this entry.
        ///
        /// For the first entry, this is the time from the curve's start.
        package let offset: Duration
        /// The time for which the *previous* entry's color temperature stays constant.
        ///
        /// The hold of the first entry has no meaning.
        package let hold: Duration?

        /// The adjustment factors that make sense for a lamp, in mired per percent.
        ///
        /// With numbers in this range and in `mireds`, calculations can't overflow.
        static let factors: ClosedRange<Float> = -1000...1000
        static let mireds: ClosedRange<Float> = 0...10_000

        private static let durations = Duration.zero ... .milliseconds(UInt32.max)

        /// Creates an entry, or returns `nil` if an argument is out of range.
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

    /// The maximum number of entries; a day with one entry every five minutes has 288.
    package static let maximumEntries = 1024

    /// The points, sorted by time.
    package let entries: [Entry]
    /// The Brightness characteristic that the curve depends on.
    package let brightness: InstanceID
    /// The range to which brightness is clamped.
    package let brightnessRange: ClosedRange<Int>

    /// Creates a curve.
    ///
    /// Returns `nil` if there are no entries or too many, if the curve's duration is zero, or if the brightness range
    /// isn't within 0 to 100.
    package init?(entries: [Entry], brightness: InstanceID, brightnessRange: ClosedRange<Int> = 10...100) {
        guard (1...Self.maximumEntries).contains(entries.count), (0...100).contains(brightnessRange.lowerBound),
            brightnessRange.upperBound <= 100
        else { return nil }
        self.entries = entries
        self.brightness = brightness
        self.brightnessRange = brightnessRange
        guard duration > .zero else { return nil }
    }

    /// The time from the start to the last entry.
    package var duration: Duration {
        var end = entries[0].offset
        for entry in entries.dropFirst() { end += (entry.hold ?? .zero) + entry.offset }
        return end
    }

    /// Returns the color temperature at the given time, rounded to whole mireds, but not clamped to a lamp's range.
    ///
    /// - Parameters:
    ///   - elapsed: The time since the curve was received. Before the first entry, that entry's color temperature
    ///     applies.
    ///   - brightness: The lamp's brightness, in percent.
    /// - Returns: The color temperature, or `nil` after the last entry.
    package func mired(elapsed: Duration, brightness: Int) -> Int? {
        var previous = entries[0]
        var time = previous.offset
        guard elapsed > time else { return Self.mired(previous, previous, 0, multiplier(brightness)) }
        for entry in entries.dropFirst() {
            let start = time + (entry.hold ?? .zero)
            let end = start + entry.offset
            if elapsed <= end {
                // `end` is after `start`, so this doesn't divide by zero.
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
