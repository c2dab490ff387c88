/// A DNS-SD service as its owner wants it to be seen.
package struct ServiceRecord: Equatable, Sendable {
    /// The instance name that is wanted; a collision may lead to another one (``PublicationState/published(name:)``).
    package var name: String
    /// Type and protocol, such as `_hap._tcp`.
    package var type: String
    package var port: UInt16
    package var txt: TXTRecord
    package var interfaces: InterfaceSelection

    package init(
        name: String, type: String, port: UInt16, txt: TXTRecord = TXTRecord(),
        interfaces: InterfaceSelection = .automatic
    ) {
        self.name = name
        self.type = type
        self.port = port
        self.txt = txt
        self.interfaces = interfaces
    }

    /// The instance name of a bridge: its name, a space and a suffix that tells two of one name apart.
    ///
    /// A DNS label holds 63 bytes, so a longer name is cut between two characters; the suffix always stays whole.
    package static func instanceName(_ name: String, suffix: String) -> String {
        let room = 63 - suffix.utf8.count - 1
        var kept = ""
        var size = 0
        for character in name {
            size += character.utf8.count
            guard size <= room else { break }
            kept.append(character)
        }
        while kept.last == " " { kept.removeLast() }
        return kept.isEmpty ? suffix : "\(kept) \(suffix)"
    }
}
