public import HAPModel

/// One value of a service.
public struct Characteristic: Codable, Sendable, Hashable, Identifiable {
    /// A characteristic's identity.
    public typealias ID = Identifier<Characteristic>

    /// Its identity.
    public let id: ID
    /// The service whose value it is.
    public let service: Service.ID
    /// Its number within the accessory.
    public package(set) var iid: InstanceID
    /// What it means.
    public let type: CharacteristicType
    /// Its format, limits and permissions.
    public package(set) var metadata: CharacteristicMetadata
    /// The accessory's own description, which is the best label of a type that Apple does not define.
    public package(set) var manufacturerDescription: String?
    /// The last value received; `nil` if there was none.
    public package(set) var value: CharacteristicValue?
    /// When the value was received.
    public package(set) var valueTime: Timestamp?
    /// Whether changes are reported to this app.
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

    /// Whether people want to see it: not what the accessory hides, nor a name, which is the home's affair, nor bytes, nor
    /// what controllers count for themselves.
    public var isForPeople: Bool {
        !metadata.permissions.contains(.hidden) && type != .name && type != .characteristicValueActiveTransitionCount
            && metadata.format != .tlv8 && metadata.format != .data
    }

    /// What such a characteristic is called in English.
    public var localizedDescription: String {
        guard !type.type.isApple, let manufacturerDescription else { return type.localizedDescription }
        return manufacturerDescription
    }
}
