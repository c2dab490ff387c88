extension HomeManager {
    /// Reads a value from the accessory.
    ///
    /// - Returns: The accessory's value. It's also stored in ``homes``.
    /// - Throws: `writeOnlyCharacteristic` if the characteristic can't be read, `accessoryNotReachable` or
    ///   `bridgedAccessoryNotReachable` if the accessory is unreachable, `accessoryIsBlocked` if it's blocked.
    public func readValue(of characteristic: Characteristic.ID) async throws(HomeError) -> CharacteristicValue {
        let results = try await exchange(.readValues([characteristic]))
        guard let result = results.first(where: { $0.characteristic == characteristic }) else { throw Self.noResult }
        if let error = result.error { throw error }
        guard let value = result.value else { throw Self.noResult }
        return value
    }

    /// Reads values from accessories, with one request for each accessory.
    ///
    /// - Returns: A value or an error for each characteristic.
    /// - Throws: Errors of the whole call, such as `homeAccessNotAuthorized`.
    public func readValues(
        of characteristics: [Characteristic.ID]
    ) async throws(HomeError) -> [Characteristic.ID: Result<CharacteristicValue, HomeError>] {
        guard !characteristics.isEmpty else { return [:] }
        return Self.values(try await exchange(.readValues(characteristics)), of: characteristics)
    }

    /// Writes a value, and waits until the accessory has accepted it.
    ///
    /// - Parameters:
    ///   - value: The value, in the characteristic's format and within its limits. A number is rounded to the nearest
    ///     step. `nil` is rejected with `nilParameter`.
    ///   - characteristic: The characteristic.
    ///   - authorizationData: The authorization data that an accessory may require for this write.
    /// - Returns: The written value, which is the nearest value that the accessory supports.
    /// - Throws: `readOnlyCharacteristic` if the characteristic can't be written, `invalidValueType` for a value of the
    ///   wrong type, `valueLowerThanMinimum` or `valueHigherThanMaximum` for a value outside the limits,
    ///   `invalidParameter` if it isn't one of the valid values, `stringLongerThanMaximum` or `invalidMessageSize` if
    ///   it's too long, `invalidOrMissingAuthorizationData` if the accessory rejects the authorization data,
    ///   `accessoryNotReachable` or `bridgedAccessoryNotReachable` if the accessory is unreachable,
    ///   `accessoryIsBlocked` if it's blocked.
    @discardableResult
    public func writeValue(
        _ value: CharacteristicValue?, to characteristic: Characteristic.ID, authorizationData: [UInt8]? = nil
    ) async throws(HomeError) -> CharacteristicValue? {
        let write = ValueWrite(characteristic: characteristic, value: value, authorizationData: authorizationData)
        let results = try await exchange(.writeValues([write]), isWrite: true)
        guard let result = results.first(where: { $0.characteristic == characteristic }) else { throw Self.noResult }
        if let error = result.error { throw error }
        return result.value ?? value
    }

    /// Writes a value of a service by its Swift type, and waits until the accessory has accepted it.
    ///
    /// ```swift
    /// try await manager.write(40, to: .brightness, of: lamp.service)
    /// ```
    ///
    /// - Returns: The written value, which is the nearest value that the accessory supports.
    /// - Throws: `notFound` if the service has no such characteristic; the errors of
    ///   ``writeValue(_:to:authorizationData:)``.
    @discardableResult
    public func write<Value>(
        _ value: Value, to key: CharacteristicKey<Value>, of service: Service, authorizationData: [UInt8]? = nil
    ) async throws(HomeError) -> Value {
        guard let characteristic = service.characteristic(key.type) else {
            throw HomeError(
                .notFound, detail: "\(service.name) has no \(key.type.localizedDescription.lowercased())",
                accessory: service.accessory)
        }
        let written = value.value(as: characteristic.metadata.format)
        let result = try await writeValue(written, to: characteristic.id, authorizationData: authorizationData)
        return result.flatMap(Value.init) ?? value
    }

    /// Writes values, with one request for each accessory.
    ///
    /// - Returns: The written value or an error for each characteristic.
    /// - Throws: Errors of the whole call, such as `homeAccessNotAuthorized`.
    public func writeValues(
        _ values: [Characteristic.ID: CharacteristicValue]
    ) async throws(HomeError) -> [Characteristic.ID: Result<CharacteristicValue, HomeError>] {
        guard !values.isEmpty else { return [:] }
        let writes = values.sorted { $0.key < $1.key }.map { ValueWrite(characteristic: $0.key, value: $0.value) }
        var results = try await exchange(.writeValues(writes), isWrite: true)
        for index in results.indices where results[index].error == nil && results[index].value == nil {
            results[index].value = values[results[index].characteristic]
        }
        return Self.values(results, of: writes.map(\.characteristic))
    }

    /// Executes a scene.
    ///
    /// - Returns: A result for each action, if at least one succeeded.
    /// - Throws: `noActionsInActionSet` if the scene has no actions, `actionSetExecutionFailed` if all actions failed,
    ///   `actionSetExecutionInProgress` if the scene's last execution hasn't ended.
    public func executeActionSet(_ actionSet: ActionSet.ID) async throws(HomeError) -> ActionSetExecution {
        let results = try await exchange(.runActionSet(actionSet), isWrite: true)
        let error = replica.graph.error(ofScene: results)
        if let error, error.code == .actionSetExecutionFailed { throw error }
        return ActionSetExecution(results: Self.values(results, of: []), error: error)
    }

    /// Enables or disables this app's notifications of changes of a value.
    ///
    /// Enabling them twice isn't an error. Notifications stay enabled after a lost connection and while the accessory
    /// is unreachable, until the app disables them or loses its permission. If a call to enable them throws, they
    /// aren't enabled.
    ///
    /// - Throws: `notificationNotSupported` if the accessory doesn't report changes, `accessoryNotReachable` or
    ///   `bridgedAccessoryNotReachable` if it's unreachable.
    public func enableNotification(_ isEnabled: Bool, for characteristic: Characteristic.ID) async throws(HomeError) {
        try await enableNotification(isEnabled, for: [characteristic])[characteristic]?.get()
    }

    /// Enables or disables this app's notifications of changes of several values.
    ///
    /// - Returns: Success or an error for each characteristic.
    /// - Throws: Errors of the whole call, such as `homeAccessNotAuthorized`.
    public func enableNotification(
        _ isEnabled: Bool, for characteristics: [Characteristic.ID]
    ) async throws(HomeError) -> [Characteristic.ID: Result<Void, HomeError>] {
        var results: [Characteristic.ID: Result<Void, HomeError>] = [:]
        for id in characteristics { results[id] = .success(()) }
        let due = isEnabled ? characteristics : observations.reconciler.switchOff(characteristics)
        for (id, error) in try await report(isEnabled, due) { results[id] = .failure(error) }
        guard isEnabled else { return results }
        for (id, result) in results { if case .success = result { observations.reconciler.switchOn(id) } }
        return results
    }

    /// Returns the current value of a characteristic and each new value.
    ///
    /// Notifications are enabled during the iteration.
    public nonisolated func values(of characteristic: Characteristic.ID) -> CharacteristicValues {
        CharacteristicValues(manager: self, characteristic: characteristic)
    }

    // MARK: Results

    private func exchange(_ request: HomeRequest, isWrite: Bool = false) async throws(HomeError) -> [ValueResult] {
        try await call(request, deadline: timeouts.call) { json throws(HomeError) in
            let results = try Self.understood { () throws(HomeError) in try [ValueResult](json: json) }
            for result in results {
                guard result.error == nil, let value = result.value, let time = result.time else { continue }
                self.replica.found(value, of: result.characteristic, at: time)
                let found = ObservedValue(value: value, time: time, origin: isWrite ? .own : .reported)
                self.observed(found, of: result.characteristic)
            }
            self.changed()
            return results
        }
    }

    private static func values(
        _ results: [ValueResult], of ids: [Characteristic.ID]
    ) -> [Characteristic.ID: Result<CharacteristicValue, HomeError>] {
        var values: [Characteristic.ID: Result<CharacteristicValue, HomeError>] = [:]
        for id in ids { values[id] = .failure(noResult) }
        for result in results {
            if let error = result.error {
                values[result.characteristic] = .failure(error)
            } else if let value = result.value {
                values[result.characteristic] = .success(value)
            }
        }
        return values
    }

    private static let noResult = HomeError(.protocolMismatch, detail: "homehubd sent no result")
}
