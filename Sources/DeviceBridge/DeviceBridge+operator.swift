package import DeviceKit
internal import HAPModel
package import HAPProtocol

// The operator's view of the lights, and the operator's commands.
extension DeviceBridge {
    func snapshot(_ light: BridgedLight) -> LightSnapshot {
        let description = light.adapter.description
        var values = PropertyValues()
        for (property, _) in description.properties where !light.state.unknown.contains(property) {
            values[property] = light.state.values[property]
        }
        return LightSnapshot(
            key: light.key, name: light.adapter.name, sourceName: description.name, kind: description.kind,
            bridge: light.bridge, aid: light.aid, isReachable: light.state.isReachable, values: values,
            lastEvents: light.lastEvents, suggestedRoom: description.suggestedRoom,
            isOptimistic: description.isOptimistic || light.pipeline.isUnconfirmed)
    }

    /// All visible lights, sorted by aid.
    package func snapshots() -> [LightSnapshot] {
        lights.values.map { snapshot($0) }.sorted { $0.aid < $1.aid }
    }

    /// The number of reported devices of each kind that isn't included.
    ///
    /// Hidden meters of visible devices are counted as meters.
    package var excludedCounts: [LightKind: Int] {
        excluded.values.reduce(into: hiddenMeters.isEmpty ? [:] : [.meter: hiddenMeters.count]) {
            $0[$1, default: 0] += 1
        }
    }

    /// Removes a light; if it returns, it gets the same aid.
    package func forget(_ key: LightKey) async { await removed(key.light, by: key.driver) }

    /// Returns whether the removal of a light is stored, so that the light doesn't return after a restart.
    package func isRemovalStored(_ key: LightKey) -> Bool { !unsavedRemovals.contains(key) }

    /// Sends a command to a light, as a controller would.
    ///
    /// - Returns: The status that a controller would get, or `invalidValue` if the light supports none of the values.
    package func command(_ command: LightCommand, _ key: LightKey) async -> HAPStatus {
        guard let light = lights[key] else { return .doesNotExist }
        guard var possible = light.adapter.possible(command, state: light.wanted) else { return .invalidValue }
        var settings = PropertyValues()
        for (property, value) in possible.values where property.type.isKeptByBridge {
            settings[property] = value
            possible.values.remove(property)
        }
        if !settings.isEmpty { change(light, by: .operator) { $0.apply(settings, light.adapter.rules) } }
        guard !possible.isEmpty else { return .success }
        if possible.color != nil { endTransition(of: light, by: [.colorTemperature]) }
        let waiter = send(possible, to: light, origin: .operator)
        if let answer = waiter.answer { return answer }
        return await waiter.response(in: self)
    }

    /// Returns the reason why a light rejected its newest command, or `nil` if it didn't reject it.
    package func refusal(of key: LightKey) -> String? { lights[key]?.refusal }

    /// Returns a stream of the changes of all lights.
    ///
    /// If 256 changes are unread, a new change replaces the oldest change.
    package func events() -> AsyncStream<LightEvent> {
        lastWatcher += 1
        let number = lastWatcher
        let (stream, continuation) = AsyncStream.makeStream(of: LightEvent.self, bufferingPolicy: .bufferingNewest(256))
        watchers[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.forgetWatcher(number) }
        }
        return stream
    }

    private func forgetWatcher(_ number: Int) { watchers[number] = nil }
}
