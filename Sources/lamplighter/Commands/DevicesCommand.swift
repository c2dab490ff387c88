import ArgumentParser
import BoundedJSON
import BridgeControl
import DeviceKit
import SystemKit
import TerminalKit
import YAMLKit

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List, discover, change, rename, hide and remove devices.",
        subcommands: [
            DevicesListCommand.self, DevicesDiscoverCommand.self, DevicesSetCommand.self, DevicesIdentifyCommand.self,
            DevicesRenameCommand.self, DevicesHideCommand.self, DevicesShowCommand.self, DevicesForgetCommand.self,
            DevicesPurgeCommand.self,
        ],
        defaultSubcommand: DevicesListCommand.self)
}

/// The former name of `devices`, from the time when all devices were lights.
struct LightsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lights", abstract: "The same as devices; lists lights only.",
        subcommands: [LightsListCommand.self] + DevicesCommand.configuration.subcommands.dropFirst(),
        defaultSubcommand: LightsListCommand.self)
}

struct DevicesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the devices.")

    @Option(
        help: "List only devices of this kind: \(LightKind.allCases.map(\.rawValue).joined(separator: ", ")).",
        completion: .list(LightKind.allCases.map(\.rawValue)), transform: LightKind.named)
    var kind: LightKind?

    @OptionGroup var options: BridgeOptions

    func run() async throws { try await DeviceTable.list(kind, options) }
}

struct LightsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the lights.")

    @OptionGroup var options: BridgeOptions

    func run() async throws { try await DeviceTable.list(.light, options) }
}

extension LightKind {
    /// Returns the kind with the given name, which may be singular or plural.
    ///
    /// - Throws: `ValidationError` with the valid names.
    fileprivate static func named(_ typed: String) throws -> LightKind {
        let word = typed.lowercased()
        if let kind = allCases.first(where: { $0.rawValue == word || $0.plural == word }) { return kind }
        let names = allCases.map(\.rawValue)
        let nearest = word.nearest(in: names + allCases.map(\.plural))
        throw ValidationError(nearest.map { "did you mean \($0)?" } ?? "use one of \(names.joined(separator: ", "))")
    }
}

/// The listing of devices.
enum DeviceTable {
    /// Prints the devices of a kind, or all devices, with the warnings about them.
    static func list(_ kind: LightKind?, _ options: BridgeOptions) async throws {
        let all = try await options.ask { try await $0.lights() }
        let shown = all.filter { kind == nil || $0.kind == kind?.rawValue }
        guard !options.json else { return Terminal.current.write(shown.json.text + "\n") }
        let keys = Set(shown.map(\.key))
        let warnings = try await options.ask { try await $0.status() }.lightWarnings.filter { warning in
            kind == nil || warning.subject.light.map(keys.contains) ?? true
        }
        let others = all.count - shown.count
        let more = others > 0 ? "\(others.of("other device")); list all with \(ShellCommand.lamplighter) devices\n" : ""
        let nothing = "There are no \(kind?.plural ?? "devices").\n"
        Terminal.current.write((text(of: shown) ?? nothing) + more + text(ofWarnings: warnings))
    }

    /// Returns the table of warnings that follows the devices, with the driver or the device that each warning is
    /// about.
    static func text(ofWarnings warnings: [BridgeWarning]) -> String {
        guard !warnings.isEmpty else { return "" }
        var table = Table(["ABOUT", "WARNING"])
        for warning in warnings {
            table.append([warning.subject.light ?? warning.subject.driver ?? "", warning.message])
        }
        return "\n" + table.text
    }

    /// Returns the table of devices, or `nil` if there are none.
    static func text(of lights: [LightListing]) -> String? {
        guard !lights.isEmpty else { return nil }
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

struct DevicesDiscoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover",
        abstract: "Search the network for device systems, and print the configuration for them.",
        discussion: """
            The daemon searches for three seconds with mDNS and broadcasts. It finds all supported systems, even if no \
            driver is configured for them. Systems that don't announce themselves, such as a broker on another computer, \
            aren't found; add them with lamplighter drivers add.
            """)

    @Flag(help: "Add what was found to the configuration.")
    var add = false

    @OptionGroup var confirmation: ChangeOptions
    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let lights = try await options.ask { try await $0.discoverLights() }
        for problem in lights.problems { Terminal.current.writeError("lamplighter: \(problem.sanitized)\n") }
        if add {
            guard !lights.entries.isEmpty else { return Terminal.current.write("There is nothing new to add.\n") }
            for entry in lights.entries {
                let values = try await Self.secrets(of: entry)
                try await options.make(.addFound(entry: entry, values: values), confirmation)
            }
            return
        }
        Terminal.current.write(options.json ? lights.json.text + "\n" : Self.text(of: lights))
    }

    /// Asks for the secrets of devices, such as the encryption key of an ESPHome device.
    private static func secrets(of entry: FoundLights.Entry) async throws -> [String: String] {
        var values: [String: String] = [:]
        for field in entry.secrets ?? [] { values[field.name] = try await SecretInput.read(field.label) }
        return values
    }

    static func text(of lights: FoundLights) -> String {
        guard !lights.found.isEmpty else { return "No systems found.\n" }
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
            text += "\nAdd this to the configuration, then run \(ShellCommand.lamplighter) reload:\n\ndrivers:\n"
            text += new.flatMap { YAMLText.lines(of: $0, isItem: true) }.map { $0 + "\n" }.joined()
        }
        for entry in lights.entries {
            guard let id = entry.id, let keys = entry.keys.object else { continue }
            text +=
                "\nAdd this to the entry of the driver \(id.sanitized), then run \(ShellCommand.lamplighter) reload:\n\n"
            text += YAMLText.lines(of: keys, isItem: false).map { $0 + "\n" }.joined()
        }
        return text
    }
}

