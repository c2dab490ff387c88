import BridgeControl
import SystemKit
import TerminalKit

extension [LightListing] {
    /// Returns the device whose key or name was typed.
    ///
    /// Unless `isWhole` is `true`, the beginning of the name is sufficient. Case, spaces and punctuation in names are
    /// ignored.
    ///
    /// - Throws: ``BridgeControlError`` with code 69 and the nearest name if no device matches, or with code 64 and the
    ///   keys if several devices match.
    func device(named typed: String, isWhole: Bool = false) throws(BridgeControlError) -> LightListing {
        let found = devices(named: typed, isWhole: isWhole)
        guard let device = found.first else {
            let beginnings = map { String($0.name.prefix { $0 != " " }) }
            let nearest = typed.nearest(in: map(\.key) + map(\.name) + beginnings)
            throw .unavailable(
                "there is no device \(typed.shown)",
                remedy: nearest.map { "did you mean \($0.sanitized)?" }
                    ?? "to list the devices, use \(ShellCommand.lamplighter) devices")
        }
        guard found.count == 1 else {
            let keys = found.prefix(5).map(\.key.sanitized).joined(separator: ", ")
            throw .usage("several devices are called \(typed.shown)", remedy: "use one of the keys \(keys)")
        }
        return device
    }

    /// Returns the device at the beginning of the words, and the remaining words.
    ///
    /// As many words as possible are considered part of the name, so that names need no quotation marks: `desk lamp
    /// on`.
    ///
    /// - Throws: ``BridgeControlError``, as ``device(named:isWhole:)`` does.
    func device(namedFirst words: [String]) throws(BridgeControlError) -> (LightListing, [String]) {
        for isWhole in [true, false] {
            for count in (1...Swift.max(1, words.count)).reversed() {
                let typed = words[..<Swift.min(count, words.count)].joined(separator: " ")
                guard !devices(named: typed, isWhole: isWhole).isEmpty else { continue }
                return (try device(named: typed, isWhole: isWhole), [String](words.dropFirst(count)))
            }
        }
        return (try device(named: words.first ?? ""), [String](words.dropFirst()))
    }

    private func devices(named typed: String, isWhole: Bool) -> [LightListing] {
        if let device = first(where: { $0.key == typed }) { return [device] }
        let key = typed.squashed
        guard !key.isEmpty else { return [] }
        let named = filter { $0.name.squashed == key }
        guard named.isEmpty, !isWhole, key.count > 1 else { return named }
        return filter { $0.name.squashed.hasPrefix(key) }
    }
}

extension String {
    fileprivate var shown: String { String(prefix(64)).sanitized }
}
