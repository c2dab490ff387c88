internal import AccessoryRole
package import DeviceKit
internal import HAPModel
internal import HAPProtocol
internal import Logging

// Adding, changing, naming and removing lights.
extension DeviceBridge {
    func show(
        _ key: LightKey, _ bridge: (number: Int, server: AccessoryServer), _ aid: AccessoryID,
        _ description: LightDescription, _ ids: InstanceIDs, _ report: LightReport?, transition: [UInt8]? = nil,
        isRestored: Bool = false
    ) async {
        let name = name(for: key, description, aid)
        let adapter = AccessoryAdapter(description, name, ids)
        var state = DeviceState()
        state.thresholds = thresholds(of: key)
        adapter.addInitialValues(to: &state)
        if let report { state.apply(adapter.limits.canonical(report.values).values, adapter.rules) }
        let light = BridgedLight(
            key, on: bridge, aid: aid, driver: driver(key.driver), adapter: adapter, state: state)
        light.isRestored = isRestored
        lights[key] = light
        lightsByAID[aid] = light
        lightCounts[bridge.number, default: 0] += 1
        names.insert(name)
        resumeTransition(of: light, transition)
        await showAccessory(light)
        advanceTransition(of: light)
    }

    /// Returns whether the operator's settings include the light.
    func isShown(_ key: LightKey, _ description: LightDescription) -> Bool {
        kinds.contains(description.kind) && overrides[key]?.isHidden != true
    }

    private func thresholds(of key: LightKey) -> GasThresholds { overrides[key]?.thresholds ?? GasThresholds() }

    private func showAccessory(_ light: BridgedLight) async {
        let accessory = light.adapter.accessory(light.aid, state: light.state)
        do throws(ComplianceError) {
            try await light.server.set(accessory, source: self, isReachable: light.state.isReachable)
        } catch {
            warn("\(light.key) can't be shown: \(error.description)", about: .light(light.key))
        }
    }

    // MARK: Names

    private func name(for key: LightKey, _ description: LightDescription, _ aid: AccessoryID) -> String {
        // A light's name must differ from the names of all older lights. For the newest light, these are the names of
        // all other lights.
        let isNewest = aid == highestAID && lightsByAID[aid] == nil
        let taken = isNewest ? names : Set(lights.values.filter { $0.aid < aid }.map(\.adapter.name))
        return uniqueName(key, description, aid, among: taken)
    }

    /// Returns the preferred name of a light, or a similar name if another light has the preferred name.
    private func uniqueName(
        _ key: LightKey, _ description: LightDescription, _ aid: AccessoryID, among taken: Set<String>
    ) -> String {
        var wanted = wantedName(key, description, aid)
        // A sensor that is built into a lamp often has the lamp's name.
        if description.kind == .sensor, taken.contains(wanted) {
            wanted = AccessoryName.sanitized("\(wanted) Sensor", fallback: wanted)
        }
        return AccessoryName.unique(wanted, among: taken)
    }

    private func wantedName(_ key: LightKey, _ description: LightDescription, _ aid: AccessoryID) -> String {
        AccessoryName.sanitized(overrides[key]?.name ?? description.name, fallback: "Light \(aid)")
    }

    /// Gives each light the name that it would have after a restart.
    ///
    /// If several lights have the same preferred name, the oldest light gets it.
    func reconcileNames() async {
        var taken: Set<String> = []
        for (key, light) in lights.sorted(by: { $0.value.aid < $1.value.aid }) {
            let description = light.adapter.description
            let name = uniqueName(key, description, light.aid, among: taken)
            taken.insert(name)
            guard name != light.adapter.name else { continue }
            light.adapter = AccessoryAdapter(description, name, light.adapter.ids)
            await showAccessory(light)
        }
        names = taken
    }

    // MARK: Adding and removing lights

    // These functions suspend while the store writes, so a mutex makes them run one at a time. Otherwise, a light that
    // is reported twice could get two aids, and a light that is removed while it's being added could return.

