import ArgumentParser
import BoundedJSON
import HomeClient
import HomeModel
import HomePresentation
import HubControl
import OperatorControl
import SystemKit
import TerminalKit

struct HomeStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of the hub and of your home, and what needs attention.",
        discussion: """
            The part about the hub is for root and members of the homehub group. The page shows the same words about the \
            home at the top of Home. For each accessory, use homehub accessories.
            """)

    @Flag(help: "Read all values from the accessories first.")
    var ask = false

    @OptionGroup var options: HomeOptions

    func run() async throws {
        let hub = try await hub()
        if let hub {
            if !options.json { Terminal.current.write(Self.text(of: hub)) }
            // Without homes, the state of the hub is all there is.
            if hub.homes == 0, options.home == nil {
                if options.json { Terminal.current.write(JSONValue.object(["hub": hub.json]).text + "\n") }
                return
            }
        }
        try await options.withHomes { session in
            let home = try await session.glance(isAsked: ask)
            session.print((hub == nil ? "" : "\n") + Self.text(of: home), json: Self.listing(of: home, hub: hub))
        }
    }

    /// Returns the state of the hub, or `nil` if this user may not see it.
    private func hub() async throws -> HubStatusReport? {
        guard options.app == nil else { return nil }
        do {
            return try await options.operate { try await $0.status() }
        } catch let error as OperatorError where error.code == ExitCode.noPermission.rawValue || error.isDaemonAway {
            // The apps' socket reports a missing hub, with the remedy for apps.
            return nil
        }
    }

    // MARK: Hub

    static func text(of hub: HubStatusReport) -> String {
        let count = hub.connected + hub.notConnected.count
        var lines = [
            ("hub", "homehubd \(hub.version), up since \(LocalTime.text(of: hub.since))"),
            ("homes", "\(hub.homes)"),
            ("accessories", count == 0 ? "none" : "\(hub.connected) of \(count) connected"),
        ]
        for accessory in hub.notConnected {
            let since = accessory.since.map { LocalTime.text(of: $0) } ?? "the hub started"
            let problem = accessory.problem.map { "; \($0)" } ?? ""
            lines.append(("  not connected", "\(accessory.name) (\(accessory.home)), since \(since)\(problem)"))
        }
        lines += [
            ("apps", "\(hub.apps) connected"),
            (
                "database",
                "\(size(hub.databaseBytes)), history \(hub.historyBytes.map { size($0) } ?? "unavailable")"
            ),
            ("last daily copy", hub.lastCopy.map { LocalTime.text(of: $0) } ?? "none yet"),
        ]
        lines += hub.warnings.map { ("warning", $0) }
        return text(of: lines)
    }

    private static func size(_ bytes: Int) -> String {
        bytes < 10 << 20 ? "\((bytes + 1023) >> 10) KiB" : "\(bytes >> 20) MiB"
    }

    private static func text(of lines: [(String, String)]) -> String {
        lines.map { name, value in
            name + String(repeating: " ", count: max(1, 17 - name.count)) + value.sanitized + "\n"
        }.joined()
    }

    // MARK: Home

    /// Returns a line for each aspect, and then for each accessory that needs attention.
    static func text(of home: Home) -> String {
        var lines = [("home", home.name)]
        for status in home.status where status.topic != .attention {
            lines.append((status.topic.title.lowercased(), status.words))
        }
        for issue in home.status(.attention)?.issues ?? [] {
            lines.append((HomeStatus.Topic.attention.title.lowercased(), "\(issue.name): \(issue.words)"))
        }
        return text(of: lines)
    }

    private static func listing(of home: Home, hub: HubStatusReport?) -> JSONValue {
        var listing: JSONObject = [
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
        listing["hub"] = hub?.json
        return .object(listing)
    }
}
