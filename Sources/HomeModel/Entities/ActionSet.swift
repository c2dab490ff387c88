public import HAPModel

/// A value that a scene writes to a characteristic.
public struct CharacteristicWriteAction: Codable, Sendable, Hashable {
    /// The characteristic to write.
    public var characteristic: Characteristic.ID
    /// The value to write.
    public var targetValue: CharacteristicValue

    /// Creates an action.
    public init(characteristic: Characteristic.ID, targetValue: CharacteristicValue) {
        self.characteristic = characteristic
        self.targetValue = targetValue
    }
}

/// Values that are set together; users know this as a *scene*.
public struct ActionSet: Codable, Sendable, Hashable, Identifiable {
    /// The type of a scene's ID.
    public typealias ID = Identifier<ActionSet>

    /// The kind of scene.
    ///
    /// A home has at most one scene of each built-in kind, and a scene's kind never changes.
    @nonexhaustive
    public enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
        /// Created by the user.
        case userDefined
        /// For the morning.
        case wakeUp
        /// For bedtime.
        case sleep
        /// For leaving the house.
        case departure
        /// For coming home.
        case arrival
    }

    /// The scene's ID.
    public let id: ID
    /// The ID of the scene's home.
    public let home: Home.ID
    /// The scene's kind.
    public let kind: Kind
    /// The scene's name.
    public package(set) var name: String
    /// The scene's actions, at most one for each characteristic.
    public package(set) var actions: [CharacteristicWriteAction]
    /// A Boolean value that indicates whether the scene is running.
    public package(set) var isExecuting = false
    /// The time of the last complete or partial execution; `nil` before the first execution.
    public package(set) var lastExecutionTime: Timestamp?

    package init(
        id: ID, home: Home.ID, kind: Kind, name: String, actions: [CharacteristicWriteAction] = [],
        lastExecutionTime: Timestamp? = nil
    ) {
        self.id = id
        self.home = home
        self.kind = kind
        self.name = name
        self.actions = actions
        self.lastExecutionTime = lastExecutionTime
    }
}
