import HAPModel
import HomeModel

extension ServiceType {
    /// What an accessory is to users whose main service this is, unless its file says something else.
    var usualCategory: AccessoryCategory { category }
}
