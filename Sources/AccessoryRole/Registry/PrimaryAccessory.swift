package import HAPModel

/// Accessory 1 (HAP 12): the bridge itself, which has no functions, or the stand-alone accessory.
package struct PrimaryAccessory: Equatable, Sendable {
    /// The HAP version in the Protocol Information service.
    static let protocolVersion = "1.1.0"

    /// The iids of all services and characteristics, including removed ones.
    ///
    /// Store the iids before serving the accessory.
    package private(set) var ids: InstanceIDs
    package private(set) var accessory: AccessoryObject

    /// Creates the accessory with its functions, the primary one first.
    ///
    /// Functions of the same type need ids.
    ///
    /// - Throws: ``ComplianceError`` for a characteristic that has neither a catalog entry nor a description.
    package init(
        _ information: AccessoryInformation, functions: [AccessoryFunction], ids: InstanceIDs
    ) throws(ComplianceError) {
        self.init(information, ids: ids)
        accessory.services += try functions.services(&self.ids)
    }

    /// Creates the accessory of a bridge, which has no functions.
    package init(_ information: AccessoryInformation, ids: InstanceIDs) {
        var ids = ids
        let information = information.service(&ids)
        let service = ids.id(of: .protocolInformation)
        let version = CharacteristicObject(
            iid: ids.id(of: .version, in: .protocolInformation), type: .version, metadata: Self.version.metadata,
            value: .string(Self.protocolVersion))
        let protocolInformation = ServiceObject(iid: service, type: .protocolInformation, characteristics: [version])
        accessory = AccessoryObject(aid: .bridge, services: [information, protocolInformation])
        self.ids = ids
    }

    private static var version: CharacteristicDefinition {
        guard let definition = CharacteristicDefinition.of(.version) else {
            preconditionFailure("the catalog must contain the version")
        }
        return definition
    }
}
