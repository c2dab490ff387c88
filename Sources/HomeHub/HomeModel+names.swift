package import HomeModel

// HAPController exports HAP's types of the same names. In this module they are the home's.
package typealias Accessory = HomeModel.Accessory
package typealias Service = HomeModel.Service
package typealias Characteristic = HomeModel.Characteristic
