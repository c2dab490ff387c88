import HAPModel
import HomeModel

// HAPModel declares types with these names, too.
typealias Accessory = HomeModel.Accessory
typealias Characteristic = HomeModel.Characteristic

extension HomeGraph {
    /// Every characteristic that reports changes, in the order of the accessories.
    var observable: [Characteristic] {
        homes.flatMap(\.accessories).flatMap(\.services).flatMap(\.characteristics)
            .filter { $0.metadata.permissions.contains(.notify) }
    }
}
