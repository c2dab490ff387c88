public import HAPModel

/// An accessory of a home: a standalone device, a bridge or a device connected through a bridge.
public struct Accessory: Codable, Sendable, Hashable, Identifiable {
    /// The type of an accessory's ID.
    public typealias ID = Identifier<Accessory>

    /// The accessory's ID.
    public let id: ID
    /// The ID of the accessory's home.
    public let home: Home.ID
    /// The accessory's name.
    public package(set) var name: String
    /// The name that the device reports, which may violate the rules for names.
    public package(set) var configuredName: String
    /// The ID of the accessory's room.
    public package(set) var room: Room.ID
    /// The category that users see, such as lightbulb or bridge.
    public package(set) var category: AccessoryCategory
    /// The manufacturer.
    public package(set) var manufacturer: String
    /// The manufacturer's model name.
    public package(set) var model: String
    /// The serial number.
    public package(set) var serialNumber: String
    /// The firmware version.
    public package(set) var firmwareVersion: String
    /// A Boolean value that indicates whether the accessory responded to the last request.
    public package(set) var isReachable: Bool
    /// The known reason why the accessory is unreachable; `nil` while it's reachable or if it just doesn't respond.
    public package(set) var fault: AccessoryFault?
    /// A Boolean value that indicates whether the accessory misbehaved and is ignored until it's unblocked.
    public package(set) var isBlocked: Bool
    /// A Boolean value that indicates whether the accessory can identify itself.
    public package(set) var supportsIdentify: Bool
    /// The bridge that the accessory is connected through; `nil` if it has none.
    public let bridge: ID?
    /// The accessories connected through this bridge; `nil` if this accessory isn't a bridge.
    public package(set) var bridgedAccessories: [ID]?
    /// The device ID of the accessory server.
    ///
    /// Bridged accessories have the device ID of their bridge.
    public package(set) var deviceID: DeviceID
    /// The accessory's instance ID within its server.
    public package(set) var aid: AccessoryID
    /// The accessory's services.
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
    /// A Boolean value that indicates whether the accessory is connected through a bridge.
    public var isBridged: Bool { bridge != nil }

    /// The accessory's main service.
    ///
    /// Services of types defined by HAP take precedence over vendor-specific services. Among these, a service marked as
    /// primary takes precedence over the first service that is meant for users.
    public var primaryService: Service? {
        ServiceType.main(of: services, type: \.type, isPrimary: \.isPrimary, isUserInteractive: \.isUserInteractive)
    }

    /// The services that are meant for users, main service first.
    public var parts: [Service] {
        let main = primaryService
        return (main.map { [$0] } ?? []) + services.filter { $0.isUserInteractive && $0.id != main?.id }
    }

    /// Returns the display name of a service.
    ///
    /// A main service without its own name is shown with the accessory's current name. A main service counts as unnamed
    /// if it's the only part of a known type, or if its name equals the accessory's configured or current name. Both
    /// names are compared because users can rename the accessory.
    public func shownName(of service: Service) -> String {
        guard service.id == primaryService?.id else { return service.name }
        let isUnnamed =
            parts.count(where: \.type.isKnown) <= 1
            || [NameKey(configuredName), NameKey(name)].contains(NameKey(service.name))
        return isUnnamed ? name : service.name
    }

    /// Returns the accessory's service with the given ID.
    public func service(_ id: Service.ID) -> Service? { services.first { $0.id == id } }

    /// Returns the accessory's characteristic with the given ID.
    public func characteristic(_ id: Characteristic.ID) -> Characteristic? {
        place(of: id).map { services[$0.service].characteristics[$0.characteristic] }
    }

    /// Returns a Boolean value that indicates whether the accessory has a characteristic.
    func has(_ id: Characteristic.ID) -> Bool { place(of: id) != nil }

    /// Finds a characteristic without copying any service.
    ///
    /// Copying costs far more than comparing, and each event of a large home needs this lookup.
    private func place(of id: Characteristic.ID) -> (service: Int, characteristic: Int)? {
        for service in services.indices {
            for index in services[service].characteristics.indices
            where services[service].characteristics[index].id == id {
                return (service, index)
            }
        }
        return nil
    }

    /// The manufacturer, model and serial number, which names shouldn't contain.
    package var maker: NameMaker { NameMaker(manufacturer: manufacturer, model: model, serialNumber: serialNumber) }
}
