public import AccessoryRole
internal import HAPModel

/// An accessory behind a bridge of your own.
public struct BridgedAccessory: Sendable {
    /// What it is known by to your program: a serial number or an address, never its name.
    ///
    /// Its aid and iids hang on it, and on them rooms, scenes and automations.
    public let id: String
    /// What it says of itself.
    public var information: AccessoryInformation
    /// What it can do, the primary function first.
    public var functions: [AccessoryFunction]
    /// Takes what controllers write to it; `nil` if it can only be read.
    public var source: (any AccessorySource)?

    /// Describes an accessory behind a bridge.
    ///
    /// - Parameters:
    ///   - id: what it is known by to your program; never to be changed.
    ///   - information: what it says of itself.
    ///   - functions: what it can do, the primary one first; those of one type have ids.
    ///   - source: takes what controllers write to it; `nil` if it can only be read.
    public init(
        id: String, information: AccessoryInformation, functions: [AccessoryFunction],
        source: (any AccessorySource)? = nil
    ) {
        self.id = id
        self.information = information
        self.functions = functions
        self.source = source
    }
}

extension BridgedAccessory {
    /// Makes the accessory, with the numbers that it has had or gets now.
    func made(_ ids: inout BridgedAccessoryIDs) throws(ComplianceError) -> Accessory {
        var entry = ids[id]
        let information = information.service(&entry.instanceIDs)
        let services = try functions.services(&entry.instanceIDs)
        ids[id] = entry
        return Accessory(aid: entry.aid, services: [information] + services)
    }
}
