@_exported import HomeModel

// Apps need only these types of HAPModel, so they can import a single module. The other types describe accessories as
// they are on the network, and apps use the types of HomeModel instead.
@_exported import struct HAPModel.AccessoryCategory
@_exported import enum HAPModel.CharacteristicFormat
@_exported import struct HAPModel.CharacteristicKey
@_exported import struct HAPModel.CharacteristicMetadata
@_exported import struct HAPModel.CharacteristicPermissions
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
