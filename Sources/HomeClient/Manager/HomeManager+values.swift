extension HomeManager {
    /// Asks the accessory for a value, and waits for its answer.
    ///
    /// - Returns: the value as the accessory says it; ``homes`` hold it, too.
    /// - Throws: 6 if it cannot be read, 4 or 88 if the accessory cannot be reached, 61 if it is blocked.
    public func readValue(of characteristic: Characteristic.ID) async throws(HomeError) -> CharacteristicValue {
        throw HomeError(.operationNotSupported)
    }

    /// Asks accessories for values, each accessory with one request.
    ///
    /// - Returns: what came of each: the characteristic with its value, or why not.
    /// - Throws: what concerns all of them, such as 47.
    public func readValues(
        of characteristics: [Characteristic.ID]
    ) async throws(HomeError) -> [Characteristic.ID: Result<Characteristic, HomeError>] {
        throw HomeError(.operationNotSupported)
    }

    /// Sets a value, and waits until the accessory took it.
    ///
    /// - Parameters:
    ///   - value: the value, of the characteristic's format and within its limits; a number goes to the nearest step.
    ///   - characteristic: what is set.
    ///   - authorizationData: what some accessories want besides.
    /// - Returns: the characteristic with its value.
    /// - Throws: 5 if it cannot be set, 43 for a value of the wrong kind, 44 or 45 outside the limits, 3 if it is none of
    ///   the valid values, 46 or 56 if it is too long, 4 or 88 if the accessory cannot be reached, 61 if it is blocked.
    @discardableResult
    public func writeValue(
        _ value: CharacteristicValue, to characteristic: Characteristic.ID, authorizationData: [UInt8]? = nil
    ) async throws(HomeError) -> Characteristic {
        throw HomeError(.operationNotSupported)
    }

    /// Sets values, each accessory's with one request.
    ///
    /// - Returns: what came of each: the characteristic with its value, or why not.
    /// - Throws: what concerns all of them, such as 47.
    @discardableResult
    public func writeValues(
        _ values: [Characteristic.ID: CharacteristicValue]
    ) async throws(HomeError) -> [Characteristic.ID: Result<Characteristic, HomeError>] {
        throw HomeError(.operationNotSupported)
    }

    /// Has changes of a value reported to this app, or not any more.
    ///
    /// What is so already succeeds. It lasts over lost connections and while the accessory cannot be reached, until it is
    /// switched off or the app loses its permission.
    ///
    /// - Throws: 7 if the accessory does not report it, 4 or 88 if it cannot be reached (then it is not switched on).
    public func setNotification(_ isEnabled: Bool, for characteristic: Characteristic.ID) async throws(HomeError) {
        throw HomeError(.operationNotSupported)
    }

    /// Has changes of values reported to this app, or not any more.
    ///
    /// - Returns: what came of each.
    /// - Throws: what concerns all of them, such as 47.
    @discardableResult
    public func setNotification(
        _ isEnabled: Bool, for characteristics: [Characteristic.ID]
    ) async throws(HomeError) -> [Characteristic.ID: Result<Void, HomeError>] {
        throw HomeError(.operationNotSupported)
    }

    /// The values of a characteristic, as its accessory reports them while they are iterated.
    public nonisolated func values(of characteristic: Characteristic.ID) -> CharacteristicValues {
        CharacteristicValues(manager: self, characteristic: characteristic)
    }
}
