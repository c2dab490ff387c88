import AsyncKit
import Synchronization

/// All listeners in the app.
final class Listeners: Sendable {
    private struct Contents {
        var lastNumber: UInt64 = 0
        var all: [UInt64: BoundedMailbox<HomeClientEvent>] = [:]
        var manager: [UInt64: BoundedMailbox<HomeManagerEvent>] = [:]
        var homes: [UInt64: (home: Home.ID, mailbox: BoundedMailbox<Home.Event>)] = [:]
        var accessories: [UInt64: (accessory: Accessory.ID, mailbox: BoundedMailbox<Accessory.Event>)] = [:]
        var isFinished = false
    }

    private let contents = Mutex(Contents())

    /// The number of listeners.
    var count: Int {
        contents.withLock { $0.all.count + $0.manager.count + $0.homes.count + $0.accessories.count }
    }

    // MARK: Subscribing

    func all() -> EventStream<HomeClientEvent> { stream(add: { $0.all[$1] = $2 }, remove: { $0.all[$1] = nil }) }

    func manager() -> EventStream<HomeManagerEvent> {
        stream(add: { $0.manager[$1] = $2 }, remove: { $0.manager[$1] = nil })
    }

    func home(_ id: Home.ID) -> EventStream<Home.Event> {
        stream(add: { $0.homes[$1] = (id, $2) }, remove: { $0.homes[$1] = nil })
    }

    func accessory(_ id: Accessory.ID) -> EventStream<Accessory.Event> {
        stream(add: { $0.accessories[$1] = (id, $2) }, remove: { $0.accessories[$1] = nil })
    }

    private func stream<Event>(
        add: (inout Contents, UInt64, BoundedMailbox<Event>) -> Void,
        remove: @escaping @Sendable (inout Contents, UInt64) -> Void
    ) -> EventStream<Event> {
        let mailbox = BoundedMailbox<Event>(limit: EventStream<Event>.limit)
        let number = contents.withLock { contents in
            contents.lastNumber += 1
            if contents.isFinished {
                mailbox.finish()
            } else {
                add(&contents, contents.lastNumber, mailbox)
            }
            return contents.lastNumber
        }
        return EventStream(mailbox) { [weak self] in self?.contents.withLock { remove(&$0, number) } }
    }

    // MARK: Notifying

    /// Notifies all listeners that an event concerns.
    func notify(_ event: HomeClientEvent, in graph: HomeGraph) {
        let contents = contents.withLock { $0 }
        for mailbox in contents.all.values { mailbox.post(event, summary: .manager(.homesUpdated)) }
        switch event {
        case .manager(let event):
            for mailbox in contents.manager.values { mailbox.post(event, summary: .homesUpdated) }
            guard event == .homesUpdated else { return }
            for (id, mailbox) in contents.homes.values {
                guard let home = graph.home(id) else { continue }
                let event = Home.Event(.homesUpdated, in: home)
                mailbox.post(event, summary: event)
            }
            for (id, mailbox) in contents.accessories.values {
                guard let accessory = graph.accessory(id), let home = graph.home(accessory.home) else { continue }
                let event = Accessory.Event(.homesUpdated, to: accessory, revision: home.revision)
                mailbox.post(event, summary: event)
            }
        case .home(let event):
            for (_, mailbox) in contents.homes.values.filter({ $0.home == event.home.id }) {
                mailbox.post(event, summary: Home.Event(.homesUpdated, in: event.home))
            }
        case .accessory(let event):
            for (_, mailbox) in contents.accessories.values.filter({ $0.accessory == event.accessory.id }) {
                mailbox.post(
                    event, summary: Accessory.Event(.homesUpdated, to: event.accessory, revision: event.revision))
            }
        }
    }

    /// Ends the streams of removed objects.
    func finish(_ gone: Replica.Gone) {
        guard !gone.isEmpty else { return }
        let contents = contents.withLock { $0 }
        for (id, mailbox) in contents.homes.values where gone.homes.contains(id) { mailbox.finish() }
        for (id, mailbox) in contents.accessories.values where gone.accessories.contains(id) { mailbox.finish() }
    }

    /// Drops all events that readers haven't taken.
    func clear() {
        let contents = contents.withLock { $0 }
        for mailbox in contents.all.values { mailbox.clear() }
        for mailbox in contents.manager.values { mailbox.clear() }
        for (_, mailbox) in contents.homes.values { mailbox.clear() }
        for (_, mailbox) in contents.accessories.values { mailbox.clear() }
    }

    /// Ends all streams when the manager ends.
    func finish() {
        let contents = contents.withLock { contents in
            contents.isFinished = true
            return contents
        }
        for mailbox in contents.all.values { mailbox.finish() }
        for mailbox in contents.manager.values { mailbox.finish() }
        for (_, mailbox) in contents.homes.values { mailbox.finish() }
        for (_, mailbox) in contents.accessories.values { mailbox.finish() }
    }
}

extension HomeManager {
    /// Returns the events of the homes as a whole, from now on.
    public nonisolated func events() -> EventStream<HomeManagerEvent> { listeners.manager() }

    /// Returns the events of a home, from now on, until it's removed.
    public nonisolated func events(in home: Home.ID) -> EventStream<Home.Event> { listeners.home(home) }

    /// Returns the events of an accessory, from now on, until it's removed.
    ///
    /// They include the values that this app observes; see ``observe(_:)``.
    public nonisolated func events(of accessory: Accessory.ID) -> EventStream<Accessory.Event> {
        listeners.accessory(accessory)
    }

    /// Returns all events in order, from now on.
    public nonisolated func allEvents() -> EventStream<HomeClientEvent> { listeners.all() }
}
