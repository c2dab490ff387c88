// A program that implements accessories needs only this import: it provides the types and the catalog of HAP, profiles
// and functions, and the statuses of writes.
@_exported import AccessoryRole
@_exported import HAPModel

@_exported import enum HAPProtocol.HAPStatus
