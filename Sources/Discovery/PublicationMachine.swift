import AsyncKit

/// Decides which requests to make to Avahi, so that one service stays visible.
///
/// The machine is independent of libavahi. ``received(_:now:)`` takes an event and returns the next actions. The owner
/// also calls ``timeReached(now:)`` at ``wakeAt``. Three concerns are separate:
///
/// - the *link* to the Avahi daemon, which may not be running, or may still be choosing its host name;
/// - the *name*: after a collision, the next name is chosen. It is kept until this process ends, even if the Avahi
///   daemon restarts or another record with the same wanted name is published. After a further collision, the next name
///   is chosen no earlier than a minute after the previous choice;
/// - one *registration* per interface, so that an interface that appears or disappears doesn't affect the others.
///
/// A changed TXT record never removes a registration. It is updated in place, or once the probing of the name is
/// complete.
struct PublicationMachine {
    enum Input: Equatable {
        /// The service to publish, or `nil` for none.
        case wanted(ServiceRecord?)
        case interfacesSeen([InterfaceFacts])
        case client(ClientState)
        case registration(RegistrationState, on: Int32)
        case nameChosen(String)
        /// A call failed or wasn't answered, so the state of the registrations in the daemon is unknown.
        case callFailed(reason: String)
    }

    enum RegistrationState: Equatable {
        case probing
        case established
        case collision
        case failed(reason: String)
    }

    enum Action: Equatable {
        case makeClient
        /// Frees the client and all registrations.
        case freeClient
        case addService(on: Int32, name: String, record: ServiceRecord)
        case updateText(on: Int32, name: String, record: ServiceRecord)
        case removeService(on: Int32)
        /// Chooses the next name. The result is the input ``Input/nameChosen(_:)``.
        case chooseName(after: String)
    }

    static let retryInterval = Duration.seconds(1)
    static let probingDeadline = Duration.seconds(10)
    static let renameInterval = Duration.seconds(60)

    private enum Link: Equatable {
        case none
        /// There is no client. The next one is created at the given time.
        case down(reason: String, until: ContinuousClock.Instant, refused: Bool)
        case connecting
        case registering
        case running
    }

    private struct Registration {
        /// The deadline for probing, or `nil` once the service is established.
        var deadline: ContinuousClock.Instant?
        var txt: TXTRecord
    }

    private var record: ServiceRecord?
    private var link = Link.none
    private var clientMadeAt: ContinuousClock.Instant?
    private var backoff = Backoff()

    private var name: String?
    private var renames: [String: String] = [:]
    private var renamedAt: ContinuousClock.Instant?
    private var renameAt: ContinuousClock.Instant?

    private var interfaces = DebouncedInterfaces()
    private var registrations: [Int32: Registration] = [:]

    // MARK: Input

    mutating func received(_ input: Input, now: ContinuousClock.Instant) -> [Action] {
        switch input {
        case .wanted(let record): wanted(record, now: now)
        case .interfacesSeen(let facts): interfacesSeen(facts, now: now)
        case .client(let state): clientBecame(state, now: now)
        case .registration(let state, let interface): registrationBecame(state, on: interface, now: now)
        case .nameChosen(let name): nameChosen(name, now: now)
        case .callFailed(let reason): refused(reason, now: now)
        }
    }

    /// Performs due work, if any.
    mutating func timeReached(now: ContinuousClock.Instant) -> [Action] {
        guard record != nil else { return [] }
        switch link {
        case .down(_, let until, _):
            return until <= now ? makeClient(now: now) : []
        case .none, .connecting, .registering, .running:
            break
        }
        if registrations.values.contains(where: { $0.deadline.map { $0 <= now } ?? false }) {
            return refused("Avahi didn't finish probing the name within \(Self.probingDeadline)", now: now)
        }
        if let due = renameAt, due <= now, let name {
            renameAt = nil
            renamedAt = now
            return [.chooseName(after: name)]
        }
        return interfaces.applyDue(now: now) ? reconcile(now: now) : []
    }

    /// The time at which to call ``timeReached(now:)`` next.
    var wakeAt: ContinuousClock.Instant? {
        guard record != nil else { return nil }
        var moments = registrations.values.compactMap(\.deadline)
        if case .down(_, let until, _) = link { moments.append(until) }
        if let renameAt { moments.append(renameAt) }
        if let due = interfaces.dueAt { moments.append(due) }
        return moments.min()
    }

    var state: PublicationState {
        guard record != nil, let name else { return .notAdvertised }
        switch link {
        case .none: return .notAdvertised
        case .down(let reason, _, let refused): return refused ? .failed(reason: reason) : .waiting(reason: reason)
        case .connecting: return .waiting(reason: "the Avahi daemon isn't running")
        case .registering: return .waiting(reason: "the Avahi daemon is still choosing its host name")
        case .running: break
        }
        if renameAt != nil {
            return .waiting(reason: "the name \"\(name)\" is also taken; trying another name within a minute")
        }
        if registrations.values.contains(where: { $0.deadline == nil }) { return .published(name: name) }
        if registrations.isEmpty { return .waiting(reason: "no network interface to publish on") }
        return .registering(name: name)
    }

