public import HAPModel

/// One function of an accessory.
public struct Service: Codable, Sendable, Hashable, Identifiable {
    /// A service's identity.
    public typealias ID = Identifier<Service>

    /// Its identity.
    public let id: ID
    /// The accessory whose function it is.
    public let accessory: Accessory.ID
    /// Its number within the accessory.
    public package(set) var iid: InstanceID
    /// What it does.
    public let type: ServiceType
    /// What people call it.
    public package(set) var name: String
    /// Whether it is what the accessory is for.
    public package(set) var isPrimary: Bool
    /// Whether the accessory wants it hidden.
    public package(set) var isHidden: Bool
    /// Services of the same accessory that belong to it.
    public package(set) var linkedServices: [ID]
    /// What an outlet, a switch or a contact sensor is shown as, if somebody said so.
    public package(set) var associatedServiceType: ServiceType?
    /// Whether it is among the things that people use most.
    public package(set) var isFavorite: Bool
    /// Its values.
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

    /// Whether people use it, as opposed to what keeps the accessory going.
    public var isUserInteractive: Bool { !isHidden && !type.isInfrastructure }

    /// What such a service is called in English.
    public var localizedDescription: String { type.isKnown ? type.localizedDescription : "Maker's Own" }

    /// Its first characteristic of a type.
    public func characteristic(_ type: CharacteristicType) -> Characteristic? {
        characteristics.first { $0.type == type }
    }
}
