import ArgumentParser
import BoundedJSON
import HomeClient
import HomePresentation
import SystemKit
import TerminalKit

struct NamesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "names", abstract: "Check the names in a home.", subcommands: [NamesDoctorCommand.self])
}

struct NamesDoctorCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find names that could be better, and suggest others.",
        discussion: """
            A good name is unique and doesn't repeat the room or the manufacturer. With --fix, the command removes the \
            room from names that repeat it, and moves accessories without a room to the room in their name. It \
            leaves other names unchanged.
            """)

    @Flag(help: "Fix names that repeat their room.")
    var fix = false

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.home
        let report = NamesReport(home)
        guard fix else { return session.print(report.text, json: report.listing) }
        var renamed: [JSONValue] = []
        for id in report.entries.filter(\.finding.isFixable).map(\.object.id) {
            // A previous change may have used the suggested name.
            let present = try await session.manager.homes.home("\(home.id)")
            guard let entry = NamesReport(present).entries.first(where: { $0.object.id == id }),
                entry.finding.isFixable,
                let name = entry.finding.suggestions.first
            else { continue }
            try await session.manager.rename(entry.object, to: name)
            let room = try await assign(entry, in: present, session)
            if !options.json {
                let place = room.map { " and moved to \($0.name)" } ?? ""
                Terminal.current.write("\(entry.object.qualifiedName) renamed to \(name)\(place)\n".sanitizedLines)
            }
            var change: JSONObject = [
                "id": .string(id), "kind": .string(entry.object.kind.rawValue), "from": .string(entry.object.name),
                "name": .string(name),
            ]
            change["room"] = room.map { .string("\($0.id)") }
            renamed.append(.object(change))
        }
        let left = try await NamesReport(session.manager.homes.home("\(home.id)")).entries.count
        let rest =
            left == 0
            ? "" : "\(left.of("name")) could still be better; see \(ShellCommand.homehub) names doctor\n"
        session.print(
            (renamed.isEmpty && left == 0 ? "All names are fine.\n" : "") + rest, json: .array(renamed))
    }

    /// Assigns an accessory without a room to the room in its former name.
    private func assign(_ entry: NamesReport.Entry, in home: Home, _ session: HomeSession) async throws -> Room? {
        guard case .accessory(let accessory) = entry.object, let room = entry.room, accessory.room == home.defaultRoomID
        else { return nil }
        _ = try await session.manager.assignAccessory(accessory.id, to: room.id, in: home.id)
        return room
    }
}

extension String {
    /// The lines with their control characters escaped.
    var sanitizedLines: String { split(separator: "\n").map { String($0).sanitized + "\n" }.joined() }
}
