import ArgumentParser
import BoundedJSON
import BridgeControl
import Glibc
import PairingFiles
import SystemKit
import TerminalKit

struct BridgeImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take over the pairings of another program's bridge.",
        discussion: """
            The bridge gets the identity of the other bridge, so that phones keep it in their homes. Its accessories aren't \
            taken over: phones show the devices of this bridge as new accessories.
            """,
        subcommands: [BridgeImportHomeAssistantCommand.self, BridgeImportHomebridgeCommand.self])
}

struct BridgeImportHomeAssistantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "home-assistant", abstract: "Take over a bridge of Home Assistant's integration HomeKit Bridge.",
        discussion: """
            Stop lamplighterd and Home Assistant first. Remove the bridge from Home Assistant before you start it again, \
            because two bridges with one identity disturb each other.
            """)

    @Argument(help: "Home Assistant's configuration directory, or its directory .storage.", completion: .directory)
    var folder: String

    @OptionGroup var selection: BridgeImportOptions
    @OptionGroup var place: StateDirectoryOption
    @OptionGroup var options: BridgeOptions

    func run() async throws {
        try await IdentityImport(
            program: "Home Assistant",
            warning:
                "Stop Home Assistant, and remove this HomeKit Bridge from it. Never run it with this identity again.",
            selection: selection, place: place, options: options
        ).run(try HomeAssistantStorage(folder).bridges())
    }
}

struct BridgeImportHomebridgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "homebridge", abstract: "Take over a bridge or a child bridge of Homebridge.",
        discussion: """
            Stop lamplighterd and Homebridge first. Remove the bridge from Homebridge, or give it a new username, before you \
            start it again, because two bridges with one identity disturb each other.
            """)

    @Argument(help: "Homebridge's storage directory, which contains config.json.", completion: .directory)
    var folder: String

    @OptionGroup var selection: BridgeImportOptions
    @OptionGroup var place: StateDirectoryOption
    @OptionGroup var options: BridgeOptions

    func run() async throws {
        try await IdentityImport(
            program: "Homebridge",
            warning:
                "Stop Homebridge. Never run it with this identity again: remove the bridge, or change its username.",
            selection: selection, place: place, options: options
        ).run(try HomebridgeStorage(folder).bridges())
    }
}

struct BridgeImportOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The bridge, by name or device ID, if there are several.", valueName: "bridge"))
    var bridge: String?

    @Flag(help: "Show what would be imported, without importing it.")
    var dryRun = false

    @Flag(help: "Import even if this bridge has pairings, which are then lost.")
    var replacePairings = false

    @Flag(help: "Don't ask for confirmation.")
    var yes = false
}

/// The import of another program's bridge into a bridge that isn't running.
struct IdentityImport {
    let program: String
    let warning: String
    let selection: BridgeImportOptions
    let place: StateDirectoryOption
    let options: BridgeOptions

    func run(_ bridges: [ForeignBridge]) async throws {
        let bridge = try ForeignBridge.choose(selection.bridge, from: bridges)
        let identity = try bridge.identity.get()
        let terminal = Terminal.current
        guard selection.dryRun || selection.yes || !options.json else {
            throw TerminalError.usage("can't ask for confirmation with --json; add --yes or --dry-run")
        }
        if selection.dryRun || !options.json {
            terminal.write(options.json ? Self.json(of: bridge, identity).text + "\n" : text(of: bridge, identity))
        }
        if place.stateDirectory == nil, (try? await options.ask({ try await $0.status() })) != nil {
            guard !selection.dryRun else {
                return terminal.writeError("lamplighter: lamplighterd is running; stop it before the import\n")
            }
            throw BridgeControlError.unavailable(
                "lamplighterd is running", remedy: "stop it, for example with sudo systemctl stop lamplighterd")
        }
        let directory = try place.directory(options)
        // Check first, so that an import that can't succeed is rejected before the question.
        try send(identity, to: directory, isTrial: true)
        guard !selection.dryRun else { return }
        try await options.confirm("The bridge in \(directory) gets this identity.", yes: selection.yes)
        try send(identity, to: directory, isTrial: false)
        guard !options.json else { return }
        let start = DaemonPlaces(socket: options.socket)?.startCommand
        terminal.write("lamplighterd isn't running; start it\(start.map { ": \($0)" } ?? "").\n")
    }

    private func send(_ identity: BridgeIdentity, to directory: String, isTrial: Bool) throws {
        let order = BridgeImport(
            identity: identity, replacesPairings: selection.replacePairings, isTrial: isTrial)
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw BridgeControlError(code: 70, message: SystemError.last.reason) }
        defer { close(ends[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let result = Result { () throws(SystemError) in
            // The limit on pairings keeps the text shorter than a pipe's buffer, so writing doesn't block.
            try OpenFile(ends[1]).write(JSONValue(encoding: order).text.utf8)
        }
        close(ends[1])
        if case .failure(let error) = result { throw BridgeControlError(code: 70, message: error.reason) }
        try InstalledProgram(of: .bridge).run(
            ["--import-identity", "--state-directory", directory] + (options.json ? ["--json"] : []),
            standardInput: ends[0])
    }

    private func text(of bridge: ForeignBridge, _ identity: BridgeIdentity) -> String {
        let admins = identity.controllers.count(where: \.isAdmin)
        let code = identity.setupCode == nil ? "\(program) doesn't store it, so this bridge keeps its own" : "imported"
        let lines = [
            "\(bridge.label) of \(program)",
            "  Pairings: \(identity.controllers.count), of which \(admins.of("admin"))",
            "  Setup code: \(code)",
            "  Name: not imported; to keep it, write name: \(bridge.name) in the section bridge of lamplighter.yaml",
            "  Accessories: \(bridge.accessories), not imported; phones remove them, and show the devices of this bridge as "
                + "new accessories in the same home. Set up their rooms, scenes and automations again.",
            warning,
        ]
        return lines.map { $0.sanitized + "\n" }.joined()
    }

    private static func json(of bridge: ForeignBridge, _ identity: BridgeIdentity) -> JSONValue {
        [
            "name": .string(bridge.name), "deviceId": .string(identity.deviceID),
            "pairings": .integer(Int64(identity.controllers.count)),
            "admins": .integer(Int64(identity.controllers.count(where: \.isAdmin))),
            "setupCode": .bool(identity.setupCode != nil), "accessories": .integer(Int64(bridge.accessories)),
        ]
    }
}
