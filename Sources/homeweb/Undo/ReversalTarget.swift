import HAPModel
import HomeClient
import HomeModel

/// The homes in which a change is undone.
protocol ReversalTarget: Sendable {
    func home(_ id: Home.ID) async -> Home?
    func perform(_ write: HomeWrite) async throws(HomeError) -> HomeCommit.Result
    func readValues(
        of characteristics: [Characteristic.ID]
    ) async throws(HomeError) -> [Characteristic.ID: Result<CharacteristicValue, HomeError>]
    func writeValues(
        _ values: [Characteristic.ID: CharacteristicValue]
    ) async throws(HomeError) -> [Characteristic.ID: Result<CharacteristicValue, HomeError>]
}

extension HomeManager: ReversalTarget {
    func home(_ id: Home.ID) async -> Home? { homes.first { $0.id == id } }
}
