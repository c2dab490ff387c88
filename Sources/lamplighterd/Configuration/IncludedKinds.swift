import DaemonKit
import LightKit
import TerminalKit

/// The key `include`: what the bridge shows of all that drivers bring.
struct IncludedKinds: Equatable, Sendable {
    /// The kinds by their names in the configuration, in the order in which they are listed.
    private static let names: [(name: String, kind: LightKind)] = [
        ("lights", .light), ("switches", .switch), ("outlets", .outlet), ("fans", .fan), ("sensors", .sensor),
    ]

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
            guard let known = Self.names.first(where: { $0.name == name }) else {
                let names = Self.names.map(\.name)
                throw ValueRefusal(
                    "there is no such kind",
                    remedy: "write \(name.nearest(in: names) ?? "one of \(names.joined(separator: ", "))")", at: path)
            }
            guard kinds.insert(known.kind).inserted else {
                throw ValueRefusal("\(name) stands there twice", remedy: "write it once", at: path)
            }
        }
    }
}
