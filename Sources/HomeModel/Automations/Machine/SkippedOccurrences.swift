/// A range of occurrences of a scheduled event that didn't run because the clock was set forward.
///
/// They run if the clock is set back to a time before them.
struct SkippedOccurrences: HomeMessage {
    var first: Int
    var last: Int
    /// A Boolean value that indicates whether the clock was set back, so that they're in the future again.
    var isDue = false

    /// Returns the ranges of open occurrences, without the handled ones between them.
    static func ranges(of numbers: [Int], _ memory: TriggerState.EventMemory?) -> [SkippedOccurrences] {
        numbers.sorted().reduce(into: []) { ranges, number in
            if let last = ranges.last, (last.last + 1..<number).allSatisfy({ memory?.isOpen($0) ?? true }) {
                ranges[ranges.endIndex - 1].last = number
            } else {
                ranges.append(SkippedOccurrences(first: number, last: number))
            }
        }
    }
}

extension TriggerState.EventMemory {
    /// Returns a Boolean value that indicates whether an occurrence can still run.
    func isOpen(_ number: Int) -> Bool {
        if case .occurrence(let handled) = content, number <= handled {
            return skipped.contains { $0.isDue && $0.first...$0.last ~= number }
        }
        return true
    }

    /// The number of the first occurrence that can still run.
    var firstOpen: Int {
        guard case .occurrence(let handled) = content else { return .min }
        return skipped.lazy.filter(\.isDue).map(\.first).min() ?? handled + 1
    }

    /// Marks all occurrences up to a number as handled, except those after it that are due again.
    mutating func handle(through number: Int) {
        if case .occurrence(let handled) = content { content = .occurrence(max(handled, number)) }
        skipped = skipped.compactMap { former in
            guard former.isDue, former.first <= number else { return former }
            return former.last > number
                ? SkippedOccurrences(first: number + 1, last: former.last, isDue: true) : nil
        }
    }

    /// Adds handled occurrences that the clock has skipped.
    mutating func skip(_ ranges: [SkippedOccurrences]) {
        // The oldest ones never run.
        skipped = (skipped + ranges).suffix(TriggerLimits.skippedRanges)
    }

    /// Makes the skipped occurrences from a number on due again.
    mutating func reopen(from number: Int) {
        skipped = skipped.flatMap { former -> [SkippedOccurrences] in
            guard !former.isDue, former.last >= number else { return [former] }
            let due = SkippedOccurrences(first: max(former.first, number), last: former.last, isDue: true)
            return former.first < number
                ? [SkippedOccurrences(first: former.first, last: number - 1), due] : [due]
        }.suffix(TriggerLimits.skippedRanges)
    }
}
