import ArgumentParser
import BoundedJSON
import BridgeControl
import SystemKit
import TerminalKit

struct DriversCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drivers", abstract: "List, add and remove the drivers of the configuration.",
        subcommands: [
            DriversListCommand.self, DriversOfferedCommand.self, DriversAddCommand.self, DriversRemoveCommand.self,
            DriversUndoCommand.self,
        ],
        defaultSubcommand: DriversListCommand.self)
}

struct DriversListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the configured drivers.")

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let (status, lights) = try await options.ask { (try await $0.status(), try await $0.lights()) }
        guard !options.json else { return Terminal.current.write(status.drivers.json.text + "\n") }
        guard !status.drivers.isEmpty else {
            return Terminal.current.write(
                "No drivers are configured. \(ShellCommand.lamplighter) drivers offered lists those to add.\n")
        }
        var table = Table(["ID", "DRIVER", "DEVICES", "STATE"])
        for driver in status.drivers {
            table.append([driver.id, driver.driver, "\(lights.count { $0.driver == driver.id })", driver.state])
        }
        Terminal.current.write(table.text)
    }
}

struct DriversOfferedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offered", abstract: "List the drivers to add, and their values.")

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let offers = try await options.ask { try await $0.configuration() }.offers
        Terminal.current.write(options.json ? offers.json.text + "\n" : offers.map(Self.text).joined(separator: "\n"))
    }

    static func text(of offer: DriverOffer) -> String {
        let lines = offer.fields.map { field in
            let value =
                switch field.kind {
                case .flag: "=true"
                case .secret: ""
                default: "=\(field.example ?? "…")"
                }
            let help = [field.label + (field.isRequired ? " (required)" : ""), field.help].compactMap(\.self)
            return "  \(field.name)\(value)  \(help.joined(separator: ". "))"
        }
        return (["\(offer.driver): \(offer.title). \(offer.about)"] + lines).map { $0.sanitized + "\n" }.joined()
    }
}

struct DriversAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a driver to the configuration.",
        discussion: """
            For example: lamplighter drivers add mqtt url=mqtt://10.0.0.5 user=ada password-file. Shows the change of the \
            file and asks before it is made; comments and layout stay. A secret, such as password-file, is asked for, or \
            read from a line of standard input, and stored in a file that only lamplighterd can read. To add what the \
            network has: lamplighter devices discover --add.
            """)

    @Argument(help: "The driver's name, from lamplighter drivers offered.")
    var driver: String

    @Argument(help: ArgumentHelp("Values, and names of secrets.", valueName: "name=value"))
    var values: [String] = []

    @Option(help: "The driver's id in the configuration.")
    var id: String?

    @OptionGroup var confirmation: ChangeOptions
    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let offers = try await options.ask { try await $0.configuration() }.offers
        let secrets = offers.first { $0.driver == driver }?.fields.filter { $0.kind == .secret } ?? []
        var typed: [String: String] = [:]
        for word in values {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let secret = secrets.first { $0.name == parts[0] }
            if let secret {
                // Other users can see the words of a command.
                guard parts.count == 1 else {
                    throw BridgeControlError.usage(
                        "\(secret.name) can't have a value here, because other users could see it",
                        remedy: "write only \(secret.name); it is asked for")
                }
                typed[secret.name] = try await SecretInput.read(secret.label)
            } else if parts.count == 2 {
                typed[parts[0]] = parts[1]
            } else {
                throw BridgeControlError.usage(
                    "\(parts[0].prefix(64)) has no value", remedy: "write \(parts[0].prefix(64))=VALUE")
            }
        }
        try await options.make(.addDriver(driver: driver, id: id, values: typed), confirmation)
    }
}

struct DriversRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a driver from the configuration.",
        discussion: "Its devices stay in the home as unreachable until lamplighter devices purge.")

    @Argument(help: "The driver's id, from lamplighter drivers.", completion: .drivers)
    var id: String

    @OptionGroup var confirmation: ChangeOptions
    @OptionGroup var options: BridgeOptions

    func run() async throws { try await options.make(.removeDriver(id: id), confirmation) }
}

struct DriversUndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo the last change of the configuration.",
        discussion: """
            Restores the file before the last change that lamplighterd made for this command or for the page, unless the \
            file was edited since then.
            """)

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let listing = try await options.change(check: "lamplighter drivers") { try await $0.undoConfiguration() }
        Terminal.current.write(options.json ? listing.json.text + "\n" : ReloadCommand.text(of: listing))
    }
}
