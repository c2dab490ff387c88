import HAPModel
import HomeModel

// HAP has words of its own for these; here the home's are meant.
typealias Accessory = HomeModel.Accessory
typealias Characteristic = HomeModel.Characteristic

extension HomeGraph {
    /// Every characteristic that reports changes, in the order of the accessories.
    var observable: [Characteristic] {
        homes.flatMap(\.accessories).flatMap(\.services).flatMap(\.characteristics)
            .filter { $0.metadata.permissions.contains(.notify) }
    }
}
