import HomeModel

// The home model's types, whose names also exist in HAP's model.

typealias Accessory = HomeModel.Accessory
typealias Service = HomeModel.Service
typealias Characteristic = HomeModel.Characteristic
