// A program that implements accessories needs to import only HAPAccessory. The re-exported modules provide HAP's types
// and catalog, profiles, functions and statuses.
@_exported import AccessoryRole
@_exported import HAPModel

@_exported import enum HAPProtocol.HAPStatus