    // MARK: Implementation

    private mutating func wanted(_ wanted: ServiceRecord?, now: ContinuousClock.Instant) -> [Action] {
        guard let wanted else {
            // Freeing the client would also remove the service, but only explicit removals show when Avahi has
            // processed them.
            let actions = holdsClient ? removeAll() + [.freeClient] : []
            record = nil
            link = .none
            registrations = [:]
            renameAt = nil
            backoff.succeeded()
            return actions
        }
        let before = record
        record = wanted
        interfaces.select(wanted.interfaces)
        if before?.name != wanted.name {
            name = renames[wanted.name] ?? wanted.name
            renameAt = nil
        }
        guard let before, link != .none else { return makeClient(now: now) }

        var unchanged = before
        unchanged.txt = wanted.txt
        unchanged.interfaces = wanted.interfaces
        if case .down(_, _, refused: true) = link, unchanged != wanted {
            backoff.succeeded()
            return makeClient(now: now)
        }
        guard link == .running else { return [] }
        let removals = unchanged == wanted ? [] : removeAll()
        return removals + reconcile(now: now)
    }

    private mutating func interfacesSeen(_ facts: [InterfaceFacts], now: ContinuousClock.Instant) -> [Action] {
        interfaces.seen(facts, now: now) ? reconcile(now: now) : []
    }

    private mutating func clientBecame(_ state: ClientState, now: ContinuousClock.Instant) -> [Action] {
        guard record != nil else { return [] }
        switch state {
        case .refused(let reason):
            link = .down(reason: reason, until: now + Self.retryInterval, refused: false)
            return []
        case .connecting:
            link = .connecting
            return removeAll()
        case .registering:
            link = .registering
            return removeAll()
        case .running:
            link = .running
            return reconcile(now: now)
        case .failed(let reason):
            registrations = [:]
            let next = (clientMadeAt ?? now) + Self.retryInterval
            guard next <= now else {
                link = .down(reason: reason, until: next, refused: false)
                return [.freeClient]
            }
            return [.freeClient] + makeClient(now: now)
        }
    }

    private mutating func registrationBecame(
        _ state: RegistrationState, on interface: Int32, now: ContinuousClock.Instant
    ) -> [Action] {
        guard let record, let name, link == .running, registrations[interface] != nil else { return [] }
        switch state {
        case .probing:
            return []
        case .established:
            backoff.succeeded()
            registrations[interface]?.deadline = nil
            return reconcile(now: now)
        case .collision:
            let removals = removeAll()
            if let earliest = renamedAt.map({ $0 + Self.renameInterval }), earliest > now {
                renameAt = earliest
                return removals
            }
            renamedAt = now
            return removals + [.chooseName(after: name)]
        case .failed(let reason):
            return refused("Avahi rejected \(record.type): \(reason)", now: now)
        }
    }

    private mutating func nameChosen(_ chosen: String, now: ContinuousClock.Instant) -> [Action] {
        guard let record else { return [] }
        renames[record.name] = chosen
        name = chosen
        return removeAll() + reconcile(now: now)
    }

    /// Handles a refusal: frees the client, and creates another client after an exponentially growing delay, because
    /// the error is likely to repeat.
    private mutating func refused(_ reason: String, now: ContinuousClock.Instant) -> [Action] {
        guard record != nil, holdsClient else { return [] }
        registrations = [:]
        link = .down(reason: reason, until: now + backoff.failed(), refused: true)
        return [.freeClient]
    }

    private mutating func makeClient(now: ContinuousClock.Instant) -> [Action] {
        link = .connecting
        clientMadeAt = now
        return [.makeClient]
    }

    private mutating func removeAll() -> [Action] {
        let interfaces = registrations.keys.sorted()
        registrations = [:]
        return interfaces.map { .removeService(on: $0) }
    }

    /// Returns the minimal actions that make the registrations match the record and the interfaces.
    private mutating func reconcile(now: ContinuousClock.Instant) -> [Action] {
        guard let record, let name, link == .running, renameAt == nil else { return [] }
        let targets = interfaces.chosen
        var actions: [Action] = []
        for interface in registrations.keys.sorted() where !targets.contains(interface) {
            registrations[interface] = nil
            actions.append(.removeService(on: interface))
        }
        for interface in targets {
            if let registration = registrations[interface] {
                guard registration.deadline == nil, registration.txt != record.txt else { continue }
                registrations[interface]?.txt = record.txt
                actions.append(.updateText(on: interface, name: name, record: record))
            } else {
                registrations[interface] = Registration(deadline: now + Self.probingDeadline, txt: record.txt)
                actions.append(.addService(on: interface, name: name, record: record))
            }
        }
        return actions
    }

    private var holdsClient: Bool {
        switch link {
        case .none, .down: false
        case .connecting, .registering, .running: true
        }
    }
}
