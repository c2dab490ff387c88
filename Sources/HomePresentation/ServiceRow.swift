public import HAPModel
public import HomeModel

// HAPModel has types with these names, too.
public import struct HomeModel.Accessory
public import struct HomeModel.Characteristic
public import struct HomeModel.Service

/// One thing of a home as people look at it: a lamp, a reading, one socket of a strip.
public struct ServiceRow: Sendable, Hashable, Identifiable {
    /// The service.
    public var id: Service.ID
    /// The accessory that it is a part of.
    public var accessory: Accessory.ID
    /// The room that it is in.
    public var room: Room.ID
    /// What people call it.
    public var name: String
    /// The accessory's name, if the row's own does not say it.
    public var accessoryName: String?
    /// What it is shown as: its own type, or what somebody said that it is.
    public var kind: ServiceType
    /// What it does now.
    public var state: ServiceState
    /// Whether it is among what people use most.
    public var isFavorite: Bool
    /// What is wrong with it; `nil` if it can be used.
    public var problem: AccessoryProblem?
    /// How its accessory's battery is; `nil` if it has none.
    public var battery: ServiceState?
    /// The time of the last read of its state; `nil` if the accessory reports changes.
    public var lastRead: Timestamp?
    /// How it is switched with one touch; `nil` for what is only read or has more than two states.
    public var toggle: ServiceToggle?
    /// The value that is a matter of more or less, such as brightness or position; `nil` if there is none.
    public var level: Characteristic.ID?
    /// What it measures in degrees Celsius; `nil` if it is no thermometer.
    public var temperature: Double?

    /// What such things are called together, in English.
    public var kindName: String { kind.plural }
}

/// What one touch does.
public struct ServiceToggle: Sendable, Hashable {
    /// The characteristic that is written.
    public var characteristic: Characteristic.ID
    /// Whether it is on, open or unlocked; `nil` while that is not known.
    public var isOn: Bool?
    /// The value that switches it on, opens or unlocks it.
    public var on: CharacteristicValue
    /// The value that switches it off, closes or locks it.
    public var off: CharacteristicValue

    /// The value that makes it the other; what is not known is switched on.
    public var next: CharacteristicValue { isOn == true ? off : on }

    /// Whether a value means on, open or unlocked: all but the one that means off, since what is open by a part is open.
    ///
    /// Some accessories say 1 where HAP has a truth value.
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
    /// Returns the readable values of parts that people use and of batteries, or those that were never received.
    ///
    /// Accessories that can't be reached have none.
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
    /// The number, or a truth value as one.
    fileprivate var level: Double? { bool.map { $0 ? 1 : 0 } ?? number }
}

extension Service {
    /// How it is switched with one touch; `nil` if there is no such thing, or it must not be written.
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

    /// The value that is a matter of more or less.
    public var level: Characteristic? {
        let types: [CharacteristicType] = [.brightness, .rotationSpeed, .targetPosition, .volume]
        return types.lazy.compactMap(characteristic).first { $0.metadata.permissions.contains(.pairedWrite) }
    }
}