struct DevicesSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change a device, as a controller would.",
        discussion: """
            For example: lamplighter devices set desk lamp on 40% warm, lamplighter devices set blind close, or \
            lamplighter devices set simulated/reading on=true brightness=+10
            """)

    @Argument(
        help: ArgumentHelp(
            """
            The device's name or key, then changes: on, off, toggle, open, close, stop, lock, unlock, 50%, 2700K, 21.5°, \
            colors such as red and warm, and NAME=VALUE. \(LightChange.Purpose.command.help). For a function with an id, \
            use NAME#ID.
            """, valueName: "device> <change"),
        completion: .changes(.command))
    var words: [String]

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        try await options.ask { [words] bridge in
            let (device, changes) = try await bridge.lights().device(namedFirst: words)
            try await bridge.setLight(device.key, LightChange(parsing: changes, for: .command, of: device))
        }
    }
}

struct DevicesIdentifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify", abstract: "Make a device identify itself, for example by blinking.")

    @Argument(help: "The device's name or key.", completion: .devices)
    var device: [String]

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        try await options.ask { [device] bridge in
            try await bridge.identifyLight(bridge.lights().device(named: device.joined(separator: " ")).key)
        }
    }
}

struct DevicesRenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Give a device a name in the configuration.",
        discussion: "For example: lamplighter devices rename home/0x00158d0001 Desk Lamp")

    @Argument(
        help: ArgumentHelp("The device's name or key, then the new name.", valueName: "device> <name"),
        completion: .devices)
    var words: [String] = []

    @Flag(help: "Use the name from the device's source again.")
    var reset = false

    @OptionGroup var confirmation: ChangeOptions
    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let (device, rest) = try await options.ask { [words] in try await $0.lights().device(namedFirst: words) }
        guard rest.isEmpty == reset else {
            throw BridgeControlError.usage(
                reset ? "--reset needs no name" : "the new name is missing",
                remedy: "use \(ShellCommand.lamplighter) devices rename DEVICE \(reset ? "--reset" : "NAME")")
        }
        try await options.make(
            .renameDevice(key: device.key, name: reset ? nil : rest.joined(separator: " ")), confirmation)
    }
}

struct DevicesHideCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hide", abstract: "Hide a device from controllers.",
        discussion: "If it is shown again, it has the same accessory id.")

    @Argument(help: "The device's key, or its complete name.", completion: .devices)
    var device: [String]

    @OptionGroup var confirmation: ChangeOptions
    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let key = try await options.ask { [device] in
            try await $0.lights().device(named: device.joined(separator: " "), isWhole: true).key
        }
        try await options.make(.hideDevice(key: key), confirmation)
    }
}

struct DevicesShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a hidden device again, or list the hidden devices.")

    @Argument(help: "The device's key.")
    var key: String?

    @OptionGroup var confirmation: ChangeOptions
    @OptionGroup var options: BridgeOptions

    func run() async throws {
        if let key { return try await options.make(.showDevice(key: key), confirmation) }
        let hidden = try await options.ask { try await $0.configuration() }.hidden
        guard !options.json else { return Terminal.current.write(hidden.json.text + "\n") }
        guard !hidden.isEmpty else { return Terminal.current.write("No devices are hidden.\n") }
        var table = Table(["KEY", "NAME"])
        for device in hidden { table.append([device.key, device.name ?? ""]) }
        Terminal.current.write(table.text)
    }
}

struct DevicesForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Remove a device that no longer exists.",
        discussion: """
            After its driver is removed from the configuration, or its source removes it, a device stays in the home \
            as unreachable, so that rooms and scenes aren't lost by accident. If the source has the device when the \
            bridge starts, or announces it again later, the device returns with the same accessory id.
            """)

    @Argument(help: "The device's key, or its complete name.", completion: .devices)
    var device: [String]

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        try await options.change(check: "\(ShellCommand.lamplighter) devices") { [device] bridge in
            let typed = device.joined(separator: " ")
            try await bridge.forgetLight(bridge.lights().device(named: typed, isWhole: true).key)
        }
    }
}

struct DevicesPurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Remove all devices that their sources have removed.",
        discussion: """
            This includes the devices of drivers that are no longer configured. The removal makes room for other \
            devices. Devices that are only unreachable stay. If a removed device returns later, controllers treat it \
            as new, with a new accessory id and without its former room and scenes.
            """)

    @OptionGroup var options: BridgeOptions

    func run() async throws {
        let lights = try await options.change(check: "\(ShellCommand.lamplighter) devices") {
            try await $0.purgeLights()
        }
        Terminal.current.write(options.json ? lights.json.text + "\n" : Self.text(of: lights))
    }

    static func text(of lights: [ForgottenLight]) -> String {
        guard !lights.isEmpty else { return "There are no devices to remove.\n" }
        var table = Table(["KEY", "NAME"])
        for light in lights { table.append([light.key, light.name]) }
        return table.text + "\(lights.count.of("device")) removed.\n"
    }
}
