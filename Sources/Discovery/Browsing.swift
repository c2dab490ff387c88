import AsyncKit
import Logging

/// Runs a ``BrowseMachine`` on Avahi's poll thread.
///
/// It handles events and actions in order.
final class Browsing {
    private let type: String
    private let client: AvahiClient
    private let shared: SharedBrowsing
    private let logger: Logger
    private var machine: BrowseMachine
    private var inputs: [BrowseMachine.Input] = []
    private var isRunning = false
    private var discoveryError: String?

    init(
        type: String, client: AvahiClient, shared: SharedBrowsing, isWanted: @escaping @Sendable (String) -> Bool,
        logger: Logger
    ) {
        self.type = type
        self.client = client
        self.shared = shared
        self.logger = logger
        machine = BrowseMachine(isWanted: isWanted)
    }

    func happened(_ event: AvahiClient.Event) {
        switch event {
        case .woken:
            guard let released = shared.takeRelease() else {
                return run(shared.takeRefresh() ? [.start, .refresh] : [.start])
            }
            run([.stop])
            released.send()
        case .timeReached: run(actions: machine.timeReached(now: .now))
        case .client(let state): run([.client(state)])
        case .browser(let event): run([.browser(event)])
        case .resolver(let event, let announcement): run([.resolver(event, of: announcement)])
        case .addresses(let event, let host): run([.addresses(event, of: host)])
        case .networkChanged, .registration:
            // Avahi itself follows the interfaces, and this client publishes nothing.
            break
        }
    }

    private func run(_ event: [BrowseMachine.Input]) {
        inputs += event
        // libavahi calls back from inside calls to it. Such events are handled after the current call.
        if !isRunning { run(actions: []) }
    }

    private func run(actions: [BrowseMachine.Action]) {
        isRunning = true
        shared.calls.callBegan()
        actions.forEach(perform)
        while !inputs.isEmpty {
            let input = inputs.removeFirst()
            if input == .client(.running), let name = client.hostName {
                _ = machine.received(.hostName(name), now: .now)
            }
            machine.received(input, now: .now).forEach(perform)
        }
        shared.calls.callEnded()
        isRunning = false

        let snapshot = machine.snapshot
        shared.report(snapshot)
        if discoveryError != snapshot.discoveryError {
            discoveryError = snapshot.discoveryError
            if let discoveryError {
                logger.debug("browsing failed", metadata: ["type": "\(type)", "error": "\(discoveryError)"])
            } else {
                logger.debug("browsing recovered", metadata: ["type": "\(type)"])
            }
        }
        client.setTimer(machine.wakeAt.map { ContinuousClock.now.duration(to: $0) })
    }

    private func perform(_ action: BrowseMachine.Action) {
        switch action {
        case .makeClient:
            if let refused = client.makeClient() { inputs.append(.client(refused)) }
        case .freeClient:
            client.freeClient()
            inputs.removeAll()
        case .browse:
            inputs.removeAll { $0.isOfBrowser }
            if let reason = client.browse(type: type) { failed(reason) }
        case .resolve(let announcement):
            if let reason = client.resolve(announcement, type: type) { failed(reason) }
        case .stopResolving(let announcement):
            client.stopResolving(announcement)
            inputs.removeAll { $0.isResolver(of: announcement) }
        case .browseAddresses(let host):
            // If this fails, the address from the resolver is still used.
            if let reason = client.browseAddresses(of: host) {
                logger.debug("address lookup failed", metadata: ["host": "\(host.name)", "error": "\(reason)"])
            }
        case .stopBrowsingAddresses(let host):
            client.stopBrowsingAddresses(of: host)
            inputs.removeAll { $0.isOfAddresses(of: host) }
        }
    }

    /// Handles a failed call.
    ///
    /// The remaining inputs are dropped, because each further call could block for 25 s if the bus hangs.
    private func failed(_ reason: String) {
        inputs = [.browser(.failed(reason: reason))]
    }
}

extension BrowseMachine.Input {
    fileprivate var isOfBrowser: Bool {
        switch self {
        case .browser, .resolver, .addresses: true
        case .start, .refresh, .stop, .client, .hostName: false
        }
    }

    fileprivate func isResolver(of announcement: BrowseMachine.Announcement) -> Bool {
        guard case .resolver(_, of: announcement) = self else { return false }
        return true
    }

    fileprivate func isOfAddresses(of host: BrowseMachine.Host) -> Bool {
        guard case .addresses(_, of: host) = self else { return false }
        return true
    }
}
