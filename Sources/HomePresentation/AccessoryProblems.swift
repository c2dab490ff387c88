package import HomeModel

/// The reported problems of accessories, so that users are notified only of changes.
///
/// A daemon that has just started doesn't know yet which accessories respond. Without this state, a client would
/// report that every accessory has returned, and wouldn't report an accessory that stays unreachable.
package struct AccessoryProblems: Sendable, Equatable {
    /// The time that accessories have to respond after a daemon has started.
    package static let startupTimeout = Duration.seconds(15)

    /// The last reported problem of each accessory; `nil` if it had no problem.
    private var reported: [Accessory.ID: AccessoryProblem?] = [:]

    /// Creates the state of the given homes, whose current problems count as reported.
    package init(_ homes: [Home] = []) {
        for accessory in homes.flatMap(\.accessories) { reported[accessory.id] = .some(accessory.problem) }
    }

    /// Records an accessory's current problem.
    ///
    /// - Returns: Whether the problem has changed. A new accessory without a problem isn't a change.
    package mutating func changed(_ accessory: Accessory) -> Bool {
        (reported.updateValue(accessory.problem, forKey: accessory.id) ?? nil) != accessory.problem
    }

    /// Records the problems of all accessories, and drops removed accessories.
    ///
    /// - Returns: The accessories whose problem has changed.
    package mutating func changed(in homes: [Home]) -> [Accessory] {
        let accessories = homes.flatMap(\.accessories)
        let ids = Set(accessories.map(\.id))
        reported = reported.filter { ids.contains($0.key) }
        return accessories.filter { changed($0) }
    }
}
