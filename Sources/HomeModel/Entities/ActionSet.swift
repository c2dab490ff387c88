public import HAPModel

/// What an app sets to a value when a scene is run.
public struct CharacteristicWriteAction: Codable, Sendable, Hashable {
    /// What is set.
    public var characteristic: Characteristic.ID
    /// The value it is set to.
    public var targetValue: CharacteristicValue

    /// Makes an action.
    public init(characteristic: Characteristic.ID, targetValue: CharacteristicValue) {
        self.characteristic = characteristic
        self.targetValue = targetValue
    }
}

/// Values that are set together; people say *scene*.
public struct ActionSet: Codable, Sendable, Hashable, Identifiable {
    /// A scene's identity.
    public typealias ID = Identifier<ActionSet>

    /// What kind of scene it is; a home has at most one of each built-in kind, and it stays.
    @nonexhaustive
    public enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
        /// Made by people.
        case userDefined
        /// For the morning.
        case wakeUp
        /// For the night.
        case sleep
        /// For leaving the house.
        case departure
        /// For coming home.
        case arrival
    }

    /// Its identity.
    public let id: ID
    /// The home it is in.
    public let home: Home.ID
    /// What kind of scene it is.
    public let kind: Kind
    /// What people call it.
    public package(set) var name: String
    /// What it sets, each characteristic once.
    public package(set) var actions: [CharacteristicWriteAction]
    /// Whether it is being carried out at this moment.
    public package(set) var isExecuting = false
    /// When it was carried out last, in whole or in part; `nil` if it never was.
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
