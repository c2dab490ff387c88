import HomeModel

// The home's own words, where HAP's model of an accessory on the wire uses the same ones.

typealias Accessory = HomeModel.Accessory
typealias Service = HomeModel.Service
typealias Characteristic = HomeModel.Characteristic
