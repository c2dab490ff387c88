import HAPModel
import HomeModel

extension ServiceType {
    /// The category of an accessory with this main service, unless its file contains a category.
    var usualCategory: AccessoryCategory { category }
}
