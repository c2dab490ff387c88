import Discovery
import HAPProtocol
import Logging
import Synchronization

/// Publishes the bridge's record as long as nothing else shows the same identity.
///
/// A thin shell around ``CloneWatch``: it hands on what the browser sees, makes the probes, and keeps the time.
final class UniquePublisher: Sendable {
    /// Tells whether something accepts a connection at one of the service's addresses, once.
    typealias Probe = @Sendable (DiscoveredService, _ tell: @escaping @Sendable (Bool) -> Void) -> Void

    private struct Contents {
        var watch: CloneWatch
        var record: ServiceRecord?
        var alarm: ContinuousClock.Instant?
        /// The last discovery error that was logged before the first look succeeded.
        var loggedDiscoveryError: String?
    }

    private let publisher: any ServicePublisher
    private let browser: any ServiceBrowser
    private let scheduler: any HAPProtocol.Scheduler
    private let probe: Probe
    private let logger: Logger
    private let contents: Mutex<Contents>

    init(
        publisher: any ServicePublisher, browser: any ServiceBrowser, watch: CloneWatch,
        scheduler: any HAPProtocol.Scheduler, logger: Logger, probe: @escaping Probe
    ) {
        self.publisher = publisher
        self.browser = browser
        self.scheduler = scheduler
        self.probe = probe
        self.logger = logger
        contents = Mutex(Contents(watch: watch))
    }

    func start() throws(DiscoveryError) {
        try browser.start()
        try publisher.start()
    }

    /// Watches out for clones until it is cancelled.
    func run() async {
        for await snapshot in browser.snapshots() {
            happened { $0.seen(snapshot, now: $1) }
            logDiscoveryError()
        }
    }

    /// Makes this the record that is to be seen, at once or when nothing stands against it any more.
    func publish(_ record: ServiceRecord) {
        contents.withLock { contents in
            contents.record = record
            if contents.watch.verdict.isAdvertised { publisher.publish(record) }
        }
        logDiscoveryError()
    }

    /// Takes the record off the network and ends; what the watch decides afterwards has no effect.
    func stop() async {
        contents.withLock { $0.record = nil }
        // Side by side: each may have to wait for a hung Avahi, and systemd does not wait for ever.
        async let browserEnds: Void = browser.stop()
        await publisher.stop()
        await browserEnds
    }

    var state: PublicationState {
        let (verdict, record) = contents.withLock { ($0.watch.verdict, $0.record) }
        guard record != nil else { return publisher.state }
        switch verdict {
        case .undecided:
            return .waiting(
                reason: browser.snapshot.discoveryError
                    ?? "first, this looks whether another host has the same identity")
        case .withhold(let clone): return .withheld(reason: Self.reason(clone))
        case .advertise, .prevail: return publisher.state
        }
    }

    /// Why nothing can be found or shown by mDNS on this host, if so.
    var discoveryError: String? { browser.snapshot.discoveryError }

    /// What the operator is to know beside the state.
    var warnings: [String] {
        if case .published = publisher.state, let discoveryError = browser.snapshot.discoveryError {
            return ["a second bridge of this identity would not be noticed: \(discoveryError)"]
        }
        guard case .prevail(let clone) = contents.withLock({ $0.watch.verdict }) else { return [] }
        return ["\(clone) shows this bridge's identity, too; stop that bridge, or run lamplighter reset there"]
    }

    private static func reason(_ clone: CloneWatch.Clone) -> String {
        "\(clone) has this bridge's identity; stop that bridge, or run lamplighter reset here"
    }

    // MARK: The watch

    private func happened(_ change: (inout CloneWatch, ContinuousClock.Instant) -> [DiscoveredService]) {
        let now = scheduler.now
        let (former, verdict, probes) = contents.withLock { contents in
            let former = contents.watch.verdict
            let probes = change(&contents.watch, now)
            let verdict = contents.watch.verdict
            // Under the lock, so that no older decision comes after a newer one; neither call waits.
            if let record = contents.record, former.isAdvertised != verdict.isAdvertised {
                publisher.publish(verdict.isAdvertised ? record : nil)
            }
            setAlarm(&contents)
            return (former, verdict, probes)
        }
        if verdict.isNew(after: former) { log(verdict, after: former) }
        for service in probes {
            probe(service) { [weak self] answers in
                self?.happened { $0.probed(service, answers: answers, now: $1) }
            }
        }
    }

    private func setAlarm(_ contents: inout Contents) {
        guard let due = contents.watch.wakeAt else { return }
        if let alarm = contents.alarm, alarm <= due { return }
        contents.alarm = due
        scheduler.schedule(at: due) { [weak self] in
            guard let self else { return }
            self.contents.withLock { if $0.alarm == due { $0.alarm = nil } }
            happened { $0.timeReached(now: $1) }
        }
    }

    /// Logs a discovery error that blocks the first look for clones, once; the publisher logs later ones.
    private func logDiscoveryError() {
        let discoveryError = contents.withLock { contents -> String? in
            guard contents.record != nil, contents.watch.verdict == .undecided else { return nil }
            let discoveryError = browser.snapshot.discoveryError
            defer { contents.loggedDiscoveryError = discoveryError ?? contents.loggedDiscoveryError }
            return discoveryError == contents.loggedDiscoveryError ? nil : discoveryError
        }
        guard let discoveryError else { return }
        logger.warning(
            "publication blocked", metadata: ["state": "\(PublicationState.waiting(reason: discoveryError))"])
    }

    private func log(_ verdict: CloneWatch.Verdict, after former: CloneWatch.Verdict) {
        switch verdict {
        case .undecided: break
        case .advertise:
            if former != .undecided {
                logger.notice("identity conflict resolved")
            }
        case .prevail(let clone):
            logger.warning(
                "identity conflict detected",
                metadata: [
                    "clone": "\(clone)", "advertised": "true",
                    "remedy": "stop the other bridge, or run lamplighter reset there",
                ])
        case .withhold(let clone):
            logger.warning(
                "identity conflict detected",
                metadata: [
                    "clone": "\(clone)", "advertised": "false",
                    "remedy": "stop the other bridge, or run lamplighter reset here",
                ])
        }
    }
}
