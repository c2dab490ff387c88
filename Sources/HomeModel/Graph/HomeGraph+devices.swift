package import HAPModel

/// A paired device whose database was read, ready to be added to a home.
package struct AccessoryAddition: Sendable, Equatable {
    package var home: Home.ID
    package var deviceID: DeviceID
    /// The category that the device advertises.
    package var category: AccessoryCategory
    /// The device's attribute database.
    package var accessories: [AccessoryObject]
    /// The device's descriptions of characteristics, which label types that Apple doesn't define.
    package var descriptions: [CharacteristicID: String]
    /// The name that an app requests for the accessory, or for the bridge itself.
    package var name: String?

    package init(
        home: Home.ID, deviceID: DeviceID, category: AccessoryCategory, accessories: [AccessoryObject],
        descriptions: [CharacteristicID: String] = [:], name: String? = nil
    ) {
        self.home = home
        self.deviceID = deviceID
        self.category = category
        self.accessories = accessories
        self.descriptions = descriptions
        self.name = name
    }
}

extension HomeGraph {
    /// Checks the preconditions that don't depend on the device's database.
    ///
    /// `name` is the name that an app requests. A name from the device is made valid instead.
    ///
    /// - Throws: `HomeError` with code 2 if the home doesn't exist, 13 if it already contains the device, 11 if another
    ///   home does, 49 if the home is full, or the error for an invalid name.
    package func checkAddition(of deviceID: DeviceID, to id: Home.ID, name: String?) throws(HomeError) {
        let home = try existing(id)
        if let present = accessories(at: deviceID).first {
            throw HomeError(
                present.home == id ? .objectAlreadyAssociatedToHome : .objectAssociatedToAnotherHome,
                accessory: present.id)
        }
        try limit(home.accessories.count, below: HomeLimits.accessoriesInHome, "accessories")
        guard let name else { return }
        let context = NameContext(serviceType: nil, locations: home.nameLocations)
        _ = try home.namespace.checked(name, context: context)
    }

    /// Adds a paired device, and the accessories connected through it if it's a bridge, to the default room of a home.
    ///
    /// - Returns: The new accessories and the changes.
    /// - Throws: The errors of ``checkAddition(of:to:name:)``, and 66 if the database is empty or has a duplicate
    ///   accessory.
    package mutating func add(
        _ addition: AccessoryAddition, using generator: inout some RandomNumberGenerator
    ) throws(HomeError) -> HomeCommit {
        try checkAddition(of: addition.deviceID, to: addition.home, name: addition.name)
        let home = try existing(addition.home)
        let devices = addition.accessories.sorted { $0.aid < $1.aid }
        guard let first = devices.first, Set(devices.map(\.aid)).count == devices.count else {
            throw HomeError(.accessoryOutOfCompliance)
        }
        try limit(home.accessories.count + devices.count - 1, below: HomeLimits.accessoriesInHome, "accessories")
        var builder = AccessoryBuilder(
            home: home, deviceID: addition.deviceID, descriptions: addition.descriptions)
        var main = builder.accessory(
            first, category: addition.category, bridge: nil, wanted: addition.name, using: &generator)
        let bridged = devices.dropFirst().map { device in
            builder.accessory(
                device, category: ServiceType.category(of: device.services), bridge: main.id, wanted: nil,
                using: &generator)
        }
        // A bridge without bridged accessories is still a bridge.
        if !bridged.isEmpty || addition.category == .bridge { main.bridgedAccessories = bridged.map(\.id) }
        var plan = Plan(home.id, .accessories([main.id] + bridged.map(\.id)), [])
        plan.changes = [HomeChange(.accessoryAdded(main))]
        plan.changes += bridged.map { HomeChange(.accessoryAdded($0), reachesInitiator: true) }
        return HomeCommit(result: plan.result, transaction: commit(plan))
    }

