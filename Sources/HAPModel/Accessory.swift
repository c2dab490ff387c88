/// A characteristic: one value with a place, a type and rules.
public struct Characteristic: Equatable, Sendable {
    /// Its number within the accessory.
    public var iid: InstanceID
    /// What it is.
    public var type: CharacteristicType
    /// Its format, permissions and limits.
    public var metadata: CharacteristicMetadata
    /// Its value; `nil` if it cannot be read.
    ///
    /// Of a press it is what the last event said, and reading it gives `null`.
    public var value: CharacteristicValue?
    /// What its maker calls it; of Apple's own the catalogue has the name.
    public var manufacturerDescription: String?

    /// Makes a characteristic.
    ///
    /// - Parameters:
    ///   - iid: its number within the accessory.
    ///   - type: what it is.
    ///   - metadata: its format, permissions and limits.
    ///   - value: its value.
    ///   - manufacturerDescription: what its maker calls it.
    public init(
        iid: InstanceID, type: CharacteristicType, metadata: CharacteristicMetadata, value: CharacteristicValue?,
        manufacturerDescription: String? = nil
    ) {
        self.iid = iid
        self.type = type
        self.metadata = metadata
        self.value = value
        self.manufacturerDescription = manufacturerDescription
    }
}

/// A service: the characteristics of one function.
public struct Service: Equatable, Sendable {
    /// Its number within the accessory.
    public var iid: InstanceID
    /// What it is.
    public var type: ServiceType
    /// Whether it is what the accessory is for.
    public var isPrimary: Bool
    /// Whether users should not see it.
    public var isHidden: Bool
    /// Other services of the same accessory that belong to it.
    public var linked: [InstanceID]
    /// Its characteristics.
    public var characteristics: [Characteristic]

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - iid: its number within the accessory.
    ///   - type: what it is.
    ///   - isPrimary: whether it is what the accessory is for.
    ///   - isHidden: whether users should not see it.
    ///   - linked: services that belong to it.
    ///   - characteristics: its characteristics.
    public init(
        iid: InstanceID, type: ServiceType, isPrimary: Bool = false, isHidden: Bool = false,
        linked: [InstanceID] = [], characteristics: [Characteristic]
    ) {
        self.iid = iid
        self.type = type
        self.isPrimary = isPrimary
        self.isHidden = isHidden
        self.linked = linked
        self.characteristics = characteristics
    }
}

/// An accessory object: one device, as controllers see it.
public struct Accessory: Equatable, Sendable {
    /// Its number within the server.
    public var aid: AccessoryID
    /// Its services; the first is Accessory Information.
    public var services: [Service]

    /// Makes an accessory.
    ///
    /// - Parameters:
    ///   - aid: its number within the server.
    ///   - services: its services.
    public init(aid: AccessoryID, services: [Service]) {
        self.aid = aid
        self.services = services
    }
}
