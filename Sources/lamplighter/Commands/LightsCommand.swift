import ArgumentParser
import BoundedJSON
import BridgeControl
import DeviceKit
import TerminalKit

struct LightsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lights", abstract: "List, discover, change and remove lights.",
        subcommands: [
            LightsListCommand.self, LightsDiscoverCommand.self, LightsSetCommand.self, LightsForgetCommand.self,
            LightsPurgeCommand.self,
        ],
        defaultSubcommand: LightsListCommand.self)
}

struct LightsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the lights.")

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        guard !options.json else {
            let lights = try await options.ask { try await $0.lights() }
            return Terminal.current.write(lights.json.text + "\n")
        }
        let (lights, status) = try await options.ask { (try await $0.lights(), try await $0.status()) }
        Terminal.current.write(Self.text(of: lights) + Self.text(ofWarnings: status.lightWarnings))
    }

    /// Returns the table of warnings that follows the lights, with the driver or the light that each warning is about.
    static func text(ofWarnings warnings: [BridgeWarning]) -> String {
        guard !warnings.isEmpty else { return "" }
        var table = Table(["ABOUT", "WARNING"])
        for warning in warnings {
            table.append([warning.subject.light ?? warning.subject.driver ?? "", warning.message])
        }
        return "\n" + table.text
    }

    static func text(of lights: [LightListing]) -> String {
        guard !lights.isEmpty else { return "There are no lights.\n" }
        let hasRooms = lights.contains { $0.room != nil }
        var table = Table(["KEY", "NAME", "KIND", "AID"] + (hasRooms ? ["ROOM"] : []) + ["STATE"])
        for light in lights {
            var state = light.reachable ? Self.text(of: light.state, kind: light.kind) : "unreachable"
            if light.reachable, light.optimistic == true { state += ", optimistic" }
            let room = hasRooms ? [light.room ?? ""] : []
            table.append([light.key, light.name, light.kind, "\(light.aid)"] + room + [state])
        }
        return table.text
    }

    /// Returns the values as text, separated by commas.
    ///
    /// The kind distinguishes a sensor's temperature, which gets a unit, from a color temperature.
    static func text(of change: LightChange, kind: String? = nil) -> String {
        change.phrases(of: kind.flatMap { LightKind(rawValue: $0) }).joined(separator: ", ")
    }
}

struct LightsDiscoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover",
        abstract: "Search the network for light systems, and print the configuration for them.",
        discussion: """
            The daemon searches for three seconds with mDNS and broadcasts. It finds all supported systems, even if no \
            driver is configured for them. Systems that don't announce themselves, such as a broker on another computer, \
            aren't found; add them to the configuration with their address.
            """)

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let lights = try await options.ask { try await $0.discoverLights() }
        for problem in lights.problems { Terminal.current.writeError("lamplighter: \(problem.sanitized)\n") }
        Terminal.current.write(options.json ? lights.json.text + "\n" : Self.text(of: lights))
    }

    static func text(of lights: FoundLights) -> String {
        guard !lights.found.isEmpty else { return "No light systems found.\n" }
        var table = Table(["DRIVER", "NAME", "ADDRESS", "DETAILS", "CONFIGURED"])
        for source in lights.found {
            let state =
                switch source.state {
                case .configured: "yes"
                case .incomplete: "partly"
                case .new: "no"
                case .unsupported: "not supported"
                }
            table.append([source.driver, source.name, source.address, source.detail ?? "", state])
        }
        var text = table.text
        let new = lights.entries.filter { $0.id == nil }.compactMap(\.keys.object)
        if !new.isEmpty {
            text += "\nAdd this to the configuration, then run lamplighter reload:\n\ndrivers:\n"
            text += new.flatMap { YAMLText.lines(of: $0, isItem: true) }.map { $0 + "\n" }.joined()
        }
        for entry in lights.entries {
            guard let id = entry.id, let keys = entry.keys.object else { continue }
            text += "\nAdd this to the entry of the driver \(id.sanitized), then run lamplighter reload:\n\n"
            text += YAMLText.lines(of: keys, isItem: false).map { $0 + "\n" }.joined()
        }
        return text
    }
}

struct LightsSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change a light, as a controller would.",
        discussion: "For example: lamplighter lights set simulated/reading on=true brightness=40")

    @Argument(help: "The light's key, from lamplighter lights.", completion: .lightKeys)
    var key: String

    @Argument(
        help: "\(LightChange.Purpose.command.help). For a function with an id, write NAME#ID.",
        completion: .changes(.command))
    var changes: [String] = []

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let change = try LightChange(parsing: changes, for: .command)
        try await options.ask { [key] in try await $0.setLight(key, change) }
    }
}

struct LightsForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Remove a light that no longer exists.",
        discussion: """
            If its driver is removed from the configuration or its source removes it, a light stays in the home as \
            unreachable, so that rooms and scenes aren't lost by accident. If its source still has it when the bridge \
            starts, or announces it again later, it returns with the same accessory id.
            """)

    @Argument(help: "The light's key, from lamplighter lights.", completion: .lightKeys)
    var key: String

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        try await options.change(check: "lamplighter lights") { [key] in try await $0.forgetLight(key) }
    }
}

struct LightsPurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Remove all lights that their sources have removed.",
        discussion: """
            This includes the lights of drivers that are no longer configured, and makes room for other lights. Lights \
            that are only unreachable stay. If a removed light returns later, it is a new light for controllers, with a \
            new accessory id and without its former room and scenes.
            """)

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let lights = try await options.change(check: "lamplighter lights") { try await $0.purgeLights() }
        Terminal.current.write(options.json ? lights.json.text + "\n" : Self.text(of: lights))
    }

    static func text(of lights: [ForgottenLight]) -> String {
        guard !lights.isEmpty else { return "There are no lights to remove.\n" }
        var table = Table(["KEY", "NAME"])
        for light in lights { table.append([light.key, light.name]) }
        return table.text + "\(lights.count.of("light")) removed.\n"
    }
}
