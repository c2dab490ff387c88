import HomeModel

// HAPModel declares types with these names, too.
typealias Accessory = HomeModel.Accessory
typealias Service = HomeModel.Service
typealias Characteristic = HomeModel.Characteristic
