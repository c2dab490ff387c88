public import HAPModel
public import HomeModel
import Texts

/// A service of a home as users see it: a light, a reading, one outlet of a power strip.
public struct ServiceRow: Sendable, Hashable, Identifiable {
    /// The service's ID.
    public var id: Service.ID
    /// The ID of the service's accessory.
    public var accessory: Accessory.ID
    /// The ID of the accessory's room.
    public var room: Room.ID
    /// The display name.
    public var name: String
    /// The accessory's name, if it differs from the row's name.
    public var accessoryName: String?
    /// The displayed type: the associated type if the user has chosen one, otherwise the service's own type.
    public var kind: ServiceType
    /// The current state.
    public var state: ServiceState
    /// A Boolean value that indicates whether the service is a favorite.
    public var isFavorite: Bool
    /// The accessory's problem; `nil` if it's usable.
    public var problem: AccessoryProblem?
    /// The state of the accessory's battery; `nil` if it has none.
    public var battery: ServiceState?
    /// The time of the oldest displayed value that the accessory doesn't report or failed to return; `nil` if there is
    /// none.
    public var lastRead: Timestamp?
    /// The states that a single tap switches between; `nil` if the service is read-only or has no such states.
    public var toggle: ServiceToggle?
    /// The gradual value, such as brightness or position; `nil` if the service has none.
    public var level: Characteristic.ID?
    /// The measured temperature in degrees Celsius; `nil` if there is no temperature sensor.
    public var temperature: Double?

    /// The plural name of the row's kind in English.
    public var kindName: String { localized(key: kind.plural) }
}

/// The two states that a single tap switches between.
public struct ServiceToggle: Sendable, Hashable {
    /// The characteristic to write.
    public var characteristic: Characteristic.ID
    /// A Boolean value that indicates whether it's on, open or unlocked; `nil` if that's unknown.
    public var isOn: Bool?
    /// The value for on, open or unlocked.
    public var on: CharacteristicValue
    /// The value for off, closed or locked.
    public var off: CharacteristicValue

    /// The value for the opposite state.
    ///
    /// If the state is unknown, it's ``on``.
    public var next: CharacteristicValue { isOn == true ? off : on }

    /// Returns a Boolean value that indicates whether a value means on, open or unlocked.
    ///
    /// All values except the value for off do, because a partially open device is open. Some accessories report 1 where
    /// HAP has a Boolean.
    public func isOn(_ value: CharacteristicValue) -> Bool { value.level != off.level }
}

extension Accessory {
    func row(of service: Service) -> ServiceRow {
        let shown = shownName(of: service)
        return ServiceRow(
            id: service.id, accessory: id, room: room, name: shown,
            accessoryName: NameKey(shown) == NameKey(name) ? nil : name,
            kind: service.associatedServiceType ?? service.type, state: state(of: service),
            isFavorite: service.isFavorite, problem: problem,
            battery: services.first { $0.type == .battery }.map(state), lastRead: lastRead(of: service),
            toggle: service.toggle,
            level: service.level?.id, temperature: service[.currentTemperature])
    }
}

extension Home {
    /// Returns the readable characteristics of batteries and of services that are meant for users.
    ///
    /// Accessories with a problem are omitted.
    ///
    /// - Parameter isUnknown: Whether to return only characteristics whose value was never received.
    /// - Returns: The IDs of the characteristics.
    public func valuesOfRows(isUnknown: Bool) -> [Characteristic.ID] {
        accessories.filter { $0.problem == nil }.flatMap(\.services)
            .filter { $0.isUserInteractive || $0.type == .battery }.flatMap(\.characteristics)
            .filter { characteristic in
                characteristic.isForPeople && !characteristic.type.isMomentary
                    && characteristic.metadata.permissions.contains(.pairedRead)
                    && (!isUnknown || characteristic.value == nil)
            }
            .map(\.id)
    }
}

extension CharacteristicValue {
    /// The number, or 1 or 0 for a Boolean.
    fileprivate var level: Double? { bool.map { $0 ? 1 : 0 } ?? number }
}

extension Service {
    /// The states that a single tap switches between; `nil` if the service is read-only or has no such states.
    public var toggle: ServiceToggle? {
        for (type, on, off) in Self.toggles {
            guard let characteristic = characteristic(type),
                characteristic.metadata.permissions.contains(.pairedWrite),
                let on = characteristic.metadata.accepted(.integer(on)),
                let off = characteristic.metadata.accepted(.integer(off))
            else { continue }
            var toggle = ServiceToggle(characteristic: characteristic.id, on: on, off: off)
            toggle.isOn = characteristic.value.map(toggle.isOn)
            return toggle
        }
        return nil
    }

    private static let toggles: [(CharacteristicType, on: Int64, off: Int64)] = [
        (.on, 1, 0), (.active, 1, 0), (.targetDoorState, 0, 1), (.lockTargetState, 0, 1), (.targetPosition, 100, 0),
    ]

    /// The gradual value, such as brightness or position.
    public var level: Characteristic? {
        let types: [CharacteristicType] = [.brightness, .rotationSpeed, .targetPosition, .volume]
        return types.lazy.compactMap(characteristic).first { $0.metadata.permissions.contains(.pairedWrite) }
    }
}
