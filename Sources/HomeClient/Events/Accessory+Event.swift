/// What happens to accessories.
public typealias AccessoryEvent = Accessory.Event

extension Accessory {
    /// Something that happened to an accessory.
    public struct Event: Sendable, Hashable {
        /// The accessory as it is since then.
        public let accessory: Accessory
        /// The revision of its home since then.
        public let revision: UInt64
        /// What happened.
        public let change: Change

        package init(_ change: Change, to accessory: Accessory, revision: UInt64) {
            self.accessory = accessory
            self.revision = revision
            self.change = change
        }
    }
}

extension Accessory.Event {
    /// What can happen to an accessory; its parts are as they are since then.
    @nonexhaustive
    public enum Change: Sendable, Hashable {
        /// It has another name.
        case nameUpdated
        /// A service has another name.
        case serviceNameUpdated(Service)
        /// It has other services; what it still has kept its identity.
        case servicesUpdated
        /// It answers, or does not any more, or it is known why.
        case reachabilityUpdated
        /// A value that this app observes changed, or a button was pressed.
        case valueUpdated(Service, Characteristic)
        /// A service is shown as something else.
        case associatedServiceTypeUpdated(Service)
        /// A service became, or ceased to be, a favorite.
        case favoriteUpdated(Service)
        /// It has other software.
        case firmwareVersionUpdated
        /// The homes were loaded anew, or this listener missed too much: whatever it kept of the accessory is void.
        case homesUpdated

        /// The event's name, as tools print it.
        public var name: String { self == .nameUpdated ? "accessory.nameUpdated" : Mirror.caseName(of: self) }
    }
}
