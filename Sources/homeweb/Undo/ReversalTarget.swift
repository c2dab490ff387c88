import HAPModel
import HTTPTypes
import HomeClient
import HomeModel
import Texts

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
    /// Hides tiles on Home, or shows them again.
    func setHidden(_ isHidden: Bool, _ services: Set<Service.ID>, of home: Home) async throws(WebError)
}

extension Site: ReversalTarget {
    func home(_ id: Home.ID) async -> Home? { await manager.homes.first { $0.id == id } }

    func perform(_ write: HomeWrite) async throws(HomeError) -> HomeCommit.Result { try await manager.perform(write) }

    func readValues(
        of characteristics: [Characteristic.ID]
    ) async throws(HomeError) -> [Characteristic.ID: Result<CharacteristicValue, HomeError>] {
        try await manager.readValues(of: characteristics)
    }

    func writeValues(
        _ values: [Characteristic.ID: CharacteristicValue]
    ) async throws(HomeError) -> [Characteristic.ID: Result<CharacteristicValue, HomeError>] {
        try await manager.writeValues(values)
    }

    func setHidden(_ isHidden: Bool, _ services: Set<Service.ID>, of home: Home) async throws(WebError) {
        let homes = Set(await manager.homes.map(\.id))
        guard homes.contains(home.id) else { throw WebError(.notFound, localized("The home no longer exists.")) }
        try displays.change(home.id, among: homes) {
            $0.setHidden(isHidden, services, of: home)
        }
    }
}
