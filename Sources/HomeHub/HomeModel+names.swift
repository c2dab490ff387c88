package import HomeModel

// HAPController exports HAP types with the same names. In this module, the names refer to the home's types.
package typealias Accessory = HomeModel.Accessory
package typealias Service = HomeModel.Service
package typealias Characteristic = HomeModel.Characteristic
