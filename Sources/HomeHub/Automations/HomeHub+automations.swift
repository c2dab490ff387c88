import AsyncKit
import HAPController
import HomeModel
import Logging

import struct HAPModel.CharacteristicID
import enum HAPModel.CharacteristicValue
import struct HAPModel.DeviceID

// Passes inputs to the automations and stores their states. `Automations` holds the machines.
extension HomeHub {
    // MARK: Inputs

    /// Handles a reported value.
    ///
    /// Values of unreachable accessories are ignored, because their bridge reports them and they may be outdated.
    func automationsReceive(_ value: CharacteristicValue, of id: Characteristic.ID, isOccurrence: Bool) {
        guard automations.watches(id), graph.accessory(of: id)?.isReachable == true else { return }
        automations.receive(value, of: id, isOccurrence: isOccurrence, at: clock())
        automationsChanged()
    }

    /// Handles an accessory that has become reachable.
    func automationsSetReachable(_ accessory: Accessory) {
        automations.setReachable(accessory.id, of: accessory.home, true, at: clock())
        runs.accessoryReturned()
        readUnknownValues(of: accessory)
        automationsChanged()
    }

    /// Handles an accessory that has become unreachable.
    func automationsSetUnreachable(_ accessory: Accessory) {
        guard automations.setReachable(accessory.id, of: accessory.home, false, at: clock()) else { return }
        automationsChanged()
    }

    /// Reads the values of an accessory that automations need and that are still unknown.
    private func readUnknownValues(of accessory: Accessory) {
        let id = accessory.id
        start { hub in
            guard let accessory = hub.graph.accessory(id), accessory.isReachable,
                let link = hub.connections[accessory.deviceID]?.link
            else { return }
            let unknown = hub.automations.unknownCharacteristics(of: accessory.home)
            let locations = accessory.services.flatMap(\.characteristics)
                .filter { unknown.contains($0.id) && $0.hasValue }
                .map { CharacteristicID(accessory.aid, $0.iid) }
            if !locations.isEmpty { _ = try? await link.read(locations) }
        }
    }

    /// Updates the automations after a transaction was stored and applied.
    func automationsAdopt(_ transaction: HomeTransaction) {
        let reading = clock()
        for change in transaction.changes {
            switch change.event {
            case .presenceUpdated(let person, let isHome):
                automations.setPresence(person, of: transaction.home, isHome: isHome, at: reading)
            case .triggerUpdated(let trigger) where trigger.isEnabled: automations.disabledInHome(trigger.id)
            default: break
            }
        }
        let watched = automations.watched
        _ = automations.withdraw(triggersWithoutPermission, homes: graph.homes, at: reading)
        if let home = graph.home(transaction.home) {
            automations.update(home, at: reading)
        } else {
            automations.remove(transaction.home)
            triggerStatusTexts[transaction.home] = nil
        }
        replaced(runs.homesChanged(graph, withdrawn: automations.withdrawn))
        let triggers = Set(graph.homes.flatMap(\.triggers).map(\.id))
        triggerHistory.keep(where: triggers.contains, homes: graph.homes.map(\.id))
        let changed = watched.symmetricDifference(automations.watched)
        if !changed.isEmpty { demandChanged(of: Array(changed)) }
        automationsChanged()
    }

    /// Stops the automations of apps that have lost their permission, and resumes them when the permission is granted
    /// again.
    func permissionsChanged() {
        guard automations.withdraw(triggersWithoutPermission, homes: graph.homes, at: clock()) else { return }
        replaced(runs.homesChanged(graph, withdrawn: automations.withdrawn))
        automationsChanged()
    }

    private var triggersWithoutPermission: Set<Trigger.ID> { permissions.withdrawn(graph) }

    // MARK: Time

    /// Handles the current time.
    ///
    /// The hub calls this method at least once a minute. Also call it after the system clock was set.
    package func checkClock() {
        automations.advance(to: clock(), homes: graph.homes)
        automationsChanged()
    }

    /// Handles a deadline of ``Automations`` that has passed.
    func automationDeadlinePassed(now: ContinuousClock.Instant) {
        guard let deadline = automations.nextDeadline(at: clock(), now: now), deadline <= now else { return }
        checkClock()
        guard automations.isCheckDue(now: now) else { return }
        start { hub in await hub.updateTimeZones() }
        for (trigger, home) in automations.disabled { disable(trigger, of: home) }
    }

    /// Reads the rules of the homes' time zones again, because the rules or the system's time zone may have changed.
    package func updateTimeZones() async {
        var zones = HomeTimeZones(systemName: await Self.read(systemTimeZone))
        for name in HomeTimeZones.names(of: graph.homes) {
            zones.add(name, await Self.read(name, using: timeZones))
        }
        for name in automations.update(zones, homes: graph.homes, at: clock()) { logMissing(name) }
        automationsChanged()
    }

    func logMissing(_ zone: HomeTimeZones.Name) {
        logger.warning(
            "time zone unavailable",
            metadata: ["zone": "\(zone ?? "of the system")", "remedy": "install the tzdata package"])
    }

    /// Reads the rules of a time zone from a file without blocking the hub's executor.
    @concurrent static func read(
        _ name: String?, using read: @Sendable (String?) -> TimeZoneRules?
    ) async -> TimeZoneRules? { read(name) }

    @concurrent private static func read(_ name: @Sendable () -> String?) async -> String? { name() }

    // MARK: Work

    /// Starts to store the changed states and to perform the outputs, unless this is already in progress.
    func automationsChanged() {
        deadlineChanged.send()
        guard automations.beginWork() else { return }
        start { hub in await hub.performAutomations() }
    }

    /// Stores states before it performs the outputs that depend on them, so that no action is repeated after a crash.
    private func performAutomations() async {
        while let work = automations.takeWork() {
            // If the hub ends before these states are stored, the next start treats their events as missed.
            guard !Task.isCancelled else { return automations.keep(work.states) }
            let usedUp = work.triggers.filter(\.isDisabled).compactMap { graph.home($0.home)?.trigger($0.trigger) }
            do {
                try await store.save(work.states, work.triggers.flatMap(\.records), disabling: usedUp)
            } catch {
                logger.error("automation state write failed", metadata: ["error": "\(error)"])
                let error = store.failure("the actions didn't run", after: error)
                for trigger in work.triggers { fail(trigger, because: error) }
                automations.onlyRunsFailed(work.triggers, homes: graph.homes, at: clock())
                // The next input starts another attempt.
                return automations.keep(work.states)
            }
            for trigger in work.triggers { perform(trigger) }
        }
    }

    /// Disables an automation after its only run.
    func disable(_ trigger: Trigger.ID, of home: Home.ID) {
        start { hub in
            do throws(HomeError) {
                let place = try hub.commitQueue.enter(isBounded: false)
                try await hub.change(at: place) { (planned) throws(HomeError) in
                    guard hub.automations.disabled[trigger] != nil, planned.home(home)?.trigger(trigger) != nil else {
                        return ((), nil)
                    }
                    var generator = SystemRandomNumbers()
                    return ((), try planned.perform(.enableTrigger(trigger, false), using: &generator).transaction)
                } applied: {
                    hub.automations.disabledInHome(trigger)
                }
            } catch {
                // The error was logged. The next check of the clock tries again.
            }
        }
    }
}
