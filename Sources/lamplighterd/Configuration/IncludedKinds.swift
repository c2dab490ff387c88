import ConfigurationKit
import DaemonKit
import DeviceKit
import TerminalKit

/// The key `include`: the kinds of devices that the bridge shows.
struct IncludedKinds: Equatable, Sendable {
    /// The kinds that are shown by default.
    private static let byDefault: Set<LightKind> = [.light, .switch, .outlet]

    var kinds: Set<LightKind>

    init(_ kinds: Set<LightKind> = byDefault) { self.kinds = kinds }

    /// Returns the names of the kinds that are shown by default, or of the others.
    static func names(byDefault isDefault: Bool) -> String {
        LightKind.allCases.filter { byDefault.contains($0) == isDefault }.map(\.plural).joined(separator: ", ")
    }
}

extension IncludedKinds: Decodable {
    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        kinds = []
        while !list.isAtEnd {
            let path = list.codingPath + [ConfigurationKey(list.currentIndex)]
            let name = try list.decode(String.self)
            guard let kind = LightKind.allCases.first(where: { $0.plural == name }) else {
                let names = LightKind.allCases.map(\.plural)
                throw ConfigurationProblem(
                    "unknown kind",
                    remedy: "write \(name.nearest(in: names) ?? "one of \(names.joined(separator: ", "))")", at: path)
            }
            guard kinds.insert(kind).inserted else {
                throw ConfigurationProblem("\(name) is listed twice", remedy: "write it once", at: path)
            }
        }
    }
}
