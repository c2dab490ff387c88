import ArgumentParser
import AsyncKit
import HomeClient
import HomePresentation

/// What of a home can be completed at the command line.
enum CompletableName: Sendable {
    case homes, rooms, zones, scenes, groups, accessories
    /// Whatever has a name.
    case objects
    /// What `read` and `watch` take: accessories, rooms, zones; behind one of them its values.
    case values
    /// What `write` takes: as for values, kinds of thing besides, and `brightness=`.
    case changes
}

extension CompletionKind {
    /// Completes names of the home that the hub has; nothing if it is away or does not allow it.
    static func names(_ kind: CompletableName) -> CompletionKind {
        .custom { words, _, prefix async in
            let homes = await Completion.homes(for: words)
            return Completion.candidates(kind, in: homes, words: words, prefix: prefix).map(Completion.forShell)
        }
    }
}

/// The words that a shell offers.
enum Completion {
    /// A person who presses a key waits no longer.
    private static let timeout = Duration.seconds(1)

    /// The homes, as the command that is being typed would see them.
    static func homes(for words: [String]) async -> [Home] {
        let app = AppDeclaration(
            id: option("--app", in: words) ?? SessionOpening.systemApp,
            usageDescription: "To complete names at the command line.", capabilities: [.home])
        let socket = option("--socket", in: words)
        let homes = try? await withTimeLimit(timeout) {
            try await withHomeManager(app, socket: socket) { manager in
                try await manager.waitUntilLoaded()
                return await manager.homes
            }
        }
        return homes ?? []
    }

    /// What can stand where the cursor is; pure.
    static func candidates(_ kind: CompletableName, in homes: [Home], words: [String], prefix: String) -> [String] {
        let chosen = option("--home", in: words)
        guard let home = try? homes.home(chosen) else { return [] }
        let accessories = home.accessories.sortedForDisplay.map(\.name)
        let rooms = (home.rooms + [home.defaultRoom]).sortedForDisplay.map(\.name)
        let zones = home.zones.sortedForDisplay.map(\.name)
        switch kind {
        case .homes: return homes.sortedForDisplay.map(\.name)
        case .rooms: return rooms
        case .zones: return zones
        case .scenes: return home.actionSets.sortedForDisplay.map(\.name)
        case .groups: return home.serviceGroups.sortedForDisplay.map(\.name)
        case .accessories: return accessories
        case .objects: return accessories + rooms + zones + home.actionSets.map(\.name) + home.serviceGroups.map(\.name)
        case .values, .changes: break
        }
        let isWriting = kind == .changes
        if let target = target(before: prefix, in: words, of: home) {
            let places = target.places(allowing: isWriting ? .pairedWrite : .pairedRead)
            let names = places.map(\.characteristic.word)
            return isWriting ? Verb.allCases.map(\.rawValue) + names.map { "\($0)=" } : names
        }
        let kinds = isWriting ? Set(home.rows().map(\.kindName)).sorted().map { $0.lowercased() } : []
        return accessories + rooms + zones + kinds
    }

    /// What the words before the cursor mean; `nil` if they name nothing yet.
    private static func target(before prefix: String, in words: [String], of home: Home) -> ValueTarget? {
        var names = words.drop { $0 != "read" && $0 != "write" && $0 != "watch" }.dropFirst()
        if names.last == prefix { names = names.dropLast() }
        return names.lazy.filter { !$0.hasPrefix("-") && !$0.contains("=") }
            .compactMap { try? home.valueTarget($0) }.first
    }

    private static func option(_ name: String, in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word == name, index + 1 < words.count { return words[index + 1] }
            if word.hasPrefix(name + "=") { return String(word.dropFirst(name.count + 1)) }
        }
        return nil
    }

    /// A candidate as the shell can put it into the line.
    ///
    /// bash puts it there as it is, and a name without its spaces is the same name; the others quote it themselves.
    static func forShell(_ name: String) -> String {
        guard CompletionShell.requesting == .bash else { return name }
        return name.filter { $0 != " " && $0 != "'" }
    }
}
