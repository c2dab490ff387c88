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
            whole file is checked before anything changes. If the home hub refuses one of the automations, all changes are \
            undone.
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
        let changes = imported.entries.map { entry in
            AutomationImport.Change(entry: entry, old: home.triggers.named(entry.name).first)
        }
        var automations = AutomationImport(home)
        try automations.check(changes)
        if !check { try await automations.apply(changes, by: session.manager) }
        session.print(
            changes.map { "\($0.entry.name): \($0.word(isCheck: check))".sanitized + "\n" }.joined(),
            json: .array(changes.map { ["name": .string($0.entry.name), "result": .string($0.word(isCheck: false))] }))
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

extension AutomationImport.Change {
    /// The effect of the import on the automation.
    fileprivate func word(isCheck: Bool) -> String {
        guard let old else { return isCheck ? "would be added" : "added" }
        let isSame =
            old.definition == entry.definition && old.isEnabled == entry.isEnabled && old.missingParts.isEmpty
        return isSame ? "unchanged" : isCheck ? "would be changed" : "changed"
    }
}
