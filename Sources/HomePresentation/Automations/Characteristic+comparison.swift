import HAPModel
import HomeModel
import TerminalKit
import Texts

extension Characteristic {
    /// Returns the range between two typed numbers.
    ///
    /// - Throws: `HomeError` with code 43 if one isn't a number, 6 if the value can't be read, or 3 if a percentage is
    ///   beyond the limits.
    func range(comparing low: String, _ high: String) throws(HomeError) -> ValueRange {
        let range = ValueRange(minimum: try number(comparing: low), maximum: try number(comparing: high))
        for limit in [range.minimum, range.maximum] { try check(.equal, .float(limit ?? 0)) }
        return range
    }

    /// Checks that a comparison with a percentage can be true.
    ///
    /// Other quantities aren't checked, because sensors may report numbers beyond their limits.
    ///
    /// - Throws: `HomeError` with code 3 if the comparison can't be true.
    func check(_ comparison: ValueComparison, _ value: CharacteristicValue) throws(HomeError) {
        guard metadata.unit == .percentage, let number = value.number, let low = metadata.minimum,
            let high = metadata.maximum
        else { return }
        let isPossible =
            switch comparison {
            case .equal: low...max(low, high) ~= number
            case .notEqual: true
            case .less: number > low
            case .lessOrEqual: number >= low
            case .greater: number < high
            case .greaterOrEqual: number <= high
            }
        guard !isPossible else { return }
        let mark = comparison == .equal ? "" : comparison.rawValue
        throw HomeError(
            .invalidParameter,
            detail: localized("\(word) can't be \(mark)\(text(of: value)); it goes from \(rangeText)"))
    }

    /// Returns whether the typed name is the characteristic's type, and not also one of its names.
    func isNamedOnlyByType(_ typed: String) -> Bool {
        let key = typed.squashed
        return key == type.description.squashed
            && ![word, localizedDescription, "\(id)"].contains { $0.squashed == key }
    }
}
