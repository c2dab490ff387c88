import HAPModel
import HomeModel

// HAPModel declares types with the same names.
typealias Accessory = HomeModel.Accessory
typealias Service = HomeModel.Service
typealias Characteristic = HomeModel.Characteristic
