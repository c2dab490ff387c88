public import AccessoryRole
internal import HAPModel

/// An accessory of a bridge.
public struct BridgedAccessory: Sendable {
    /// The accessory's id in your program, such as a serial number or an address, never its name.
    ///
    /// Its aid and iids depend on it, and on them rooms, scenes and automations.
    public let id: String
    /// The texts of its Accessory Information service.
    public var information: AccessoryInformation
    /// Its functions, the primary one first.
    public var functions: [AccessoryFunction]
    /// Carries out the requests of controllers; `nil` if it can only be read.
    public var handler: (any AccessoryHandler)?

    /// Describes an accessory of a bridge.
    ///
    /// - Parameters:
    ///   - id: The accessory's id in your program; never change it.
    ///   - information: The texts of its Accessory Information service.
    ///   - functions: Its functions, the primary one first; functions of one type have ids.
    ///   - handler: Carries out the requests of controllers; `nil` if it can only be read.
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
    /// Makes the accessory, with its former ids or new ones.
    func made(_ ids: inout BridgedAccessoryIDs) throws(ComplianceError) -> Accessory {
        var entry = ids[id]
        let information = information.service(&entry.instanceIDs)
        let services = try functions.services(&entry.instanceIDs)
        ids[id] = entry
        return Accessory(aid: entry.aid, services: [information] + services)
    }
}
