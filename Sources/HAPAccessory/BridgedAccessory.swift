public import AccessoryRole
internal import HAPModel

/// An accessory of a bridge.
public struct BridgedAccessory: Sendable {
    /// The accessory's id in your program, such as a serial number or an address.
    ///
    /// Don't use the name, because it can change.
    ///
    /// The accessory's aid and iids depend on this id, and the user's rooms, scenes and automations depend on the aid
    /// and iids.
    public let id: String
    /// The information that controllers show, such as the name and the model.
    public var information: AccessoryInformation
    /// The functions, the primary one first.
    public var functions: [AccessoryFunction]
    /// The handler that carries out the requests of controllers; `nil` if the accessory is read-only.
    public var handler: (any AccessoryHandler)?

    /// Creates the description of a bridge's accessory.
    ///
    /// - Parameters:
    ///   - id: The accessory's id in your program; never change it.
    ///   - information: The information that controllers show, such as the name and the model.
    ///   - functions: The functions, the primary one first; functions of the same type need ids.
    ///   - handler: The handler that carries out the requests of controllers; `nil` if the accessory is read-only.
    public init(
        id: String, information: AccessoryInformation, functions: [AccessoryFunction],
        handler: (any AccessoryHandler)? = nil
    ) {
        self.id = id
        self.information = information
        self.functions = functions
        self.handler = handler
    }
}

extension BridgedAccessory {
    /// Creates the accessory object, with the stored aid and iids or, for a new accessory, with new ones.
    func made(_ ids: inout BridgedAccessoryIDs) throws(ComplianceError) -> AccessoryObject {
        var entry = ids[id]
        let information = information.service(&entry.instanceIDs)
        let services = try functions.services(&entry.instanceIDs)
        ids[id] = entry
        return AccessoryObject(aid: entry.aid, services: [information] + services)
    }
}
