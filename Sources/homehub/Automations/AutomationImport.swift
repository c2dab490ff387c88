import HomeClient
import HomeModel

/// An import of automations, which is undone if the home hub refuses one of them.
struct AutomationImport {
    /// The change of an automation; `old` is the present automation with the same name.
    struct Change {
        let entry: AutomationFile.Entry
        let old: Trigger?
    }

    /// A change that undoes an earlier one.
    private enum Reversal {
        case remove(Trigger.ID)
        case update(Trigger.ID, TriggerDefinition)
        case enable(Trigger.ID, Bool)
    }

    let home: Home
    private var reversals: [(name: String, reversal: Reversal)] = []

    init(_ home: Home) { self.home = home }

    /// Checks all changes on a copy of the home, with the rules of the home hub.
    ///
    /// - Throws: The error of the first change that the home hub would refuse.
    func check(_ changes: [Change]) throws(HomeError) {
        var graph = HomeGraph(homes: [home])
        var generator = SystemRandomNumberGenerator()
        for change in changes {
            do throws(HomeError) {
                for write in writes(of: change) { _ = try graph.perform(write, using: &generator) }
            } catch {
                throw Self.error(error, at: change, outcome: nil)
            }
        }
    }

    /// Makes all changes, or none if the home hub refuses one of them.
    ///
    /// - Throws: The error of the refused change, which also names the changes that couldn't be undone.
    mutating func apply(_ changes: [Change], by manager: HomeManager) async throws(HomeError) {
        for change in ordered(changes) {
            do throws(HomeError) {
                try await apply(change, by: manager)
            } catch {
                let remaining = await undo(by: manager)
                let outcome =
                    remaining.isEmpty
                    ? "the import changed nothing"
                    : "the import couldn't undo its changes of \(remaining.joined(separator: ", "))"
                throw Self.error(error, at: change, outcome: outcome)
            }
        }
    }

    /// Returns the changes with those first that the user may not allow, and those last that can't be undone.
    ///
    /// New automations keep their order.
    private func ordered(_ changes: [Change]) -> [Change] {
        let isLast = { (change: Change) in change.old?.missingParts.isEmpty == false }
        let isFirst = { (change: Change) in
            change.old != nil && !isLast(change) && !home.openings(of: change.entry.definition).isEmpty
        }
        return changes.filter(isFirst) + changes.filter { !isFirst($0) && !isLast($0) } + changes.filter(isLast)
    }

    private func writes(of change: Change) -> [HomeWrite] {
        let entry = change.entry
        guard let old = change.old else {
            return [.addTrigger(home.id, name: entry.name, entry.definition, isEnabled: entry.isEnabled)]
        }
        var writes: [HomeWrite] = []
        // Only a disabled automation can have a time in the past.
        if !entry.isEnabled, old.isEnabled { writes.append(.enableTrigger(old.id, false)) }
        if entry.definition != old.definition || !old.missingParts.isEmpty {
            writes.append(.updateTrigger(old.id, entry.definition))
        }
        if entry.isEnabled, !old.isEnabled { writes.append(.enableTrigger(old.id, true)) }
        return writes
    }

    private mutating func apply(_ change: Change, by manager: HomeManager) async throws(HomeError) {
        for write in writes(of: change) {
            let reversal: Reversal
            switch write {
            case .addTrigger(_, let name, let definition, let isEnabled):
                reversal = .remove(
                    try await manager.addTrigger(named: name, to: home.id, definition, isEnabled: isEnabled).id)
            case .updateTrigger(let id, let definition):
                try await manager.updateTrigger(id, to: definition)
                reversal = .update(id, change.old?.definition ?? definition)
            case .enableTrigger(let id, let isEnabled):
                try await manager.setEnabled(isEnabled, of: id)
                reversal = .enable(id, !isEnabled)
            default: continue
            }
            reversals.append((change.entry.name, reversal))
        }
    }

    /// Undoes all changes, and returns the names of the automations for which that failed.
    private mutating func undo(by manager: HomeManager) async -> [String] {
        var failed: [String] = []
        while let (name, reversal) = reversals.popLast() {
            do throws(HomeError) {
                switch reversal {
                case .remove(let id): try await manager.removeTrigger(id)
                case .update(let id, let definition): try await manager.updateTrigger(id, to: definition)
                case .enable(let id, let isEnabled): try await manager.setEnabled(isEnabled, of: id)
                }
            } catch {
                if !failed.contains(name) { failed.insert(name, at: 0) }
            }
        }
        return failed
    }

    private static func error(_ error: HomeError, at change: Change, outcome: String?) -> HomeError {
        HomeError(
            error.code,
            detail: ["\(change.entry.name): \(error.problem)", outcome].compactMap(\.self).joined(separator: "; "),
            remedy: error.effectiveRemedy, suggestions: error.suggestions)
    }
}