    /// Updates a device's accessories from its current attribute database: bridged accessories, services and firmware
    /// versions.
    ///
    /// Remaining services and characteristics keep their IDs, names and settings.
    ///
    /// - Returns: The changes, for all apps; `nil` if nothing changed or the device isn't in a home.
    /// - Throws: `HomeError` with code 66 if the database lacks the main accessory, has a duplicate accessory, or has
    ///   new accessories although the device isn't a bridge; 49 if the home would have too many accessories.
    package mutating func update(
        _ deviceID: DeviceID, with devices: [AccessoryObject], descriptions: [CharacteristicID: String] = [:],
        using generator: inout some RandomNumberGenerator
    ) throws(HomeError) -> HomeTransaction? {
        let present = accessories(at: deviceID)
        guard let main = present.first(where: { !$0.isBridged }), let home = home(main.home) else { return nil }
        let devices = devices.sorted { $0.aid < $1.aid }
        guard devices.contains(where: { $0.aid == main.aid }), Set(devices.map(\.aid)).count == devices.count else {
            throw HomeError(.accessoryOutOfCompliance, accessory: main.id)
        }
        let byAID = Dictionary(uniqueKeysWithValues: present.map { ($0.aid, $0) })
        let vanished = present.filter { old in !devices.contains { $0.aid == old.aid } }
        let new = devices.filter { byAID[$0.aid] == nil }
        try limit(
            home.accessories.count - vanished.count + new.count - 1, below: HomeLimits.accessoriesInHome, "accessories")
        // A standalone device can't become a bridge: it was added as a device without bridged accessories.
        guard new.isEmpty || main.bridgedAccessories != nil else {
            throw HomeError(.accessoryOutOfCompliance, accessory: main.id)
        }
        var events = vanished.map { HomeEvent.accessoryRemoved($0.id) }
        var remaining = home
        for event in events { remaining.apply(event) }
        var builder = AccessoryBuilder(home: remaining, deviceID: deviceID, descriptions: descriptions)
        for device in devices {
            guard let old = byAID[device.aid] else { continue }
            let updated = builder.updated(old, with: device, using: &generator)
            if updated.services != old.services { events.append(.servicesUpdated(old.id, updated.services)) }
            if updated.firmwareVersion != old.firmwareVersion {
                events.append(.firmwareVersionUpdated(old.id, updated.firmwareVersion))
            }
        }
        for device in new {
            let category = ServiceType.category(of: device.services)
            events.append(
                .accessoryAdded(
                    builder.accessory(device, category: category, bridge: main.id, wanted: nil, using: &generator)))
        }
        var plan = Plan(home.id, [])
        plan.changes = events.map { HomeChange($0, reachesInitiator: true) }
        return commit(plan)
    }
}

/// Creates accessories of the home from HAP accessory objects, in order, and gives each an unused name.
struct AccessoryBuilder {
    let home: Home
    let deviceID: DeviceID
    let descriptions: [CharacteristicID: String]
    private var namespace: Namespace
    private let locations: [NameLocation]

    init(home: Home, deviceID: DeviceID, descriptions: [CharacteristicID: String]) {
        self.home = home
        self.deviceID = deviceID
        self.descriptions = descriptions
        namespace = home.namespace
        locations = home.nameLocations
    }

    mutating func accessory(
        _ device: AccessoryObject, category: AccessoryCategory, bridge: Accessory.ID?, wanted: String?,
        using generator: inout some RandomNumberGenerator
    ) -> Accessory {
        let raw = device.text(.name) ?? ""
        var accessory = Accessory(
            id: Accessory.ID(using: &generator), home: home.id, name: "", configuredName: raw,
            room: home.defaultRoomID, category: category, manufacturer: device.text(.manufacturer) ?? "",
            model: device.text(.model) ?? "", serialNumber: device.text(.serialNumber) ?? "",
            firmwareVersion: device.text(.firmwareRevision) ?? "",
            supportsIdentify: device.information?.characteristics.contains { $0.type == .identify } ?? false,
            bridge: bridge, deviceID: deviceID, aid: device.aid)
        let main = ServiceType.main(
            of: device.services, type: \.type, isPrimary: \.isPrimary, isUserInteractive: \.isUserInteractive)
        accessory.name =
            wanted?.nfc
            ?? repaired(
                raw, type: main?.type, noun: category == .bridge ? "Bridge" : nil, maker: accessory.maker,
                taken: namespace.taken)
        namespace.insert(accessory.name, of: "an accessory")
        accessory.services = services(of: device, in: accessory, using: &generator)
        return accessory
    }

    func updated(
        _ old: Accessory, with device: AccessoryObject, using generator: inout some RandomNumberGenerator
    ) -> Accessory {
        var accessory = old
        accessory.firmwareVersion = device.text(.firmwareRevision) ?? old.firmwareVersion
        accessory.services = services(of: device, in: old, using: &generator)
        return accessory
    }

    /// Returns a device's name if it's valid and unused, otherwise the closest valid and unused name.
    private func repaired(
        _ raw: String, type: ServiceType?, noun: String? = nil, maker: NameMaker, taken: Set<NameKey>
    ) -> String {
        if NameRules.isValid(raw), !taken.contains(NameKey(raw)) { return raw.nfc }
        var context = NameContext(
            serviceType: type, maker: maker, locations: locations, taken: taken, isFromDevice: true)
        if let noun { context.noun = noun }
        return context.suggestions(for: raw)[0]
    }

