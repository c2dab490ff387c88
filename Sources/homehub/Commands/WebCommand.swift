import ArgumentParser
import BoundedJSON
import HomeModel
import HomePresentation
import SetupQR
import Synchronization
import TerminalKit
import WebAccess

struct WebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web", abstract: "Show the web page's address and token, and manage the people with access.",
        discussion: """
            Each person has a separate token, which you can revoke. Owners can do everything. Members can change the \
            home, but not who has access, and not the bridge. Guests can only view and control accessories, in all \
            rooms or in those of --room. Only root and the user that homeweb runs as can use this command.
            """)

    @Flag(help: "Replace the token. Browsers with the old token are signed out immediately.")
    var newToken = false

    @Option(help: ArgumentHelp("Give another person access.", valueName: "name"))
    var invite: String?

    @Option(
        help: ArgumentHelp(
            "The role of the invited person: owner, member or guest (default: owner).", valueName: "role"))
    var role: Person.Role?

    @Flag(help: "The same as --role guest.")
    var guest = false

    @Option(
        help: ArgumentHelp(
            "A room that the guest sees, by name or ID. Repeat it for more rooms (default: all rooms).",
            valueName: "room"), completion: .names(.rooms))
    var room: [String] = []

    @Flag(help: "The invited person can't unlock, open doors and garages, or disarm alarms.")
    var noUnlock = false

    @Option(help: ArgumentHelp("Revoke a person's access.", valueName: "name"))
    var withdraw: String?

    @Option(help: ArgumentHelp("The person whose token to show or replace (default: the owner).", valueName: "name"))
    var person: String?

    @Flag(help: "Also show the link as a QR code.")
    var qr = false

    @Flag(help: "Print only a link that signs one browser in, once, within an hour.")
    var once = false

    @Flag(
        inversion: .prefixedNo,
        help: "Encrypt the page with a new self-signed certificate, or stop encrypting it. Restarts the page.")
    var https: Bool?

    @Option(help: ArgumentHelp("The state directory of homeweb.", valueName: "dir"))
    var stateDirectory: String?

    @OptionGroup var options: HomeOptions

    func validate() throws {
        guard [newToken, invite != nil, withdraw != nil, https != nil].count(where: \.self) <= 1 else {
            throw ValidationError("Use only one of --new-token, --invite, --withdraw and --https.")
        }
        guard !once || invite == nil && withdraw == nil && https == nil && !newToken && !qr else {
            throw ValidationError("Use --once without --new-token, --invite, --withdraw, --https and --qr.")
        }
        guard invite != nil || !guest && role == nil && room.isEmpty && !noUnlock else {
            throw ValidationError("Use --role, --guest, --room and --no-unlock only with --invite.")
        }
        guard !guest || role == nil || role == .guest else {
            throw ValidationError("Use only one of --role and --guest.")
        }
        guard room.isEmpty || invitedRole == .guest else { throw ValidationError("Use --room only for guests.") }
        guard !noUnlock || invitedRole != .owner else { throw ValidationError("Owners can always unlock.") }
    }

    private var invitedRole: Person.Role { guest ? .guest : role ?? .owner }

    func run() async throws {
        let file = PeopleFile.find(given: stateDirectory)
        guard var content = try file.read() else {
            throw TerminalError(
                code: 69,
                message: "homeweb hasn't run yet, because \(file.path) doesn't exist; start homeweb (in a clone with "
                    + "make run-web), or name its state directory with --state-directory")
        }
        if once { return try printLink(file) }
        if let https {
            guard try encrypt(https, file, address: content.address) else { return }
            content = try file.read() ?? content
        }
        var shown = person
        // The hub may take a while, so it is asked before the file is changed.
        let rooms = room.isEmpty ? nil : try await roomIDs()
        if let invite {
            let person = Person(name: invite, role: invitedRole, rooms: rooms, mayOpen: !noUnlock)
            content = try file.change { content in
                try Self.explaining(invite) { () throws(PeopleError) in try content.people.invite(person) }
            }
            shown = invite
        } else if let withdraw {
            content = try file.change { content in
                try Self.explaining(withdraw) { () throws(PeopleError) in try content.people.withdraw(withdraw) }
            }
        } else if newToken {
            content = try file.change { content in
                let name = try content.people.named(person).name
                try Self.explaining(name) { () throws(PeopleError) in try content.people.renewToken(of: name) }
            }
        }
        if withdraw == nil { try show(content, shown) }
    }

    /// Prints a link that can be used once.
    private func printLink(_ file: PeopleFile) throws {
        let content = try file.change { content in
            content.link = SignInLink(
                person: try content.people.named(person).name, now: Timestamp.now.millisecondsSince1970 / 1000)
        }
        guard let address = content.address, let link = content.link else {
            throw TerminalError(code: 69, message: "the page has no address yet; start homeweb")
        }
        let url = "\(address)enter#\(link.token.secret)"
        Terminal.current.write((options.json ? JSONValue.object(["link": .string(url)]).text : url) + "\n")
    }

    /// Returns the IDs of the rooms that `--room` names.
    private func roomIDs() async throws -> Set<String> {
        let ids = Mutex(Set<String>())
        try await options.withHomes { session in
            let home = try await session.home
            for name in room {
                let id = try home.room(addressed: name).id
                ids.withLock { _ = $0.insert("\(id)") }
            }
        }
        return ids.withLock { $0 }
    }

    /// Runs a change of the list of people, and explains its error to the user.
    ///
    /// - Throws: `TerminalError` with code 64 or 1.
    private static func explaining(_ name: String, _ change: () throws(PeopleError) -> Void) throws(TerminalError) {
        do throws(PeopleError) { try change() } catch {
            throw switch error {
            case .invalidName:
                .usage(
                    "\"\(name)\" isn't a valid name; use letters, digits and spaces, and begin and end with a letter "
                        + "or digit")
            case .nameInUse: .usage("\"\(name)\" already has access; to replace the token, use --new-token --person")
            case .tooManyPeople: .usage("no more than \(PeopleFile.limit) people can have access; use --withdraw first")
            case .unknownPerson: .unknown(name)
            case .changed: .unknown(name)
            case .onlyOwner:
                .usage(
                    "\"\(name)\" is the only owner; invite another owner first, or replace the token with --new-token")
            }
        }
    }

    private func show(_ content: PeopleFile.Content, _ name: String?) throws {
        let person = try content.people.named(name)
        let address = content.address ?? ""
        // The fragment after # isn't sent to servers or written to logs.
        let link = address.isEmpty ? "" : "\(address)enter#\(person.token.secret)"
        guard !options.json else {
            let json: JSONValue = [
                "address": .string(address), "token": .string(person.token.secret), "link": .string(link),
                "name": .string(person.name), "role": .string(person.role.rawValue),
                "people": .array(content.people.map(\.listing)),
            ]
            return Terminal.current.write(json.text + "\n")
        }
        var table = Table(["NAME", "ACCESS"])
        for person in content.people { table.append([person.name, person.words]) }
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

extension Person.Role: ExpressibleByArgument {
    /// A short description of the role's permissions.
    fileprivate var words: String {
        switch self {
        case .owner: "everything"
        case .member: "the home"
        case .guest: "view and control"
        }
    }
}

extension Person {
    /// The JSON form without the token.
    fileprivate var listing: JSONValue {
        var json: JSONObject = ["name": .string(name), "role": .string(role.rawValue), "mayOpen": .bool(mayOpen)]
        if let rooms { json["rooms"] = .array(rooms.sorted().map(JSONValue.string)) }
        return .object(json)
    }

    /// A short description of the person's permissions.
    fileprivate var words: String {
        var words = role.words
        if let rooms { words += rooms.count == 1 ? " in 1 room" : " in \(rooms.count) rooms" }
        return mayOpen ? words : words + ", no unlocking"
    }
}

extension TerminalError {
    fileprivate static func unknown(_ name: String) -> TerminalError {
        TerminalError(code: 1, message: "no person called \"\(name)\" has access")
    }
}

extension [Person] {
    /// Returns the person with a name, or the first owner.
    ///
    /// - Throws: `TerminalError` if no person has that name.
    fileprivate func named(_ name: String?) throws(TerminalError) -> Person {
        if let name {
            guard let index = try? index(of: name) else { throw .unknown(name) }
            return self[index]
        }
        guard let owner = first(where: { $0.role == .owner }) else {
            throw TerminalError(code: 1, message: "there's no owner; add one with --invite")
        }
        return owner
    }
}