    func added(_ description: LightDescription, by driver: String) async {
        await structureMutex.acquire()
        defer { structureMutex.release() }
        let key = LightKey(driver: driver, light: description.id)
        let id = description.id.rawValue.utf8
        guard (1...255).contains(id.count), !id.contains(0) else {
            warn(
                "a light of driver \(driver) is ignored: its id is empty, contains a zero byte or is too long",
                about: .driver(driver))
            return
        }
        await addOrReplace(key, description)
    }

    /// Adds a light as its driver describes it, or updates the existing light.
    ///
    /// The caller must hold the structure mutex.
    func addOrReplace(_ key: LightKey, _ reported: LightDescription) async {
        var description = reported.including(kinds)
        // HAP's firmware revision must increase with each update (HAP 9.5).
        let known = lights[key]?.adapter.description ?? absent[key]?.description
        description.firmware = FirmwareRevision.latest(known?.firmware, reported.firmware)
        if kinds.contains(description.kind) {
            excluded[key] = nil
        } else if excluded[key] != nil || excluded.count < Self.maximumExcludedLights {
            excluded[key] = description.kind
        }
        if excluded[key] == nil, reported.hasMeter, !description.hasMeter {
            if hiddenMeters.count < Self.maximumExcludedLights { hiddenMeters.insert(key) }
        } else {
            hiddenMeters.remove(key)
        }
        guard isShown(key, description) else {
            if unstored.removeValue(forKey: key) != nil { warn(nil, about: .light(key)) }
            // Hide a device that used to be of a shown kind, such as a switch that is now a valve.
            if await hide(key) != nil { await reconcileNames() }
            return
        }
        if let light = lights[key] {
            light.incomplete = nil
            if light.isRestored, description.lacksFunctions(of: light.adapter.description) {
                return completeLater(light, description)
            }
            guard light.adapter.description == description else { return await replace(light, description) }
            // The driver has withdrawn a change that couldn't be stored yet.
            if unstored.removeValue(forKey: key) != nil { warn(nil, about: .light(key)) }
        } else {
            await add(key, description)
        }
    }

    /// The time limit for drivers to describe all parts of a device after a restart.
    static let completionTime = Duration.seconds(10)

    /// Applies an incomplete description of a restored light after ``completionTime``, unless its driver describes the
    /// missing parts before then.
    ///
    /// After a restart, drivers learn of the parts of a device one by one. If a part were missing in between,
    /// controllers would delete its automations.
    private func completeLater(_ light: BridgedLight, _ description: LightDescription) {
        light.incomplete = description
        guard !light.isCompletionDue else { return }
        light.isCompletionDue = true
        scheduler.schedule(at: scheduler.now + Self.completionTime) { [self, key = light.key] in
            Task.immediate { await completed(key) }
        }
    }

    private func completed(_ key: LightKey) async {
        await structureMutex.acquire()
        defer { structureMutex.release() }
        guard let light = lights[key] else { return }
        light.isRestored = false
        if let description = light.incomplete { await addOrReplace(key, description) }
    }

    private func add(_ key: LightKey, _ description: LightDescription) async {
        let former = absent[key]
        let bridge: (number: Int, server: AccessoryServer)
        do {
            guard let found = try await bridgeWithRoom(for: former) else {
                return addWhenThereIsRoom(key, description)
            }
            bridge = found
        } catch {
            warn("\(key) isn't shown: no further bridge can be opened: \(error)", about: .light(key))
            return addOrReplaceLater(key, description)
        }
        warn(nil, about: .light(key))
        let aid = former?.aid ?? unstored[key]?.aid ?? nextAID()
        let adapter = AccessoryAdapter(
            description, name(for: key, description, aid), former?.instanceIDs ?? InstanceIDs())
        let stored = StoredLight(
            key: key, bridge: bridge.number, aid: aid, instanceIDs: adapter.ids, description: description,
            state: former?.state, transition: former?.transition)
        guard await save(stored) else { return addOrReplaceLater(key, description, aid: aid) }
        absent[key] = nil
        unsavedRemovals.remove(key)
        await show(key, bridge, aid, description, adapter.ids, former?.state, transition: former?.transition)
        catchUp(key)
        // The newest light avoids the names of all other lights, so these names don't change.
        if aid != highestAID { await reconcileNames() }
        logger.info("light added", metadata: about(key))
    }

    private func nextAID() -> AccessoryID {
        highestAID = AccessoryID(highestAID.rawValue + 1)
        return highestAID
    }

