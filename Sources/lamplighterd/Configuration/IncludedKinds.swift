import ConfigurationKit
import DaemonKit
import LightKit
import TerminalKit

/// The key `include`: what the bridge shows of all that drivers bring.
struct IncludedKinds: Equatable, Sendable {
    var kinds: Set<LightKind>

    /// What counts where nothing is written.
    init(_ kinds: Set<LightKind> = [.light, .switch, .outlet]) { self.kinds = kinds }
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
                    "there is no such kind",
                    remedy: "write \(name.nearest(in: names) ?? "one of \(names.joined(separator: ", "))")", at: path)
            }
            guard kinds.insert(kind).inserted else {
                throw ConfigurationProblem("\(name) stands there twice", remedy: "write it once", at: path)
            }
        }
    }
}
