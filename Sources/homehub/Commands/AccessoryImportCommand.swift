import ArgumentParser
import BoundedJSON
import HomeClient
import HomeModel
import PairingFiles
import TerminalKit

struct AccessoryImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Add accessories that are paired with another program.",
        discussion: """
            The home hub uses each pairing once, to add its own pairing. No setup code is needed, and the other program keeps \
            its pairings. Accessories that can't be reached now are listed; import the file again when they can be reached.
            """,
        subcommands: [AccessoryImportHomeAssistantCommand.self, AccessoryImportAiohomekitCommand.self])
}

struct AccessoryImportHomeAssistantCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "home-assistant", abstract: "Add the accessories of Home Assistant's integration HomeKit Device.")

    @Argument(
        help: "Home Assistant's configuration directory, its directory .storage, or the file core.config_entries.",
        completion: .file())
    var path: String

    @OptionGroup var selection: AccessoryImportOptions
    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        try await PairingImport(entries: try HomeAssistantStorage(path).pairings(), file: path).run(session, selection)
    }
}

struct AccessoryImportAiohomekitCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "aiohomekit", abstract: "Add the accessories in a pairing file of aiohomekit.")

    @Argument(help: "The file with the pairings, such as pairing.json.", completion: .file(extensions: ["json"]))
    var file: String

    @OptionGroup var selection: AccessoryImportOptions
    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        try await PairingImport(entries: try AiohomekitFile.entries(file), file: file).run(session, selection)
    }
}

struct AccessoryImportOptions: ParsableArguments {
    @Flag(help: "List the accessories without adding them.")
    var dryRun = false
}

/// The import of accessories that are paired with another program.
struct PairingImport {
    /// The outcome for an entry of the file.
    private enum Outcome {
        case added([Accessory])
        case present
        case planned
        case failed(String)
    }

    let entries: [ForeignPairingEntry]
    let file: String

    func run(_ session: HomeSession, _ selection: AccessoryImportOptions) async throws {
        guard !entries.isEmpty else {
            throw TerminalError(code: 66, message: "\(file) contains no pairings with accessories")
        }
        let home = try await session.home
        var listings: [JSONValue] = []
        var failures = 0
        for entry in entries {
            let outcome = await outcome(of: entry, in: home, session, isTrial: selection.dryRun)
            if case .failed = outcome { failures += 1 }
            listings.append(Self.json(of: entry, outcome))
            if !session.options.json {
                Terminal.current.write("\(entry.name): \(Self.text(of: outcome))".sanitized + "\n")
            }
        }
        session.print("", json: .array(listings))
        guard failures == 0 else {
            throw TerminalError(code: 1, message: "\(failures) of \(entries.count.of("accessory")) can't be added")
        }
    }

    private func outcome(
        of entry: ForeignPairingEntry, in home: Home, _ session: HomeSession, isTrial: Bool
    ) async -> Outcome {
        let pairing: ForeignPairing
        switch entry.pairing {
        case .success(let found): pairing = found
        case .failure(let error): return .failed(error.message)
        }
        guard !home.accessories.contains(where: { $0.deviceID == pairing.deviceID }) else { return .present }
        guard !isTrial else { return .planned }
        do throws(HomeError) {
            return .added(
                try await session.manager.addAccessory(
                    pairing.deviceID,
                    with: ControllerPairing(
                        accessoryKey: pairing.accessoryKey, controller: pairing.controller, seed: pairing.seed),
                    to: home.id))
        } catch {
            return .failed(error.text)
        }
    }

    private static func text(of outcome: Outcome) -> String {
        switch outcome {
        case .added(let accessories):
            let names = accessories.map(\.name)
            guard let first = names.first, names.count > 1 else { return "added as \(names.first ?? "an accessory")" }
            return "added as \(first), with \((names.count - 1).of("accessory"))"
        case .present: return "already in the home"
        case .planned: return "can be added"
        case .failed(let reason): return "not added: \(reason)"
        }
    }

    private static func json(of entry: ForeignPairingEntry, _ outcome: Outcome) -> JSONValue {
        var object: JSONObject = ["name": .string(entry.name)]
        if let pairing = try? entry.pairing.get() { object["deviceId"] = .string(pairing.deviceID.description) }
        switch outcome {
        case .added(let accessories):
            object["result"] = "added"
            object["accessories"] = .array(accessories.map(\.listing))
        case .present: object["result"] = "present"
        case .planned: object["result"] = "planned"
        case .failed(let reason):
            object["result"] = "failed"
            object["reason"] = .string(reason)
        }
        return .object(object)
    }
}
