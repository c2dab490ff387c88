import ArgumentParser
import BoundedJSON
import HomeModel
import SetupQR
import TerminalKit
import WebAccess

struct WebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web", abstract: "Show the web page's address and token, and manage the people with access.",
        discussion: """
            Each person has a separate token, which you can revoke. Guests can view and control accessories, but not \
            add, rename or remove anything. Only root and the user that homeweb runs as can use this command.
            """)

    @Flag(help: "Replace the token. Browsers with the old token are signed out immediately.")
    var newToken = false

    @Option(help: ArgumentHelp("Give another person access.", valueName: "name"))
    var invite: String?

    @Flag(help: "Invite as a guest, who can only view and control accessories.")
    var guest = false

    @Option(help: ArgumentHelp("Revoke a person's access.", valueName: "name"))
    var withdraw: String?

    @Option(help: ArgumentHelp("The person whose token to show or replace (default: the owner).", valueName: "name"))
    var person: String?

    @Flag(help: "Also show the link as a QR code.")
    var qr = false

    @Option(help: ArgumentHelp("The state directory of homeweb.", valueName: "dir"))
    var stateDirectory: String?

    @OptionGroup var options: HomeOptions

    func validate() throws {
        guard [newToken, invite != nil, withdraw != nil].count(where: \.self) <= 1 else {
            throw ValidationError("Use only one of --new-token, --invite and --withdraw.")
        }
        guard !guest || invite != nil else { throw ValidationError("Use --guest together with --invite.") }
    }

    func run() async throws {
        let file = PeopleFile.find(given: stateDirectory)
        guard var content = try file.read() else {
            throw TerminalError(
                code: 69,
                message: "homeweb has no state in \(file.directory); start homeweb, or use --state-directory")
        }
        var shown = person
        if let invite {
            try content.people.invite(invite, role: guest ? .guest : .owner)
            shown = invite
        } else if let withdraw {
            try content.people.withdraw(withdraw)
        } else if newToken {
            let index = try content.people.index(of: person)
            content.people[index].token = AccessToken()
        }
        if invite != nil || withdraw != nil || newToken { try file.write(content) }
        if withdraw == nil { try show(content, shown) }
    }

    private func show(_ content: PeopleFile.Content, _ name: String?) throws {
        let person = content.people[try content.people.index(of: name)]
        let address = content.address ?? ""
        // The fragment after # isn't sent to servers or written to logs.
        let link = address.isEmpty ? "" : "\(address)enter#\(person.token.secret)"
        guard !options.json else {
            let json: JSONValue = [
                "address": .string(address), "token": .string(person.token.secret), "link": .string(link),
                "name": .string(person.name), "role": .string(person.role.rawValue),
                "people": .array(
                    content.people.map { ["name": .string($0.name), "role": .string($0.role.rawValue)] }),
            ]
            return Terminal.current.write(json.text + "\n")
        }
        var table = Table(["NAME", "ACCESS"])
        for person in content.people { table.append([person.name, person.role.words]) }
        var text = """
            address  \(address.isEmpty ? "unknown; start homeweb" : address)
            token    \(person.token.secret)
            """
        if !link.isEmpty { text += "\nlink     \(link)" }
        Terminal.current.write(text + "\n")
        if content.people.count > 1 { Terminal.current.write("\n" + table.text) }
        if qr, let code = QRCode(link) {
            let terminal = Terminal.current
            let abilities = TerminalAbilities(isTerminal: terminal.isTerminal(), environment: terminal.environment)
            terminal.write("\n" + code.text(for: abilities))
            if Self.isOnlyLocal(address) {
                terminal.writeError(
                    "homehub: only this computer can open the link; for phones, start homeweb with --listen 0.0.0.0:8480\n"
                )
            }
        }
    }
}

extension WebCommand {
    /// Returns whether an address of the page is a loopback address.
    static func isOnlyLocal(_ address: String) -> Bool {
        ["://127.", "://[::1]", "://localhost"].contains { address.contains($0) }
    }
}

extension Person.Role {
    /// The permissions of the role, in a few words.
    fileprivate var words: String {
        switch self {
        case .owner: "everything"
        case .guest: "view and control"
        }
    }
}

extension [Person] {
    /// Returns the index of the person with a name, or of the first owner.
    ///
    /// - Throws: `TerminalError` if no person has that name.
    fileprivate func index(of name: String?) throws(TerminalError) -> Int {
        let found =
            if let name { firstIndex { NameKey($0.name) == NameKey(name) } } else { firstIndex { $0.role == .owner } }
        guard let found else {
            throw TerminalError(
                code: 1,
                message: name.map { "nobody called \"\($0)\" has access" } ?? "there's no owner; add one with --invite")
        }
        return found
    }

    fileprivate mutating func invite(_ name: String, role: Person.Role) throws(TerminalError) {
        guard NameRules.isValid(name) else {
            throw .usage(
                "\"\(name)\" isn't a valid name: use letters, digits and spaces, and begin and end with a letter or "
                    + "digit")
        }
        guard !contains(where: { NameKey($0.name) == NameKey(name) }) else {
            throw .usage("\"\(name)\" already has access; to replace the token, use --new-token --person")
        }
        guard count < PeopleFile.limit else { throw .usage("no more than \(PeopleFile.limit) people can have access") }
        append(Person(name: name, role: role))
    }

    fileprivate mutating func withdraw(_ name: String) throws(TerminalError) {
        let index = try index(of: name)
        guard self[index].role != .owner || count(where: { $0.role == .owner }) > 1 else {
            throw .usage(
                "\"\(self[index].name)\" is the only owner; invite another first, or replace the token with --new-token"
            )
        }
        remove(at: index)
    }
}
