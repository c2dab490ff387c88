// One import provides everything that accessories need: the types and catalog of HAP, profiles and functions, and the
// statuses of writes.
@_exported import AccessoryRole
@_exported import HAPModel

@_exported import enum HAPProtocol.HAPStatus
