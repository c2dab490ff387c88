package import HomeModel

/// What people were told of accessories that cannot be used, so that they are told only what has changed.
///
/// A daemon that starts knows of no accessory whether it answers, and finds out one after the other: each is said to be back,
/// and of one that is away nothing is said at all.
package struct AccessoryProblems: Sendable, Equatable {
    /// How long the accessories of a daemon that has started may take to answer.
    package static let startupTimeout = Duration.seconds(15)

    /// What was told last: the problem, or that there is none.
    private var told: [Accessory.ID: AccessoryProblem?] = [:]

    /// Begins with what is seen in the homes, of which nothing is told.
    package init(_ homes: [Home] = []) {
        for accessory in homes.flatMap(\.accessories) { told[accessory.id] = .some(accessory.problem) }
    }

    /// An accessory is to be told of.
    ///
    /// - Returns: whether anything has changed. One that was not there before counts as one without a problem.
    package mutating func changed(_ accessory: Accessory) -> Bool {
        (told.updateValue(accessory.problem, forKey: accessory.id) ?? nil) != accessory.problem
    }

    /// Looks at all accessories, forgets removed ones, and returns the changed ones.
    package mutating func changed(in homes: [Home]) -> [Accessory] {
        let accessories = homes.flatMap(\.accessories)
        let ids = Set(accessories.map(\.id))
        told = told.filter { ids.contains($0.key) }
        return accessories.filter { changed($0) }
    }
}
