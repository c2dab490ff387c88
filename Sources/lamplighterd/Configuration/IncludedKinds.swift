import ConfigurationKit
import DeviceKit
import TerminalKit

/// The `include` key: the kinds of devices that the bridge shows.
struct IncludedKinds: Equatable, Sendable {
    /// The name that stands for all kinds.
    private static let all = "all"

    var kinds: Set<LightKind>

    init(_ kinds: Set<LightKind> = Set(LightKind.allCases.filter(\.isShownByDefault))) { self.kinds = kinds }

    /// The names of the kinds, as written in the configuration.
    var text: String { "[\(LightKind.allCases.filter(kinds.contains).map(\.plural).joined(separator: ", "))]" }

    /// The explanation of the key in the example file.
    static var explanation: String {
        let others = LightKind.allCases.filter { !$0.isShownByDefault }.map(\.plural).joined(separator: ", ")
        return "The kinds of devices to show, or [\(all)]" + (others.isEmpty ? "" : "; not by default: \(others)")
    }
}

extension IncludedKinds: Decodable {
    init(from decoder: any Decoder) throws {
        if let name = try? decoder.singleValueContainer().decode(String.self), name == Self.all {
            kinds = Set(LightKind.allCases)
            return
        }
        var list = try decoder.unkeyedContainer()
        kinds = []
        var containsAll = false
        while !list.isAtEnd {
            let path = list.codingPath + [ConfigurationKey(list.currentIndex)]
            let name = try list.decode(String.self)
            guard name != Self.all else {
                containsAll = true
                continue
            }
            guard let kind = LightKind.allCases.first(where: { $0.plural == name }) else {
                let names = LightKind.allCases.map(\.plural) + [Self.all]
                throw ConfigurationProblem(
                    "unknown kind",
                    remedy: "use \(name.nearest(in: names) ?? "one of \(names.joined(separator: ", "))")", at: path)
            }
            guard kinds.insert(kind).inserted else {
                throw ConfigurationProblem("\(name) is listed twice", remedy: "remove the duplicate", at: path)
            }
        }
        if containsAll { kinds = Set(LightKind.allCases) }
    }
}
