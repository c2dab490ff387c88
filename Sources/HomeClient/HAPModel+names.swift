@_exported import HomeModel

@_exported import struct HAPModel.AccessoryCategory
@_exported import enum HAPModel.CharacteristicFormat
@_exported import struct HAPModel.CharacteristicKey
@_exported import struct HAPModel.CharacteristicMetadata
@_exported import struct HAPModel.CharacteristicPermissions
// The HAP types that apps need, so that they import only one module. The rest of HAPModel isn't exported because its
// types for accessories on the wire have the same names as the types of the home.
@_exported import protocol HAPModel.CharacteristicRepresentable
@_exported import struct HAPModel.CharacteristicType
@_exported import enum HAPModel.CharacteristicUnit
@_exported import enum HAPModel.CharacteristicValue
@_exported import enum HAPModel.ChargingState
@_exported import struct HAPModel.DeviceID
@_exported import enum HAPModel.DoorState
@_exported import enum HAPModel.HeatingCoolingMode
@_exported import enum HAPModel.LockState
@_exported import struct HAPModel.ServiceType
@_exported import struct HAPModel.SetupCode
