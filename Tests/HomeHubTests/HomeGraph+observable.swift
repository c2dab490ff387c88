import HAPModel
import HomeModel

extension HomeGraph {
    /// All characteristics that report changes, in the order of the accessories.
    var observable: [Characteristic] {
        homes.flatMap(\.accessories).flatMap(\.services).flatMap(\.characteristics)
            .filter { $0.metadata.permissions.contains(.notify) }
    }
}
