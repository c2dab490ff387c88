internal import AccessoryRole
internal import HAPModel
internal import Logging
internal import Synchronization

/// Access to the values of a host's accessories by the program's own ids.
final class HostedValues: Sendable {
    let server: AccessoryServer
    let state: Mutex<State>
    private let logger: Logger

    struct State {
        var places: Places
        var bridged: BridgedAccessoryIDs
        /// The characteristic, accessory and function of each logged mistake, so that no mistake is logged twice.
        fileprivate var mistakes: Set<[String?]> = []

        init(places: Places, bridged: BridgedAccessoryIDs) {
            self.places = places
            self.bridged = bridged
        }
    }

    init(_ server: AccessoryServer, places: Places, bridged: BridgedAccessoryIDs, logger: Logger) {
        self.server = server
        state = Mutex(State(places: places, bridged: bridged))
        self.logger = logger
    }

    func update(
        _ type: CharacteristicType, of accessory: String?, in function: String?, to value: CharacteristicValue
    ) async {
        let (place, aid) = state.withLock { ($0.places[type, accessory, function], $0.places.aid(of: accessory)) }
        guard let place else {
            // A removed accessory may still report values. An unknown characteristic is a programming error.
            guard aid != nil else { return }
            if isFirstMistake(type, accessory, function) {
                logger.warning("unknown characteristic updated", metadata: about(type, accessory, function))
            }
            assertionFailure("the accessory's functions have no \(type.name) to update")
            return
        }
        if place.metadata.clamped(value) == nil {
            if isFirstMistake(type, accessory, function) {
                logger.warning(
                    "impossible value ignored",
                    metadata: about(type, accessory, function).merging(["value": "\(value)"]) { $1 })
            }
            return
        }
        await server.update(place.id.aid, [(place.id.iid, value)])
    }

    func setReachable(_ isReachable: Bool, of accessory: String?) async {
        guard let aid = state.withLock({ $0.places.aid(of: accessory) }) else { return }
        await server.setReachable(isReachable, aid)
    }

    func value(_ type: CharacteristicType, of accessory: String?, in function: String?) async -> CharacteristicValue? {
        guard let place = state.withLock({ $0.places[type, accessory, function] }) else { return nil }
        return await server.reading(place.id)?.value
    }

    /// Records a mistake, and returns whether it is the first one for the characteristic.
    private func isFirstMistake(_ type: CharacteristicType, _ accessory: String?, _ function: String?) -> Bool {
        state.withLock { $0.mistakes.insert([type.description, accessory, function]).inserted }
    }

    private func about(_ type: CharacteristicType, _ accessory: String?, _ function: String?) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["characteristic": "\(type.name)"]
        metadata["accessory"] = accessory.map { "\($0)" }
        metadata["function"] = function.map { "\($0)" }
        return metadata
    }
}

extension CharacteristicType {
    /// The name in the catalog, or the UUID.
    fileprivate var name: String { CharacteristicDefinition.of(self)?.name ?? description }
}
