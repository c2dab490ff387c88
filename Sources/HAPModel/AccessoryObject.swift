/// A characteristic: a value with an id, a type and metadata.
public struct CharacteristicObject: Equatable, Sendable {
    /// The characteristic's number within the accessory.
    public var iid: InstanceID
    /// The characteristic's type.
    public var type: CharacteristicType
    /// The format, permissions and limits.
    public var metadata: CharacteristicMetadata
    /// The value, or `nil` if the characteristic can't be read or a meter's reading is unknown.
    ///
    /// For a button, this is the value of the last press event, but reads return `null`.
    public var value: CharacteristicValue?
    /// The manufacturer's name for the characteristic, if its type isn't in the catalog.
    public var manufacturerDescription: String?

    /// Creates a characteristic.
    ///
    /// - Parameters:
    ///   - iid: The characteristic's number within the accessory.
    ///   - type: The characteristic's type.
    ///   - metadata: The format, permissions and limits.
    ///   - value: The value, or `nil` if the characteristic can't be read.
    ///   - manufacturerDescription: The manufacturer's name for the characteristic.
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
public struct ServiceObject: Equatable, Sendable {
    /// The service's number within the accessory.
    public var iid: InstanceID
    /// The service's type.
    public var type: ServiceType
    /// A Boolean value that indicates whether the service is the accessory's primary function.
    public var isPrimary: Bool
    /// A Boolean value that indicates whether controllers hide the service from users.
    public var isHidden: Bool
    /// The iids of the other services in the same accessory that belong to this one.
    public var linked: [InstanceID]
    /// The characteristics.
    public var characteristics: [CharacteristicObject]

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - iid: The service's number within the accessory.
    ///   - type: The service's type.
    ///   - isPrimary: Whether the service is the accessory's primary function.
    ///   - isHidden: Whether controllers hide the service from users.
    ///   - linked: The iids of the other services in the same accessory that belong to this one.
    ///   - characteristics: The characteristics.
    public init(
        iid: InstanceID, type: ServiceType, isPrimary: Bool = false, isHidden: Bool = false,
        linked: [InstanceID] = [], characteristics: [CharacteristicObject]
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
public struct AccessoryObject: Equatable, Sendable {
    /// The accessory's number within the server.
    public var aid: AccessoryID
    /// The services; the first one is Accessory Information.
    public var services: [ServiceObject]

    /// Creates an accessory.
    ///
    /// - Parameters:
    ///   - aid: The accessory's number within the server.
    ///   - services: The services.
    public init(aid: AccessoryID, services: [ServiceObject]) {
        self.aid = aid
        self.services = services
    }
}
