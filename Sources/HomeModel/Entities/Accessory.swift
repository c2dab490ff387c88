public import HAPModel

/// A device of a home, or one of several behind a bridge.
public struct Accessory: Codable, Sendable, Hashable, Identifiable {
    /// An accessory's identity.
    public typealias ID = Identifier<Accessory>

    /// Its identity.
    public let id: ID
    /// The home it is in.
    public let home: Home.ID
    /// What people call it.
    public package(set) var name: String
    /// The name that the device gave itself, which may be none that people can use.
    public package(set) var configuredName: String
    /// The room it is in.
    public package(set) var room: Room.ID
    /// What it is to people.
    public package(set) var category: AccessoryCategory
    /// Who made it.
    public package(set) var manufacturer: String
    /// The maker's name for its kind.
    public package(set) var model: String
    /// The maker's number for this one.
    public package(set) var serialNumber: String
    /// The version of its software.
    public package(set) var firmwareVersion: String
    /// Whether it answered when it was last spoken to.
    public package(set) var isReachable: Bool
    /// What is known of why it cannot be reached; `nil` while it can be, and if it simply does not answer.
    public package(set) var fault: AccessoryFault?
    /// Whether it misbehaved and is left alone until somebody unblocks it.
    public package(set) var isBlocked: Bool
    /// Whether it can make itself noticed.
    public package(set) var supportsIdentify: Bool
    /// The bridge that it is behind.
    public let bridge: ID?
    /// The accessories behind it; `nil` if it is no bridge.
    public package(set) var bridgedAccessories: [ID]?
    /// The accessory server that it is reached at; those behind a bridge share the bridge's.
    public package(set) var deviceID: DeviceID
    /// Its number within that server.
    public package(set) var aid: AccessoryID
    /// What it can do.
    public package(set) var services: [Service]

    package init(
        id: ID, home: Home.ID, name: String, configuredName: String, room: Room.ID, category: AccessoryCategory,
        manufacturer: String = "", model: String = "", serialNumber: String = "", firmwareVersion: String = "",
        isReachable: Bool = true, isBlocked: Bool = false, supportsIdentify: Bool = true, bridge: ID? = nil,
        bridgedAccessories: [ID]? = nil, deviceID: DeviceID, aid: AccessoryID, services: [Service] = []
    ) {
        self.id = id
        self.home = home
        self.name = name
        self.configuredName = configuredName
        self.room = room
        self.category = category
        self.manufacturer = manufacturer
        self.model = model
        self.serialNumber = serialNumber
        self.firmwareVersion = firmwareVersion
        self.isReachable = isReachable
        self.isBlocked = isBlocked
        self.supportsIdentify = supportsIdentify
        self.bridge = bridge
        self.bridgedAccessories = bridgedAccessories
        self.deviceID = deviceID
        self.aid = aid
        self.services = services
    }
}

extension Accessory {
    /// Whether it is reached through a bridge.
    public var isBridged: Bool { bridge != nil }

    /// What it is for: the service that says so itself, else the first that people can use; one that HAP knows comes before
    /// its maker's own.
    public var primaryService: Service? {
        ServiceType.main(of: services, type: \.type, isPrimary: \.isPrimary, isUserInteractive: \.isUserInteractive)
    }

    /// The services that people use, the main one first.
    public var parts: [Service] {
        let main = primaryService
        return (main.map { [$0] } ?? []) + services.filter { $0.isUserInteractive && $0.id != main?.id }
    }

    /// What people see above the values of a part.
    ///
    /// Whoever has one part is called by one name, and a main part that has the name with which the accessory came was
    /// never called otherwise: both go by the accessory's name, which may have changed since.
    public func shownName(of service: Service) -> String {
        guard service.id == primaryService?.id else { return service.name }
        let isUnnamed =
            parts.count(where: \.type.isKnown) <= 1
            || [NameKey(configuredName), NameKey(name)].contains(NameKey(service.name))
        return isUnnamed ? name : service.name
    }

    /// One of its services.
    public func service(_ id: Service.ID) -> Service? { services.first { $0.id == id } }

    /// A characteristic of one of its services.
    public func characteristic(_ id: Characteristic.ID) -> Characteristic? {
        place(of: id).map { services[$0.service].characteristics[$0.characteristic] }
    }

    /// Whether a characteristic is one of its services'.
    func has(_ id: Characteristic.ID) -> Bool { place(of: id) != nil }

    /// Where a characteristic is, found in place: to copy what is passed on the way costs far more than to compare it,
    /// and every event of a large home has to be found.
    private func place(of id: Characteristic.ID) -> (service: Int, characteristic: Int)? {
        for service in services.indices {
            for index in services[service].characteristics.indices
            where services[service].characteristics[index].id == id {
                return (service, index)
            }
        }
        return nil
    }

    /// Who made it, for the judgement of names.
    package var maker: NameMaker { NameMaker(manufacturer: manufacturer, model: model, serialNumber: serialNumber) }
}
