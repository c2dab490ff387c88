package import HomeModel

/// The reported problems of accessories, so that users are notified only of changes.
///
/// A daemon that starts doesn't know which accessories respond, and finds out one by one. Without this state, a client
/// would report the return of every accessory, and never the loss of one that stays unreachable.
package struct AccessoryProblems: Sendable, Equatable {
    /// The time that accessories have to respond after a daemon has started.
    package static let startupTimeout = Duration.seconds(15)

    /// The last reported problem of each accessory; `nil` for none.
    private var reported: [Accessory.ID: AccessoryProblem?] = [:]

    /// Creates the state of the given homes, whose current problems count as reported.
    package init(_ homes: [Home] = []) {
        for accessory in homes.flatMap(\.accessories) { reported[accessory.id] = .some(accessory.problem) }
    }

    /// Records an accessory's current problem.
    ///
    /// - Returns: Whether the problem has changed. A new accessory counts as one that had no problem before.
    package mutating func changed(_ accessory: Accessory) -> Bool {
        (reported.updateValue(accessory.problem, forKey: accessory.id) ?? nil) != accessory.problem
    }

    /// Records the problems of all accessories and drops removed ones; returns the accessories that have changed.
    package mutating func changed(in homes: [Home]) -> [Accessory] {
        let accessories = homes.flatMap(\.accessories)
        let ids = Set(accessories.map(\.id))
        reported = reported.filter { ids.contains($0.key) }
        return accessories.filter { changed($0) }
    }
}
