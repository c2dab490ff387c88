import AsyncKit
import BoundedJSON
import HAPModel
import HomeClient
import HomeModel
import HomePresentation
import ServiceLifecycle
import Synchronization
import Texts

/// The changes of an open page, as events with rendered HTML.
///
/// - `main` replaces the content of the page, `part` one element of it, `notice` the line above it. `gone` opens another
///   page.
/// - Only values on the page are observed, and only while the page is open.
struct LiveStream: Sendable {
    /// The time within which changes are rendered together.
    private static let pace = Duration.milliseconds(80)
    /// The interval at which the visitor's permission is checked again.
    private static let checkInterval = Duration.seconds(1)
    /// The interval of `beat` events in seconds.
    ///
    /// After three missing events, a browser reports a lost connection.
    private static let beatInterval = 5
    /// The interval in seconds at which countdowns and ages are rendered again.
    private static let clockInterval = 10

    let site: Site
    let page: any LivePage
    let visitor: Visitor
    /// The ``mark(of:)`` of the content that the browser has.
    let mark: String?

    /// Returns a short hash of content.
    static func mark(of content: String) -> String { Assets.hash(of: content.utf8) }

    private let pending = Pending()

    func stop() { pending.end() }

    /// Writes events until the browser disconnects or the visitor loses the permission.
    func run(_ send: (String) async throws -> Void) async throws {
        let watching = Watching(site: site)
        let changes = await page.changes(site)
        let sources = Task {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    for await _ in site.manager.snapshots() { pending.put() }
                    pending.end()
                }
                if let changes { group.addTask { for await _ in changes { pending.put() } } }
            }
        }
        defer {
            sources.cancel()
            Task { await watching.end(after: Watching.linger) }
        }
        try await withGracefulShutdownHandler {
            try await draw(send, watching)
        } onGracefulShutdown: { [pending] in
            pending.end()
        }
    }

    private func draw(_ send: (String) async throws -> Void, _ watching: Watching) async throws {
        var drawing = Drawing(stream: self)
        let beat = Self.event("beat", ["seconds": .integer(Int64(Self.beatInterval))])
        try await send(beat)
        var checks = 0
        var checkAt = ContinuousClock.now + Self.checkInterval
        while true {
            var isDue = await pending.wait(until: checkAt)
            guard !pending.isOver, !Task.isCancelled else { return }
            guard site.people.admits(visitor) else { return try await send(Self.event("gone", ["path": "/enter"])) }
            if checkAt <= .now {
                checkAt = .now + Self.checkInterval
                checks += 1
                if checks.isMultiple(of: Self.beatInterval) { try await send(beat) }
                if drawing.isHubConnected != (await site.manager.isConnected) { isDue = true }
                if checks.isMultiple(of: Self.clockInterval), drawing.isTimeDependent { isDue = true }
            }
            guard isDue, let moment = try? await site.moment(visitor, choice: page.choice) else { continue }
            let events = await drawing.events(for: moment)
            if !events.isEmpty { try await send(events.joined()) }
            if let values = drawing.valuesToWatch {
                drawing.valuesToWatch = nil
                Task {
                    await watching.watch(values.all, reading: values.readable)
                    pending.put()
                }
            }
            try await Task.sleep(for: Self.pace)
        }
    }

    static func event(_ name: String, _ content: JSONValue) -> String { "event: \(name)\ndata: \(content.text)\n\n" }
}

/// A signal that a redraw is due, or that the browser has disconnected.
private final class Pending: Sendable {
    private let signal = AsyncSignal()
    private let ended = Atomic(false)

    var isOver: Bool { ended.load(ordering: .acquiring) }

    func put() { signal.send() }

    func end() {
        ended.store(true, ordering: .releasing)
        signal.send()
    }

    /// Waits for a redraw request and clears it.
    ///
    /// Returns `false` if the deadline passes first.
    func wait(until deadline: ContinuousClock.Instant) async -> Bool { await signal.wait(until: deadline) }
}

/// The content that a browser has received.
private struct Drawing {
    let stream: LiveStream
    private var home: Home?
    /// The ``LiveStream/mark(of:)`` of the last drawn content, which needs less memory than the content of each open page.
    private var mark: String?
    /// The last drawn content if it has parts, which are redrawn one by one.
    private var drawn: PageContent?
    private var parts: [String: String] = [:]
    private var current: Set<Characteristic.ID> = []
    private var isCurrent = true
    private var shown: Set<Characteristic.ID> = []
    private var lastSnapshot: HomeSnapshot?
    private var display: HomeDisplay?
    private var version: UInt64?
    private(set) var isHubConnected: Bool?
    /// Whether the content depends on the time.
    private(set) var isTimeDependent = false
    /// The values to observe, or `nil` if they haven't changed.
    var valuesToWatch: (all: Set<Characteristic.ID>, readable: Set<Characteristic.ID>)?

    init(stream: LiveStream) { self.stream = stream }

