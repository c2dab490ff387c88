/// A DNS-SD service to publish.
package struct ServiceRecord: Equatable, Sendable {
    /// The preferred instance name.
    ///
    /// If another host uses it, the service gets another name; see ``PublicationState/published(name:)``.
    package var name: String
    /// The service type with its protocol, such as `_hap._tcp`.
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

    /// Returns the instance name of a bridge: its name, a space, and a suffix that distinguishes bridges with the same
    /// name.
    ///
    /// A DNS label has at most 63 bytes, so a longer name is truncated at a character. The suffix is never truncated.
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
