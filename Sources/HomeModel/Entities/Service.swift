public import HAPModel

/// One function of an accessory.
public struct Service: Codable, Sendable, Hashable, Identifiable {
    /// The type of a service's ID.
    public typealias ID = Identifier<Service>

    /// The service's ID.
    public let id: ID
    /// The ID of the service's accessory.
    public let accessory: Accessory.ID
    /// The instance ID within the accessory.
    public package(set) var iid: InstanceID
    /// The service's type.
    public let type: ServiceType
    /// The service's name.
    public package(set) var name: String
    /// A Boolean value that indicates whether the accessory marks this as its primary service.
    public package(set) var isPrimary: Bool
    /// A Boolean value that indicates whether the accessory hides the service.
    public package(set) var isHidden: Bool
    /// The linked services of the same accessory.
    public package(set) var linkedServices: [ID]
    /// The type that an outlet, a switch or a contact sensor is displayed as; `nil` if the user hasn't chosen one.
    public package(set) var associatedServiceType: ServiceType?
    /// A Boolean value that indicates whether the service is a favorite.
    public package(set) var isFavorite: Bool
    /// The service's characteristics.
    public package(set) var characteristics: [Characteristic]

    package init(
        id: ID, accessory: Accessory.ID, iid: InstanceID, type: ServiceType, name: String, isPrimary: Bool = false,
        isHidden: Bool = false, linkedServices: [ID] = [], associatedServiceType: ServiceType? = nil,
        isFavorite: Bool = false, characteristics: [Characteristic] = []
    ) {
        self.id = id
        self.accessory = accessory
        self.iid = iid
        self.type = type
        self.name = name
        self.isPrimary = isPrimary
        self.isHidden = isHidden
        self.linkedServices = linkedServices
        self.associatedServiceType = associatedServiceType
        self.isFavorite = isFavorite
        self.characteristics = characteristics
    }

    /// A Boolean value that indicates whether the service is meant for users: neither hidden nor part of the
    /// accessory's infrastructure.
    public var isUserInteractive: Bool { !isHidden && !type.isInfrastructure }

    /// The service type's name in English.
    public var localizedDescription: String { type.isKnown ? type.localizedDescription : "Vendor-Specific" }

    /// Returns the first characteristic of a type.
    public func characteristic(_ type: CharacteristicType) -> Characteristic? {
        characteristics.first { $0.type == type }
    }
}
