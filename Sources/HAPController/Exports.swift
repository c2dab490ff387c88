// Programs need no other import for the types in this library's API. A program that also imports HomeClient writes
// HAPModel.Accessory and HomeModel.Accessory, and likewise for services and characteristics.
@_exported import struct HAPModel.Accessory
@_exported import struct HAPModel.AccessoryCategory
@_exported import struct HAPModel.AccessoryID
@_exported import struct HAPModel.Characteristic
@_exported import enum HAPModel.CharacteristicFormat
@_exported import struct HAPModel.CharacteristicID
@_exported import struct HAPModel.CharacteristicMetadata
@_exported import struct HAPModel.CharacteristicPermissions
@_exported import struct HAPModel.CharacteristicType
@_exported import enum HAPModel.CharacteristicUnit
@_exported import enum HAPModel.CharacteristicValue
@_exported import struct HAPModel.DeviceID
@_exported import struct HAPModel.HAPType
@_exported import struct HAPModel.InstanceID
@_exported import struct HAPModel.Service
@_exported import struct HAPModel.ServiceType
@_exported import struct HAPModel.SetupCode
@_exported import struct HAPModel.SetupID
@_exported import struct HAPModel.SetupPayload
@_exported import struct HAPProtocol.AccessoryEndpoint
@_exported import enum HAPProtocol.HAPStatus