    func warnOfTooMany(_ key: LightKey) {
        warn(
            "\(key) isn't shown: \(servers.count) \(servers.count == 1 ? "bridge" : "bridges") can have at most "
                + "\(servers.count * Self.maximumLights) lights; to make room, remove a light with lamplighter devices "
                + "forget KEY, or the lights of removed drivers with lamplighter devices purge",
            about: .light(key))
    }

    private func replace(_ light: BridgedLight, _ description: LightDescription) async {
        let adapter = AccessoryAdapter(
            description, name(for: light.key, description, light.aid), light.adapter.ids)
        let stored = StoredLight(
            key: light.key, bridge: light.bridge, aid: light.aid, instanceIDs: adapter.ids, description: description,
            state: description.report(of: light.state, isForRestart: true), transition: light.savedTransition)
        guard await save(stored) else { return addOrReplaceLater(light.key, description) }
        warn(nil, about: .light(light.key))
        light.adapter = adapter
        light.runs = light.runs.filter { run in description.functions.contains { $0.id == run.key } }
        adapter.addInitialValues(to: &light.state)
        resumeTransition(of: light, light.savedTransition)
        unstored[light.key] = nil
        await showAccessory(light)
        await reconcileNames()
    }

    func removed(_ id: LightID, by driver: String) async {
        await structureMutex.acquire()
        defer { structureMutex.release() }
        let key = LightKey(driver: driver, light: id)
        let about = about(key)
        unstored[key] = nil
        excluded[key] = nil
        hiddenMeters.remove(key)
        warn(nil, about: .light(key))
        guard var stored = await hide(key) else { return }
        stored.removal = nextRemoval()
        absent[key] = stored
        await reconcileNames()
        await saveRemoval(key)
        logger.info("light removed", metadata: about)
        await limitRemovedLights()
        await fillRoom()
    }

    /// Hides a light from controllers.
    ///
    /// Its aid stays reserved. Requests that are waiting for the light fail.
    func hide(_ key: LightKey) async -> StoredLight? {
        guard let light = lights.removeValue(forKey: key) else { return nil }
        lightsByAID[light.aid] = nil
        lightCounts[light.bridge, default: 0] -= 1
        names.remove(light.adapter.name)
        light.isRemoved = true
        light.task?.cancel()
        light.identification?.cancel()
        let stored = light.stored
        absent[key] = stored
        await light.server.remove(light.aid)
        for waiter in light.waitersUnderWay + light.waitersWaiting { waiter.give(.doesNotExist) }
        return stored
    }

    /// Applies the operator's settings for single lights and for kinds.
    ///
    /// A light that is no longer hidden becomes visible when its driver adds it to the host again.
    ///
    /// - Parameters:
    ///   - overrides: The operator's settings.
    ///   - kinds: The kinds to show, or `nil` to keep them.
    package func use(_ overrides: [LightKey: LightOverride], kinds: Set<LightKind>? = nil) async {
        await structureMutex.acquire()
        defer { structureMutex.release() }
        self.overrides = overrides
        if let kinds { self.kinds = kinds }
        for (key, light) in lights where !isShown(key, light.adapter.description) { _ = await hide(key) }
        for light in Array(lights.values) {
            let description = light.adapter.description.including(self.kinds)
            if description != light.adapter.description { await replace(light, description) }
        }
        for (key, light) in lights where light.state.thresholds != thresholds(of: key) {
            light.state.thresholds = thresholds(of: key)
            show(light)
        }
        await reconcileNames()
        await fillRoom()
    }

    func save(_ light: StoredLight) async -> Bool {
        do {
            try await store.save(light)
            return true
        } catch {
            warn("\(light.key) can't be stored: \(error)", about: .light(light.key))
            return false
        }
    }
}

extension LightDescription {
    /// Returns whether this description lacks functions or meter readings of another description.
    fileprivate func lacksFunctions(of other: LightDescription) -> Bool {
        !other.functions.allSatisfy { former in
            functions.contains {
                $0.type == former.type && $0.id == former.id
                    && Set($0.meterReadings).isSuperset(of: former.meterReadings)
            }
        }
    }
}
