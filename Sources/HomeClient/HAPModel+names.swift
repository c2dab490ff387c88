public import HAPModel
@_exported import HomeModel

// What apps need of HAP's own vocabulary, so that they import one module. HAPModel has types for accessories as they are
// on the wire, too, whose names would be in the way of the home's.

/// A characteristic's value.
public typealias CharacteristicValue = HAPModel.CharacteristicValue
/// The meaning of a characteristic.
public typealias CharacteristicType = HAPModel.CharacteristicType
/// A characteristic's format, limits and permissions.
public typealias CharacteristicMetadata = HAPModel.CharacteristicMetadata
/// The format of a characteristic's value.
public typealias CharacteristicFormat = HAPModel.CharacteristicFormat
/// What may be done with a characteristic.
public typealias CharacteristicPermissions = HAPModel.CharacteristicPermissions
/// What a characteristic's number counts.
public typealias CharacteristicUnit = HAPModel.CharacteristicUnit
/// The meaning of a service.
public typealias ServiceType = HAPModel.ServiceType
/// What an accessory is to people.
public typealias AccessoryCategory = HAPModel.AccessoryCategory
/// An accessory server's own id.
public typealias DeviceID = HAPModel.DeviceID
/// Eight digits that show that a person may add an accessory.
public typealias SetupCode = HAPModel.SetupCode
