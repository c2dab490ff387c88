import ArgumentParser
import AsyncKit
import HomeClient
import HomePresentation

/// The kinds of names that can be completed on the command line.
enum CompletableName: Sendable {
    case homes, rooms, zones, scenes, groups, accessories, automations, people
    /// All objects with names.
    case objects
    /// The arguments of `read` and `watch`: accessories, rooms, zones, and the values of the preceding target.
    case values
    /// The arguments of `write`: accessories, rooms, zones, kinds, and words such as `brightness=`.
    case changes
}

extension CompletionKind {
    /// Completes names from the hub's homes.
    ///
    /// There are no completions if the hub is unavailable or denies access.
    static func names(_ kind: CompletableName) -> CompletionKind {
        .custom { words, _, prefix async in
            let homes = await Completion.homes(for: words)
            return Completion.candidates(kind, in: homes, words: words, prefix: prefix).map(Completion.forShell)
        }
    }
}

/// The completions for a shell.
enum Completion {
    /// The longest time that the user waits for completions after pressing a key.
    private static let timeout = Duration.seconds(1)

    /// Returns the homes that the typed command would have access to.
    static func homes(for words: [String]) async -> [Home] {
        let app = AppDeclaration(
            id: option("--app", in: words) ?? SessionOpening.systemApp,
            usageDescription: "To complete names on the command line.", capabilities: [.home])
        let socket = option("--socket", in: words)
        let homes = try? await withTimeLimit(timeout) {
            try await withHomeManager(app, socket: socket) { manager in
                try await manager.waitUntilLoaded()
                return await manager.homes
            }
        }
        return homes ?? []
    }

    /// Returns the candidates at the cursor.
    ///
    /// This is a pure function.
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
        case .automations: return home.triggers.sortedForDisplay.map(\.name)
        case .people: return home.people.sortedForDisplay.map(\.name)
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

    /// Returns the target that a word before the cursor names, or `nil` if there is none.
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

    /// Returns the candidate in the form that the shell can insert.
    ///
    /// bash inserts the candidate unchanged, so spaces and apostrophes, which don't matter in names, are removed. Other
    /// shells quote it themselves.
    static func forShell(_ name: String) -> String {
        guard CompletionShell.requesting == .bash else { return name }
        return name.filter { $0 != " " && $0 != "'" }
    }
}
