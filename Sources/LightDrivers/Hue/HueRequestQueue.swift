import DeviceKit

/// The waiting and unanswered requests to a bridge.
///
/// At most two requests are in flight, because a bridge rejects more than three at a time and the event stream is one
/// of them. Commands precede queries. Pacing keeps the bridge's radio from being overloaded.
struct HueRequestQueue: Sendable {
    enum Request: Equatable, Sendable {
        /// Reads all resources of a type.
        case read(String)
        case command(LightCommand, to: LightID, number: Int)
        case identify(LightID, number: Int)
    }

    struct Entry: Equatable, Sendable {
        let number: Int
        var request: Request
        let queuedAt: Duration
        var attempts = 0
        fileprivate(set) var notBefore: Duration = .zero
        /// A Boolean value that indicates whether the host was already notified that the command is accepted.
        fileprivate(set) var isAccepted = false
    }

    static let lanes = 2
    /// The time in the queue after which a command counts as accepted.
    ///
    /// It is less than 2 s, after which the host gives up.
    static let acceptDelay = Duration.milliseconds(1500)
    static let maximumAttempts = 10

    private var waiting: [Entry] = []
    private(set) var underWay: [Entry?] = Array(repeating: nil, count: lanes)
    /// Signify recommends at most ten commands per second to lights and one per second to groups.
    private var lightPace = Pace(interval: .milliseconds(100), burst: 10)
    private var groupPace = Pace(interval: .seconds(1), burst: 2)
    private var lastNumber = 0

    /// Adds a request.
    ///
    /// A command is merged with a command to the same light that counts as accepted but is still waiting.
    mutating func add(_ request: Request, now: Duration) {
        if case .command(let command, let light, let number) = request,
            let index = waiting.firstIndex(where: { $0.isAccepted && $0.request.light == light }),
            case .command(let older, _, _) = waiting[index].request
        {
            waiting[index].request = .command(older.merging(command), to: light, number: number)
            waiting[index].isAccepted = false
            return
        }
        lastNumber += 1
        let entry = Entry(number: lastNumber, request: request, queuedAt: now)
        let place = request.isRead ? waiting.endIndex : waiting.firstIndex { $0.request.isRead } ?? waiting.endIndex
        waiting.insert(entry, at: place)
    }

    var isReading: Bool {
        waiting.contains { $0.request.isRead } || underWay.contains { $0?.request.isRead == true }
    }

    /// Returns the next request and its lane, or `nil` if no request may be sent now.
    ///
    /// `isGroup` returns whether a light is a group.
    mutating func transmit(now: Duration, isGroup: (LightID) -> Bool) -> (lane: Int, entry: Entry)? {
        guard let lane = underWay.firstIndex(where: { $0 == nil }),
            let index = waiting.firstIndex(where: { mayAt($0, isGroup).map { $0 <= now } ?? false })
        else { return nil }
        var entry = waiting.remove(at: index)
        entry.attempts += 1
        if let light = entry.request.light {
            if isGroup(light) { groupPace.sent(now: now) } else { lightPace.sent(now: now) }
        }
        underWay[lane] = entry
        return (lane, entry)
    }

    /// Returns the earliest time at which an entry may be sent.
    ///
    /// - Returns: The time, or `nil` if another request must be answered first.
    private func mayAt(_ entry: Entry, _ isGroup: (LightID) -> Bool) -> Duration? {
        // Send only one query at a time, so that the other lane remains free for commands.
        if entry.request.isRead, underWay.contains(where: { $0?.request.isRead == true }) { return nil }
        guard let light = entry.request.light else { return entry.notBefore }
        return max(entry.notBefore, isGroup(light) ? groupPace.mayAt : lightPace.mayAt)
    }

    /// Frees the lane of an answered request.
    ///
    /// Returns the request, or `nil` if it isn't in flight on this lane.
    mutating func answered(lane: Int, number: Int) -> Entry? {
        guard underWay.indices.contains(lane), let entry = underWay[lane], entry.number == number else { return nil }
        underWay[lane] = nil
        return entry
    }

    /// Queues a request again after the bridge rejected it because of overload.
    ///
    /// Returns `false` if the request has failed too often or a newer request replaces it.
    mutating func retry(_ entry: Entry, now: Duration) -> Bool {
        guard entry.attempts < Self.maximumAttempts else { return false }
        // A newer request for the same light replaces this one.
        if let light = entry.request.light, waiting.contains(where: { $0.request.light == light }) { return false }
        var entry = entry
        entry.notBefore = now + .milliseconds(250) * entry.attempts
        waiting.insert(entry, at: 0)
        return true
    }

    /// Returns the commands that have waited long enough to count as accepted.
    mutating func takeAccepted(now: Duration) -> [Int] {
        var accepted: [Int] = []
        for index in waiting.indices where !waiting[index].isAccepted {
            guard let number = waiting[index].request.command, waiting[index].queuedAt + Self.acceptDelay <= now else {
                continue
            }
            waiting[index].isAccepted = true
            accepted.append(number)
        }
        return accepted
    }

    /// Removes a waiting command that the host has canceled, unless it counts as accepted.
    mutating func cancel(command: Int) { waiting.removeAll { $0.request.command == command && !$0.isAccepted } }

    /// The time at which ``transmit(now:isGroup:)`` or ``takeAccepted(now:)`` must be called next; `nil` if nothing is
    /// due.
    func deadline(isGroup: (LightID) -> Bool) -> Duration? {
        let isFree = underWay.contains { $0 == nil }
        return waiting.flatMap { entry in
            let accept = entry.isAccepted || entry.request.command == nil ? nil : entry.queuedAt + Self.acceptDelay
            return [isFree ? mayAt(entry, isGroup) : nil, accept].compactMap { $0 }
        }.min()
    }
}

extension HueRequestQueue.Request {
    var isRead: Bool {
        if case .read = self { true } else { false }
    }

    var command: Int? {
        switch self {
        case .read: nil
        case .command(_, _, let number), .identify(_, let number): number
        }
    }

    /// The light whose state the request changes.
    var light: LightID? {
        switch self {
        case .read, .identify: nil
        case .command(_, let light, _): light
        }
    }
}
