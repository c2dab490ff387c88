import ArgumentParser
import BoundedJSON
import HAPModel
import HomeClient
import HomeModel
import HomePresentation
import SystemKit
import TerminalKit

struct WatchCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print changes in your homes until you press Ctrl-C.",
        discussion: """
            Without a target, the command prints all changes in all homes, or in the home given with --home, and the \
            runs and messages of automations. With a target, it prints changes of that accessory, room or zone.
            """)

    @Argument(help: "An accessory, ACCESSORY/PART, a room or a zone, by name or ID.")
    var target: String?

    @Argument(help: "The values to watch, by the names that homehub show prints.")
    var values: [String] = []

    @OptionGroup var options: HomeOptions

    func run(_ session: HomeSession) async throws {
        let manager = session.manager
        // Start listening first, to receive all events while notifications are being enabled.
        let events = manager.allEvents()
        let watch = try await watch(manager)
        let output = WatchOutput(session, await manager.homes)
        await withDiscardingTaskGroup { tasks in
            tasks.addTask {
                // An unresponsive accessory delays this call. In the meantime, events of other accessories are already
                // shown.
                await output.keep(manager.observe(watch.observed))
                session.sayThatItGoesOn("watching")
            }
            if watch.hasMessages {
                tasks.addTask {
                    guard let messages = try? await manager.messages() else { return }
                    for await message in messages { await output.show(message, watch) }
                }
            }
            for await event in events {
                if watch.isWatched(event) { await output.show(event) }
                guard case .manager(.homesUpdated) = event else { continue }
                tasks.addTask {
                    guard (try? await Task.sleep(for: AccessoryProblems.startupTimeout)) != nil else { return }
                    await output.showMissed(watch)
                }
            }
            tasks.cancelAll()
        }
        try Task.checkCancellation()
        throw HomeError(.daemonUnavailable)
    }

    private func watch(_ manager: HomeManager) async throws -> Watch {
        let homes = await manager.homes
        guard let target else { return Watch(everythingIn: try options.home.map { try homes.home($0).id }) }
        let home = try homes.home(options.home)
        let found = try home.valueTarget(target)
        var places: [ValuePlace] = []
        for value in values { places.append(try found.place(value)) }
        if values.isEmpty { places = found.places(allowing: .notify) }
        guard !places.isEmpty else {
            throw HomeError(.notificationNotSupported, detail: "\(found.name) doesn't report changes")
        }
        for place in places where !place.characteristic.metadata.permissions.contains(.notify) {
            throw HomeError(
                .notificationNotSupported,
                detail:
                    "\(place.shownName) doesn't report changes of \(place.characteristic.word); use \(ShellCommand.homehub) read"
            )
        }
        return Watch(places)
    }

}

private actor WatchOutput {
    private let session: HomeSession
    private var problems: AccessoryProblems
    private var observation: Observation?

    init(_ session: HomeSession, _ homes: [Home]) {
        self.session = session
        problems = AccessoryProblems(homes)
    }

    /// Keeps the observation, so that values continue to be reported.
    func keep(_ observation: Observation) { self.observation = observation }

    func show(_ event: HomeClientEvent) async {
        if case .accessory(let event) = event, case .reachabilityUpdated = event.change {
            guard problems.changed(event.accessory) else { return }
        }
        await write(event)
    }

    /// Prints a message of an automation.
    func show(_ message: TriggerMessage, _ watch: Watch) async {
        guard watch.isWatched(message) else { return }
        let home = await session.manager.homes.first { $0.id == message.home }
        let line = EventLine(message, in: home)
        session.print(
            line.text(at: WallClock.localText(of: message.time.millisecondsSince1970)),
            json: line.listing(name: "message", time: message.time))
    }

    /// Prints the accessories that became reachable or unreachable while the daemon was unavailable.
    func showMissed(_ watch: Watch) async {
        let homes = await session.manager.homes
        for accessory in problems.changed(in: homes) {
            let revision = homes.first { $0.id == accessory.home }?.revision ?? 0
            let event = HomeClientEvent.accessory(
                Accessory.Event(.reachabilityUpdated, to: accessory, revision: revision))
            if watch.isWatched(event) { await write(event) }
        }
    }

    private func write(_ event: HomeClientEvent) async {
        let line: EventLine
        var time = Timestamp.now
        switch event {
        case .manager(let event): line = EventLine(event)
        case .home(let event): line = EventLine(event)
        case .accessory(let event):
            if case .valueUpdated(_, let characteristic) = event.change { time = characteristic.valueTime ?? time }
            let homes = await session.manager.homes
            line = EventLine(event, in: homes.first { $0.id == event.accessory.home })
        }
        session.print(
            line.text(at: WallClock.localText(of: time.millisecondsSince1970)),
            json: line.listing(name: event.name, time: time))
    }
}

struct Watch {
    private enum Scope {
        /// All events, in one home or in all homes.
        case everything(Home.ID?)
        case values(Set<Characteristic.ID>, of: Set<Accessory.ID>)
    }

    private let scope: Scope

    init(everythingIn home: Home.ID?) { scope = .everything(home) }

    init(_ places: [ValuePlace]) {
        scope = .values(Set(places.map(\.characteristic.id)), of: Set(places.map(\.accessory.id)))
    }

    var observed: ObservationScope {
        switch scope {
        case .everything(nil): .everything
        case .everything(let home?): .home(home)
        case .values(let ids, _): .characteristics(ids)
        }
    }

    /// A Boolean value that indicates whether messages of automations are watched.
    var hasMessages: Bool { if case .everything = scope { true } else { false } }

    func isWatched(_ message: TriggerMessage) -> Bool {
        guard case .everything(let home) = scope else { return false }
        return home == nil || home == message.home
    }

    func isWatched(_ event: HomeClientEvent) -> Bool {
        switch (scope, event) {
        case (_, .manager(.authorizationStatusUpdated)): true
        case (.everything(nil), _): true
        case (.everything, .manager): false
        case (.everything(let home), .home(let event)): event.home.id == home
        case (.everything(let home), .accessory(let event)): event.accessory.home == home
        case (.values, .manager): false
        case (.values(_, let accessories), .home(let event)):
            switch event.change {
            case .accessoryRemoved(let accessory), .accessoryRoomUpdated(_, let accessory),
                .accessoryError(_, let accessory), .accessoryUnblocked(let accessory):
                accessories.contains(accessory.id)
            default: false
            }
        case (.values(let ids, let accessories), .accessory(let event)):
            if case .valueUpdated(_, let characteristic) = event.change {
                ids.contains(characteristic.id)
            } else {
                accessories.contains(event.accessory.id)
            }
        }
    }
}