    /// Returns a Boolean value that indicates whether a part's name distinguishes it from the other parts of its
    /// accessory.
    ///
    /// The accessory's name, model and manufacturer don't distinguish a part, even with a trailing number.
    private func tells(_ name: String, of accessory: Accessory) -> Bool {
        let digits = Set("0123456789")
        let key = NameKey(CleanName.cleaned(name)).description
        let plain = String(key.reversed().drop { digits.contains($0) }.reversed())
        guard !plain.isEmpty else { return false }
        let wholes = [accessory.configuredName, accessory.name, accessory.model, accessory.manufacturer]
            .map { NameKey(CleanName.cleaned($0)).description }
        return !wholes.contains(key) && !wholes.contains(plain)
    }

    /// Returns the manufacturer's description of the service's first characteristic that has one, for a service that
    /// HAP doesn't define.
    private func label(of service: ServiceObject, in device: AccessoryObject) -> String? {
        service.characteristics.lazy
            .compactMap { descriptions[CharacteristicID(device.aid, $0.iid)]?.keptFromDevice }
            .first { !$0.isEmpty }
    }

    private func services(
        of device: AccessoryObject, in accessory: Accessory, using generator: inout some RandomNumberGenerator
    ) -> [Service] {
        let known = Dictionary(accessory.services.map { ($0.iid, $0) }) { first, _ in first }
        // The same instance ID with a different type is a different service.
        let olds = device.services.map { known[$0.iid]?.type == $0.type ? known[$0.iid] : nil }
        var names = Array(repeating: "", count: olds.count)
        var taken: Set<NameKey> = []
        func name(_ index: Int, _ raw: String) {
            let service = device.services[index]
            let isForPeople = service.isUserInteractive
            names[index] = repaired(
                raw, type: service.type, maker: isForPeople ? accessory.maker : NameMaker(),
                taken: isForPeople ? taken : [])
            if isForPeople { taken.insert(NameKey(names[index])) }
        }
        // Existing services keep their names; new services are named afterwards.
        for (index, old) in olds.enumerated() { if let old { name(index, old.name) } }
        let isAlone = device.services.count(where: \.isUserInteractive) <= 1
        let main = ServiceType.main(
            of: device.services, type: \.type, isPrimary: \.isPrimary, isUserInteractive: \.isUserInteractive)
        for (index, service) in device.services.enumerated() where olds[index] == nil {
            let own = service.text(.name)
            if isAlone || service.iid == main?.iid && own != nil {
                // A single service without its own name is named after the accessory.
                name(index, own ?? accessory.name)
            } else if let own, tells(own, of: accessory) {
                name(index, own)
            } else {
                name(index, service.type.partNoun ?? label(of: service, in: device) ?? "Extra")
            }
        }
        var services: [Service] = []
        for (index, service) in device.services.enumerated() {
            let old = olds[index]
            let id = old?.id ?? Service.ID(using: &generator)
            var result = Service(
                id: id, accessory: accessory.id, iid: service.iid, type: service.type, name: names[index],
                isPrimary: service.isPrimary, isHidden: service.isHidden,
                associatedServiceType: old?.associatedServiceType, isFavorite: old?.isFavorite ?? false)
            result.characteristics = service.characteristics.map { characteristic in
                let old = old?.characteristics.first { $0.iid == characteristic.iid && $0.type == characteristic.type }
                return Characteristic(
                    id: old?.id ?? Characteristic.ID(using: &generator), service: id, iid: characteristic.iid,
                    type: characteristic.type, metadata: characteristic.metadata,
                    manufacturerDescription: descriptions[CharacteristicID(device.aid, characteristic.iid)]
                        .map(\.keptFromDevice).flatMap { $0.isEmpty ? nil : $0 },
                    value: old?.value, valueTime: old?.valueTime,
                    isNotificationEnabled: old?.isNotificationEnabled ?? false)
            }
            services.append(result)
        }
        let ids = Dictionary(services.map { ($0.iid, $0.id) }) { first, _ in first }
        for (index, service) in device.services.enumerated() {
            services[index].linkedServices = service.linked.compactMap { ids[$0] }
        }
        return services
    }
}

extension AccessoryObject {
    fileprivate var information: ServiceObject? { services.first { $0.type == .accessoryInformation } }

    func text(_ type: CharacteristicType) -> String? { information?.text(type) }
}

extension ServiceObject {
    fileprivate var isUserInteractive: Bool { !isHidden && !type.isInfrastructure }

    fileprivate func text(_ type: CharacteristicType) -> String? {
        characteristics.first { $0.type == type }?.value?.string?.keptFromDevice
    }
}
