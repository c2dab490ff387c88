import HAPModel
import HomeModel

// HAP has words of its own for these; here the home's are meant.
typealias Accessory = HomeModel.Accessory
typealias Service = HomeModel.Service
typealias Characteristic = HomeModel.Characteristic
