import ArgumentParser
import BoundedJSON
import HomeClient
import HomeModel
import HomePresentation
import TerminalKit

struct HomeStatusCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what is on or open in your home, and what needs attention.",
        discussion: "The page shows the same at the top of Home. For each accessory, use homehub accessories.")

    @Flag(help: "Read all values from the accessories first.")
    var ask = false

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let home = try await session.glance(isAsked: ask)
        session.print(Self.text(of: home), json: Self.listing(of: home))
    }

    /// Returns a line for each aspect, and then for each accessory that needs attention.
    static func text(of home: Home) -> String {
        var lines = [("home", home.name)]
        for status in home.status where status.topic != .attention {
            lines.append((status.topic.title.lowercased(), status.words))
        }
        for issue in home.status(.attention)?.issues ?? [] {
            lines.append((HomeStatus.Topic.attention.title.lowercased(), "\(issue.name): \(issue.words)"))
        }
        return lines.map { name, value in
            name + String(repeating: " ", count: 17 - name.count) + value.sanitized + "\n"
        }.joined()
    }

    private static func listing(of home: Home) -> JSONValue {
        [
            "id": .string("\(home.id)"), "name": .string(home.name),
            "status": .array(
                home.status.map { status in
                    [
                        "topic": .string(status.topic.rawValue), "text": .string(status.words),
                        "isActive": .bool(status.isActive), "isAlert": .bool(status.isAlert),
                        "services": .array(status.rows.map { .string("\($0.id)") }),
                        "issues": .array(
                            status.issues.map { issue in
                                [
                                    "accessory": .string("\(issue.id)"), "name": .string(issue.name),
                                    "text": .string(issue.words),
                                ]
                            }),
                    ]
                }),
        ]
    }
}
