import ArgumentParser
import BoundedJSON
import Glibc
import HomeClient
import HomeModel
import HomePresentation
import SystemKit
import TerminalKit

struct AutomationsExportCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print all automations as YAML that you can edit and import.")

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        session.print(
            AutomationFile.text(of: home, TriggerParser(home: home, time: .current(of: home))),
            json: .array(home.triggers.map(\.json)))
    }
}

struct AutomationsImportCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Add and change automations from a YAML file.",
        discussion: """
            An automation with a known name is changed; others are added. Automations that aren't in the file remain. The \
            whole file is checked before anything changes.
            """)

    @Argument(help: "The file; - reads standard input.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Flag(help: "Only check the file; change nothing.")
    var check = false

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let parser = TriggerParser(home: home, time: .current(of: home))
        let imported = try AutomationFile(Self.bytes(of: file), file: file == "-" ? "stdin" : file, parser: parser)
        let total = home.triggers.count + imported.entries.count { home.triggers.named($0.name).isEmpty }
        guard total <= HomeLimits.triggersInHome else {
            throw HomeError(
                .maximumObjectLimitReached,
                detail:
                    "a home can have \(HomeLimits.triggersInHome) automations, and with the file there would be \(total)"
            )
        }
        var results: [ImportResult] = []
        for entry in imported.entries {
            let old = home.triggers.named(entry.name).first
            let result = ImportResult(name: entry.name, old: old, entry: entry)
            if !check {
                do {
                    try await apply(entry, to: old, of: home, session.manager)
                } catch let error as HomeError {
                    show(results, session)
                    throw HomeError(
                        error.code, detail: "\(entry.name): \(error.problem)", remedy: error.effectiveRemedy,
                        suggestions: error.suggestions)
                }
            }
            results.append(result)
        }
        show(results, session)
    }

    private func show(_ results: [ImportResult], _ session: HomeSession) {
        session.print(
            results.map { "\($0.name): \($0.word(isCheck: check))".sanitized + "\n" }.joined(),
            json: .array(results.map { ["name": .string($0.name), "result": .string($0.word(isCheck: false))] }))
    }

    private func apply(
        _ entry: AutomationFile.Entry, to old: Trigger?, of home: Home, _ manager: HomeManager
    ) async throws {
        guard let old else {
            _ = try await manager.addTrigger(
                named: entry.name, to: home.id, entry.definition, isEnabled: entry.isEnabled)
            return
        }
        // Only a disabled automation can have a time in the past.
        if !entry.isEnabled, old.isEnabled { _ = try await manager.setEnabled(false, of: old.id) }
        if entry.definition != old.definition || !old.missingParts.isEmpty {
            _ = try await manager.updateTrigger(old.id, to: entry.definition)
        }
        if entry.isEnabled, !old.isEnabled { _ = try await manager.setEnabled(true, of: old.id) }
    }

    /// Reads a file, or standard input, up to the parser's size limit.
    private static func bytes(of file: String) throws -> [UInt8] {
        let descriptor = file == "-" ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw TerminalError(code: 66, message: "\(file): can't be read: \(FileAccess.reason(file, .last))")
        }
        defer { if file != "-" { close(descriptor) } }
        do {
            return try OpenFile(descriptor).read(limit: 1 << 20)
        } catch {
            throw TerminalError(code: 74, message: "\(file): can't be read: \(error.reason)")
        }
    }
}

/// The effect of an import on an automation.
private struct ImportResult {
    let name: String
    let old: Trigger?
    let entry: AutomationFile.Entry

    func word(isCheck: Bool) -> String {
        guard let old else { return isCheck ? "would be added" : "added" }
        let isSame =
            old.definition == entry.definition && old.isEnabled == entry.isEnabled && old.missingParts.isEmpty
        return isSame ? "unchanged" : isCheck ? "would be changed" : "changed"
    }
}
