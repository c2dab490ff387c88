package import HAPModel

/// A device that was paired to replace an accessory: the same device after a reset, or another device of the same
/// shape.
package struct ReplacementDevice: Sendable, Equatable {
    package var deviceID: DeviceID
    /// The category that the device advertises.
    package var category: AccessoryCategory
    /// The device's attribute database.
    package var accessories: [AccessoryObject]
    /// The device's descriptions of characteristics.
    package var descriptions: [CharacteristicID: String]

    package init(
        deviceID: DeviceID, category: AccessoryCategory, accessories: [AccessoryObject],
        descriptions: [CharacteristicID: String] = [:]
    ) {
        self.deviceID = deviceID
        self.category = category
        self.accessories = accessories
        self.descriptions = descriptions
    }
}

extension HomeGraph {
    /// Checks the preconditions of a repair that can be checked before the device is paired or even chosen.
    ///
    /// - Throws: `HomeError` with code 2 if the accessory doesn't exist, 48 if it's connected through a bridge, 13 if
    ///   the device is another accessory of this home, 11 if it's in another home.
    @discardableResult
    package func checkRepair(of id: Accessory.ID, with device: DeviceID? = nil) throws(HomeError) -> Accessory {
        guard let accessory = accessory(id) else {
            throw HomeError(.notFound, detail: "there is no such accessory")
        }
        if let bridge = accessory.bridge.flatMap({ self.accessory($0) }) {
            throw HomeError(
                .operationNotSupported,
                detail: "\"\(accessory.name)\" is connected through \"\(bridge.name)\"; repair that bridge instead",
                accessory: id)
        }
        if let device, device != accessory.deviceID, let other = accessories(at: device).first {
            throw HomeError(
                other.home == accessory.home ? .objectAlreadyAssociatedToHome : .objectAssociatedToAnotherHome,
                accessory: other.id)
        }
        return accessory
    }

    /// Replaces an accessory with a paired device, and its bridged accessories with the device's bridged accessories.
    ///
    /// All objects keep their IDs, names, rooms and settings, regardless of the device's instance IDs. New bridged
    /// accessories are added.
    ///
    /// - Returns: The accessories and the changes.
    /// - Throws: The errors of ``checkRepair(of:with:)``, 93 if the device's accessories don't match, 66 if its
    ///   database is empty or has a duplicate accessory, 49 if the home would have too many accessories.
    package mutating func repair(
        _ id: Accessory.ID, with device: ReplacementDevice, using generator: inout some RandomNumberGenerator
    ) throws(HomeError) -> HomeCommit {
        let main = try checkRepair(of: id, with: device.deviceID)
        let home = try existing(main.home)
        let devices = device.accessories.sorted { $0.aid < $1.aid }
        guard !devices.isEmpty, Set(devices.map(\.aid)).count == devices.count else {
            throw HomeError(.accessoryOutOfCompliance, accessory: id)
        }
        let matches = try AccessoryMatcher.matches(accessories(at: main.deviceID), devices)
        let new = devices.filter { device in !matches.contains { $0.device.aid == device.aid } }
        guard new.isEmpty || main.bridgedAccessories != nil else {
            throw HomeError(
                .incompatibleAccessory,
                detail: "the device is a bridge, and \"\(main.name)\" isn't; nothing was changed",
                accessory: id)
        }
        try limit(home.accessories.count + new.count - 1, below: HomeLimits.accessoriesInHome, "accessories")
        var builder = AccessoryBuilder(home: home, deviceID: device.deviceID, descriptions: device.descriptions)
        var events: [HomeEvent] = []
        for match in matches {
            var accessory = builder.updated(match.accessory, with: match.device, using: &generator)
            accessory.deviceID = device.deviceID
            accessory.manufacturer = match.device.text(.manufacturer) ?? ""
            accessory.model = match.device.text(.model) ?? ""
            accessory.serialNumber = match.device.text(.serialNumber) ?? ""
            accessory.isBlocked = false
            if !accessory.isBridged { accessory.category = device.category }
            events.append(.accessoryReplaced(accessory))
        }
        var ids = matches.map(\.accessory.id)
        for device in new {
            let accessory = builder.accessory(
                device, category: ServiceType.category(of: device.services), bridge: id, wanted: nil, using: &generator)
            ids.append(accessory.id)
            events.append(.accessoryAdded(accessory))
        }
        var plan = Plan(home.id, .accessories(ids), [])
        plan.changes = events.map { HomeChange($0, reachesInitiator: true) }
        return HomeCommit(result: plan.result, transaction: commit(plan))
    }
}
