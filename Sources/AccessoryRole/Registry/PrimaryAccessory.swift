package import HAPModel

/// Accessory 1: the server's own, which a bridge has no function for and a stand-alone accessory is (HAP 12).
package struct PrimaryAccessory: Equatable, Sendable {
    /// The version of HAP that the Protocol Information service states.
    static let protocolVersion = "1.1.0"

    /// The iids of all parts, those of before included: to be stored before the accessory is shown.
    package private(set) var ids: InstanceIDs
    package private(set) var accessory: Accessory

    /// Creates the accessory with its functions, the primary one first; functions of one type have ids.
    ///
    /// - Throws: ``ComplianceError`` for a characteristic that the catalogue lacks and nothing describes.
    package init(
        _ information: AccessoryInformation, functions: [AccessoryFunction], ids: InstanceIDs
    ) throws(ComplianceError) {
        self.init(information, ids: ids)
        accessory.services += try functions.services(&self.ids)
    }

    /// Makes the accessory of a bridge, which has no function.
    package init(_ information: AccessoryInformation, ids: InstanceIDs) {
        var ids = ids
        let information = information.service(&ids)
        let service = ids.id(of: .protocolInformation)
        let version = Characteristic(
            iid: ids.id(of: .version, in: .protocolInformation), type: .version, metadata: Self.version.metadata,
            value: .string(Self.protocolVersion))
        let protocolInformation = Service(iid: service, type: .protocolInformation, characteristics: [version])
        accessory = Accessory(aid: .bridge, services: [information, protocolInformation])
        self.ids = ids
    }

    private static var version: CharacteristicDefinition {
        guard let definition = CharacteristicDefinition.of(.version) else {
            preconditionFailure("the catalogue has the version")
        }
        return definition
    }
}
