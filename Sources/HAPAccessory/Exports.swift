// One import has everything that accessories need: HAP's types and catalogue, profiles and functions, and the statuses of
// writes.
@_exported import AccessoryRole
@_exported import HAPModel

@_exported import enum HAPProtocol.HAPStatus
