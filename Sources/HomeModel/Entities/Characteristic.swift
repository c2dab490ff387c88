public import HAPModel

/// One property of a service, such as a light's brightness.
public struct Characteristic: Codable, Sendable, Hashable, Identifiable {
    /// The type of a characteristic's ID.
    public typealias ID = Identifier<Characteristic>

    /// The characteristic's ID.
    public let id: ID
    /// The ID of the service that the characteristic belongs to.
    public let service: Service.ID
    /// The instance ID within the accessory.
    public package(set) var iid: InstanceID
    /// The characteristic's type.
    public let type: CharacteristicType
    /// The characteristic's format, limits and permissions.
    public package(set) var metadata: CharacteristicMetadata
    /// The accessory's description of the characteristic, which is the best label for a type that Apple doesn't define.
    public package(set) var manufacturerDescription: String?
    /// The last received value; `nil` if no value was received.
    public package(set) var value: CharacteristicValue?
    /// The time at which the value was received.
    public package(set) var valueTime: Timestamp?
    /// A Boolean value that indicates whether the accessory failed to return the value when it was last read, so that
    /// ``value`` may be outdated.
    public package(set) var isOutdated = false
    /// A Boolean value that indicates whether this app observes changes.
    public package(set) var isNotificationEnabled: Bool

    package init(
        id: ID, service: Service.ID, iid: InstanceID, type: CharacteristicType, metadata: CharacteristicMetadata,
        manufacturerDescription: String? = nil, value: CharacteristicValue? = nil, valueTime: Timestamp? = nil,
        isNotificationEnabled: Bool = false
    ) {
        self.id = id
        self.service = service
        self.iid = iid
        self.type = type
        self.metadata = metadata
        self.manufacturerDescription = manufacturerDescription
        self.value = value
        self.valueTime = valueTime
        self.isNotificationEnabled = isNotificationEnabled
    }

    /// A Boolean value that indicates whether to show the characteristic to users.
    ///
    /// It's `false` for hidden characteristics, names (because the home has its own), bytes, and counters that
    /// controllers maintain.
    public var isForPeople: Bool {
        !metadata.permissions.contains(.hidden) && type != .name && type != .characteristicValueActiveTransitionCount
            && metadata.format != .tlv8 && metadata.format != .data
    }

    /// The characteristic's name in English.
    public var localizedDescription: String {
        guard !type.type.isApple else { return type.localizedDescription }
        return EveReading(type)?.localizedDescription ?? manufacturerDescription ?? type.localizedDescription
    }
}
