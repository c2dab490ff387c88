import BoundedJSON
public import HAPModel

/// A change in the activity of a home.
@nonexhaustive
public enum ActivityChange: Codable, Sendable, Hashable {
    /// A kind of object that is added, renamed, changed or removed.
    @nonexhaustive
    public enum Object: String, Codable, Sendable, Hashable, CaseIterable {
        /// The home.
        case home
        /// A room.
        case room
        /// A zone.
        case zone
        /// An accessory.
        case accessory
        /// A service of an accessory.
        case service
        /// A scene.
        case actionSet
        /// A group of services.
        case serviceGroup
        /// An automation.
        case trigger
        /// A person.
        case person
    }

    /// A value changed. The old value of a button is `nil`.
    case value(
        accessory: Accessory.ID, characteristic: Characteristic.ID, old: CharacteristicValue?,
        new: CharacteristicValue)
    /// An accessory didn't accept a value.
    case failure(
        accessory: Accessory.ID, characteristic: Characteristic.ID, value: CharacteristicValue,
        code: HomeError.Code)
    /// An accessory became unreachable, or reachable again.
    case reachability(accessory: Accessory.ID, isReachable: Bool)
    /// An accessory failed, and it's ignored if the code is `accessoryIsBlocked`.
    case fault(accessory: Accessory.ID, code: HomeError.Code)
    /// An accessory was unblocked.
    case unblocked(accessory: Accessory.ID)
    /// An accessory's firmware changed.
    case firmware(accessory: Accessory.ID, version: String)
    /// An accessory moved to the room with the given name.
    case moved(accessory: Accessory.ID, room: String)
    /// An object was added. Only an added accessory has an ID.
    case added(object: Object, name: String, accessory: Accessory.ID?)
    /// An object was renamed. Only accessories and services have the ID of the accessory.
    case renamed(object: Object, old: String, name: String, accessory: Accessory.ID?)
    /// An object was changed.
    case changed(object: Object, name: String, accessory: Accessory.ID?)
    /// An object was removed.
    case removed(object: Object, name: String)
    /// A person came home or left.
    case presence(name: String, isHome: Bool)
    /// An automation sent a message.
    case message(text: String)
    /// An automation didn't run for the given reason.
    case notRun(result: TriggerResult)
    /// The history was deleted: of the accessory with the given name, or all of it.
    case historyRemoved(name: String?)

    /// The accessory that changed; `nil` for other changes.
    public var accessory: Accessory.ID? {
        switch self {
        case .value(let accessory, _, _, _), .failure(let accessory, _, _, _), .reachability(let accessory, _),
            .fault(let accessory, _), .unblocked(let accessory), .firmware(let accessory, _), .moved(let accessory, _):
            accessory
        case .added(_, _, let accessory), .renamed(_, _, _, let accessory), .changed(_, _, let accessory): accessory
        case .removed, .presence, .message, .notRun, .historyRemoved: nil
        }
    }

    /// The characteristic whose value changed or was rejected; `nil` for other changes.
    public var characteristic: Characteristic.ID? {
        switch self {
        case .value(_, let characteristic, _, _), .failure(_, let characteristic, _, _): characteristic
        default: nil
        }
    }
}

extension ActivityChange: HomeMessage {
    // A change is one flat object, `{"change":"moved","accessory":"...","room":"Attic"}`.
    enum CodingKeys: String, TaggedUnionKey {
        static let tag = "change"

        case value, failure, reachability, fault, unblocked, firmware, moved, added, renamed, changed, removed
        case presence, message, notRun, historyRemoved
    }
}
