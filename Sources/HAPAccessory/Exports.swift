// What authors of accessories need comes with one import: HAP's vocabulary and catalogue, what an accessory is and can do,
// and the statuses of writes.
@_exported import AccessoryRole
@_exported import HAPModel

@_exported import enum HAPProtocol.HAPStatus
