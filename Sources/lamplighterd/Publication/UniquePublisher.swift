import Discovery
import HAPProtocol
import Logging
import Synchronization
import SystemKit

/// Publishes the bridge's record as long as no other bridge has the same identity.
///
/// It passes browse results to a ``CloneWatch``, performs its probes, and schedules its timers.
final class UniquePublisher: Sendable {
    /// Calls `tell` once: with `true` if an address of the service accepts a connection, otherwise with `false`.
    typealias Probe = @Sendable (DiscoveredService, _ tell: @escaping @Sendable (Bool) -> Void) -> Void

    private struct Contents {
        var watch: CloneWatch
        var record: ServiceRecord?
        var alarm: ContinuousClock.Instant?
        /// The last discovery error that was logged before the first browse result.
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

    /// Watches for clones until the task is canceled.
    func run() async {
        for await snapshot in browser.snapshots() {
            happened { $0.seen(snapshot, now: $1) }
            logDiscoveryError()
        }
    }

    /// Publishes the record, or stores it until no other bridge has the same identity.
    func publish(_ record: ServiceRecord) {
        contents.withLock { contents in
            contents.record = record
            if contents.watch.verdict.isAdvertised { publisher.publish(record) }
        }
        logDiscoveryError()
    }

    /// Withdraws the record and stops.
    ///
    /// Later decisions of the ``CloneWatch`` have no effect.
    func stop() async {
        contents.withLock { $0.record = nil }
        // Stop both concurrently, because each may have to wait for an unresponsive Avahi daemon, and systemd's time
        // limit for the shutdown applies to their total.
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
                    ?? "checking whether another host has the same identity")
        case .withhold(let clone): return .withheld(reason: Self.reason(clone))
        case .advertise, .prevail: return publisher.state
        }
    }

    /// The reason why mDNS doesn't work on this host, if any.
    var discoveryError: String? { browser.snapshot.discoveryError }

    /// The warnings for the operator that aren't part of `state`.
    var warnings: [String] {
        if case .published = publisher.state, let discoveryError = browser.snapshot.discoveryError {
            return ["a second bridge with this identity wouldn't be detected: \(discoveryError)"]
        }
        guard case .prevail(let clone) = contents.withLock({ $0.watch.verdict }) else { return [] }
        return ["\(clone) also uses this bridge's identity; stop that bridge, or run lamplighter reset there"]
    }

    private static func reason(_ clone: CloneWatch.Clone) -> String {
        "\(clone) has this bridge's identity; stop that bridge, or run \(ShellCommand.lamplighter) reset here"
    }

    // MARK: Clone detection

    private func happened(_ change: (inout CloneWatch, ContinuousClock.Instant) -> [DiscoveredService]) {
        let now = scheduler.now
        let (former, verdict, probes) = contents.withLock { contents in
            let former = contents.watch.verdict
            let probes = change(&contents.watch, now)
            let verdict = contents.watch.verdict
            // Publish and withdraw the record inside the lock, so that decisions take effect in order. These calls
            // don't block.
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

    /// Logs an error that prevents the first search for clones, once for each different error.
    ///
    /// The publisher logs later errors.
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
