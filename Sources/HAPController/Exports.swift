// What authors of controllers need of HAP's vocabulary comes with one import. Accessory, Service and Characteristic are left
// out, because the home's have the same names: who writes them down imports HAPModel, too.
@_exported import struct HAPModel.AccessoryCategory
@_exported import struct HAPModel.AccessoryID
@_exported import enum HAPModel.CharacteristicFormat
@_exported import struct HAPModel.CharacteristicID
@_exported import struct HAPModel.CharacteristicMetadata
@_exported import struct HAPModel.CharacteristicPermissions
@_exported import struct HAPModel.CharacteristicType
@_exported import enum HAPModel.CharacteristicUnit
@_exported import enum HAPModel.CharacteristicValue
@_exported import struct HAPModel.DeviceID
@_exported import struct HAPModel.InstanceID
@_exported import struct HAPModel.ServiceType
@_exported import struct HAPModel.SetupCode
@_exported import struct HAPModel.SetupID
@_exported import struct HAPModel.SetupPayload
@_exported import struct HAPProtocol.AccessoryEndpoint
@_exported import enum HAPProtocol.HAPStatus