    mutating func events(for moment: Moment) async -> [String] {
        var events: [String] = []
        if isCurrent != moment.snapshot.isCurrent, !moment.homes.isEmpty || moment.snapshot.isCurrent {
            isCurrent = moment.snapshot.isCurrent
            events.append(LiveStream.event("notice", ["text": .string(isCurrent ? "" : Notice.away)]))
        }
        let page = stream.page
        let new = page.home(moment)
        let isOther =
            lastSnapshot?.isVisible != moment.snapshot.isVisible || lastSnapshot?.homeNames != moment.snapshot.homeNames
            || moment.homes.isEmpty && isHubConnected != moment.isHubConnected
        isHubConnected = moment.isHubConnected
        if let version = page.version {
            guard mark == nil || isOther || version != self.version else { return events }
            self.version = version
            lastSnapshot = moment.snapshot
            await drawAll(moment, &events)
            return events
        }
        let isRearranged = display != page.display(moment)
        display = page.display(moment)
        let counting = new?.timeDependent ?? []
        isTimeDependent = !counting.isEmpty
        var redraw = mark == nil || isOther || isRearranged ? .everything : redraw(new)
        if case .rows(let rows) = redraw { redraw = .rows(rows.union(counting)) }
        if case .nothing = redraw, isTimeDependent { redraw = .rows(counting) }
        let hasReturned = new.map { $0.hasReturned(since: home) } ?? []
        let isBack = lastSnapshot?.isCurrent == false && moment.snapshot.isCurrent
        let newCurrent = moment.read.intersection(shown)
        let currentChanged = current != newCurrent
        if case .nothing = redraw, !currentChanged, page.parts([], moment) != nil {
            lastSnapshot = moment.snapshot
            return events
        }
        defer {
            home = new
            lastSnapshot = moment.snapshot
            current = moment.read.intersection(shown)
        }
        if case .everything = redraw {
            await drawAll(moment, &events)
        } else {
            var changed: Set<HomeModel.Service.ID> = []
            if case .rows(let rows) = redraw { changed = rows }
            if currentChanged { changed.formUnion(new?.accessories.flatMap(\.services).map(\.id) ?? []) }
            if let drawn = page.parts(changed, moment) {
                for (id, html) in drawn where parts[id] != html {
                    parts[id] = html
                    events.append(LiveStream.event("part", ["id": .string(id), "html": .string(html)]))
                }
            } else {
                await drawAll(moment, &events)
            }
        }
        if !hasReturned.isEmpty || isBack {
            // Values from before the outage are stale.
            stream.site.freshness.forget(isBack ? Array(shown) : hasReturned)
            watch(shown, moment)
        }
        return events
    }

    private func redraw(_ new: Home?) -> Redraw {
        guard let new else { return home == nil ? .nothing : .everything }
        return new.redraw(since: home)
    }

    private mutating func drawAll(_ moment: Moment, _ events: inout [String]) async {
        let content = await stream.page.content(moment)
        if let successor = content.successor {
            events.append(LiveStream.event("gone", ["path": .string(successor.localPath)]))
            return
        }
        if content.values != shown {
            shown = content.values
            watch(shown, moment)
        }
        // The browser has the content of the page request, or the content from before a lost connection.
        let former = mark ?? stream.mark
        let new = LiveStream.mark(of: content.main)
        let old = drawn
        (mark, drawn) = (new, content.parts.isEmpty && content.rows == nil ? nil : content)
        guard former != new || !parts.isEmpty else { return }
        if let old, parts.isEmpty, let changed = content.parts(changedSince: old) {
            events += changed.map { LiveStream.event("part", ["id": .string($0.id), "html": .string($0.html)]) }
            return
        }
        if let old = old?.rows, let changes = content.rows?.changes(since: old) {
            events += changes.map { change in
                var event: JSONObject = ["id": .string(change.id), "html": .string(change.html)]
                if let first = change.first { event["first"] = .string(first) }
                return LiveStream.event("part", .object(event))
            }
            return
        }
        parts = [:]
        events.append(
            LiveStream.event("main", ["title": .string(content.title.sanitizedForPage), "html": .string(content.main)]))
    }

    private mutating func watch(_ values: Set<Characteristic.ID>, _ moment: Moment) {
        let readable = stream.page.home(moment).map { $0.readable(values) } ?? []
        valuesToWatch = (values, readable)
    }
}

/// The notice above every page.
enum Notice {
    static var away: String {
        localized("The home hub isn't responding. This page shows the last known state and reconnects automatically.")
    }
}

extension HomeSnapshot {
    /// The names of the homes, which pages link to.
    fileprivate var homeNames: [String] { homes.map(\.name) }

    /// Whether there is a home to show and access is allowed.
    fileprivate var isVisible: Bool { authorizationStatus.contains(.authorized) && !homes.isEmpty }
}

extension Home {
    /// The services whose state contains the rest of a countdown or the age of a value.
    fileprivate var timeDependent: Set<HomeModel.Service.ID> {
        let services = accessories.flatMap(\.services).filter { service in
            (service.characteristic(.remainingDuration)?.value?.number ?? 0) > 0
                || service.characteristics.contains(where: \.isOutdated)
        }
        return Set(services.map(\.id))
    }

    /// Returns the readable characteristics among `values`, without those of unreachable accessories.
    func readable(_ values: Set<Characteristic.ID>) -> Set<Characteristic.ID> {
        var readable: Set<Characteristic.ID> = []
        for accessory in accessories where accessory.problem == nil {
            for characteristic in accessory.services.flatMap(\.characteristics)
            where characteristic.isWorthReading && values.contains(characteristic.id) {
                readable.insert(characteristic.id)
            }
        }
        return readable
    }

    /// Returns the characteristics of accessories that had a problem in the old home and have none now.
    fileprivate func hasReturned(since old: Home?) -> [Characteristic.ID] {
        guard let old, old.id == id, old.accessories.count == accessories.count else { return [] }
        return zip(old.accessories, accessories).filter { $0.0.problem != nil && $0.1.problem == nil }
            .flatMap { $0.1.services.flatMap(\.characteristics).map(\.id) }
    }
}
