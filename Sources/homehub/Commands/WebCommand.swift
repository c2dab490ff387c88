import ArgumentParser
import BoundedJSON
import HomeModel
import SetupQR
import TerminalKit
import WebAccess

struct WebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web", abstract: "Show the page's address and its token, and decide who may open it.",
        discussion: """
            Each person has a token of their own, so that one can be withdrawn. A guest may see and switch, but not add, \
            rename or remove. Who may read the page's state directory may do all this: root, and the user that homeweb \
            runs as.
            """)

    @Flag(help: "Replace the token; browsers with the old one are signed out immediately.")
    var newToken = false

    @Option(help: ArgumentHelp("Give another person access.", valueName: "name"))
    var invite: String?

    @Flag(help: "As a guest, who can only view and control accessories.")
    var guest = false

    @Option(help: ArgumentHelp("Revoke a person's access.", valueName: "name"))
    var withdraw: String?

    @Option(help: ArgumentHelp("The person whose token is meant; the default is the owner.", valueName: "name"))
    var person: String?

    @Flag(help: "Show the link as a QR code, too.")
    var qr = false

    @Option(help: ArgumentHelp("The page's state directory.", valueName: "dir"))
    var stateDirectory: String?

    @OptionGroup var options: HomeOptions

    func validate() throws {
        guard [newToken, invite != nil, withdraw != nil].count(where: \.self) <= 1 else {
            throw ValidationError("Say one of --new-token, --invite and --withdraw.")
        }
        guard !guest || invite != nil else { throw ValidationError("--guest belongs to --invite.") }
    }

    func run() async throws {
        let file = PeopleFile.find(given: stateDirectory)
        guard var content = try file.read() else {
            throw TerminalError(
                code: 69, message: "there is no page in \(file.directory); start homeweb, or say --state-directory")
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
        var table = Table(["NAME", "MAY"])
        for person in content.people { table.append([person.name, person.role.words]) }
        var text = """
            address  \(address.isEmpty ? "not served yet; start homeweb" : address)
            token    \(person.token.secret)
            """
        if !link.isEmpty { text += "\nlink     \(link)" }
        Terminal.current.write(text + "\n")
        if content.people.count > 1 { Terminal.current.write("\n" + table.text) }
        if qr, let code = QRCode(link) {
            let terminal = Terminal.current
            let abilities = TerminalAbilities(isTerminal: terminal.isTerminal(), environment: terminal.environment)
            terminal.write("\n" + code.text(for: abilities))
        }
    }
}

extension Person.Role {
    /// The permissions of the role, in a few words.
    fileprivate var words: String {
        switch self {
        case .owner: "everything"
        case .guest: "see and switch"
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
                message: name.map { "\"\($0)\" has no access" } ?? "there is no owner; --invite makes one")
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
            throw .usage("\"\(name)\" already has access; --new-token --person makes a new token")
        }
        guard count < PeopleFile.limit else { throw .usage("no more than \(PeopleFile.limit) people can have access") }
        append(Person(name: name, role: role))
    }

    fileprivate mutating func withdraw(_ name: String) throws(TerminalError) {
        let index = try index(of: name)
        guard self[index].role != .owner || count(where: { $0.role == .owner }) > 1 else {
            throw .usage(
                "\"\(self[index].name)\" is the only owner; invite another first, or make another token with --new-token"
            )
        }
        remove(at: index)
    }
}
