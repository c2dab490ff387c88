/// An event of an accessory.
public typealias AccessoryEvent = Accessory.Event

extension Accessory {
    /// A change of an accessory.
    public struct Event: Sendable, Hashable {
        /// The accessory after the change.
        public let accessory: Accessory
        /// The revision of the accessory's home after the change.
        public let revision: UInt64
        /// The kind of change.
        public let change: Change

        package init(_ change: Change, to accessory: Accessory, revision: UInt64) {
            self.accessory = accessory
            self.revision = revision
            self.change = change
        }
    }
}

extension Accessory.Event {
    /// A kind of change, with the services and characteristics after the change.
    @nonexhaustive
    public enum Change: Sendable, Hashable {
        /// The accessory was renamed.
        case nameUpdated
        /// A service was renamed.
        case serviceNameUpdated(Service)
        /// The accessory's services changed; remaining services and characteristics keep their IDs.
        case servicesUpdated
        /// The accessory became reachable or unreachable, or the reason why it's unreachable changed.
        case reachabilityUpdated
        /// A value that this app observes changed, or a button was pressed.
        case valueUpdated(Service, Characteristic)
        /// The type that apps use to display a service changed.
        case associatedServiceTypeUpdated(Service)
        /// A service was added to the favorites or removed from them.
        case favoriteUpdated(Service)
        /// The accessory's firmware version changed.
        case firmwareVersionUpdated
        /// The homes were loaded again, or this listener was too slow. Replace all stored data about the accessory.
        case homesUpdated

        /// The event's name in the output of tools.
        public var name: String { self == .nameUpdated ? "accessory.nameUpdated" : Mirror.caseName(of: self) }
    }
}
