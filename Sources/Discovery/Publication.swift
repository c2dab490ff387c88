import AsyncKit
import Logging

/// Runs a ``PublicationMachine`` on Avahi's poll thread.
///
/// It handles events and actions in order.
final class Publication {
    private static let rereadDelay = Duration.milliseconds(500)
    private static let rereadInterval = Duration.seconds(5)

    private let client: AvahiClient
    private let shared: SharedPublication
    private let interfaces: @Sendable () -> [InterfaceFacts]
    private let logger: Logger
    private var machine = PublicationMachine()
    private var inputs: [PublicationMachine.Input] = []
    private var isRunning = false
    private var rereadAt: ContinuousClock.Instant?

    init(
        client: AvahiClient, shared: SharedPublication, interfaces: @escaping @Sendable () -> [InterfaceFacts],
        logger: Logger
    ) {
        self.client = client
        self.shared = shared
        self.interfaces = interfaces
        self.logger = logger
        inputs = [.interfacesSeen(interfaces())]
        rereadLater()
    }

    func happened(_ event: AvahiClient.Event) {
        switch event {
        case .woken:
            let orders = shared.takeOrders()
            run([.wanted(orders.wanted)])
            for withdrawal in orders.withdrawals { withdrawal.send() }
        case .timeReached:
            reread()
            run(actions: machine.timeReached(now: .now))
        case .networkChanged:
            // After a burst of changes, read the interfaces only once.
            rereadAt = rereadAt ?? .now + Self.rereadDelay
            run([])
        case .client(let state):
            run([.client(state)])
        case .registration(let state, let interface):
            run([.registration(state, on: interface)])
        case .browser, .resolver, .addresses:
            // This client doesn't browse.
            break
        }
    }

    private func run(_ received: [PublicationMachine.Input]) {
        inputs += received
        // libavahi calls back from inside calls to it. Such events are handled after the current call.
        if !isRunning { run(actions: []) }
    }

    private func run(actions: [PublicationMachine.Action]) {
        isRunning = true
        shared.calls.callBegan()
        actions.forEach(perform)
        while !inputs.isEmpty {
            let input = inputs.removeFirst()
            machine.received(input, now: .now).forEach(perform)
        }
        shared.calls.callEnded()
        isRunning = false

        let state = machine.state
        if shared.report(state) { log(state) }
        let moments = [machine.wakeAt, rereadAt].compactMap(\.self)
        client.setTimer(moments.min().map { ContinuousClock.now.duration(to: $0) })
    }

    private func perform(_ action: PublicationMachine.Action) {
        switch action {
        case .makeClient:
            if let refused = client.makeClient() { inputs.append(.client(refused)) }
        case .freeClient:
            client.freeClient()
            inputs.removeAll(where: \.isFromClient)
        case .addService(let interface, let name, let record):
            if let wrong = client.addService(on: interface, name: name, record: record) {
                inputs.append(.registration(wrong, on: interface))
            }
        case .updateText(let interface, let name, let record):
            logger.debug("service record updated", metadata: ["txt": "\(record.txt)"])
            if let reason = client.updateText(on: interface, name: name, record: record) {
                inputs.append(.callFailed(reason: "Avahi rejected a changed TXT record: \(reason)"))
            }
        case .removeService(let interface):
            client.removeService(on: interface)
            inputs.removeAll { $0.isRegistration(on: interface) }
        case .chooseName(let taken):
            let name = client.alternative(to: taken)
            logger.warning("publication collided", metadata: ["taken": "\(taken)", "name": "\(name)"])
            inputs.append(.nameChosen(name))
        }
    }

    private func reread() {
        guard let due = rereadAt, due <= .now else { return }
        rereadAt = nil
        inputs.append(.interfacesSeen(interfaces()))
        rereadLater()
    }

    private func rereadLater() {
        guard !client.watchesNetwork else { return }
        rereadAt = .now + Self.rereadInterval
    }

    private func log(_ state: PublicationState) {
        switch state {
        case .notAdvertised, .registering, .published:
            logger.info("publication changed", metadata: ["state": "\(state)"])
        case .waiting, .withheld, .failed:
            logger.warning("publication blocked", metadata: ["state": "\(state)"])
        }
    }
}

extension PublicationMachine.Input {
    fileprivate var isFromClient: Bool {
        switch self {
        case .client, .registration, .callFailed: true
        case .wanted, .interfacesSeen, .nameChosen: false
        }
    }

    fileprivate func isRegistration(on interface: Int32) -> Bool {
        guard case .registration(_, on: interface) = self else { return false }
        return true
    }
}
