package import Logging

/// Publishes through the host's Avahi daemon, over the system D-Bus (or the one `DBUS_SYSTEM_BUS_ADDRESS` names).
///
/// It survives whatever becomes of either: absent, restarted, hung. It never opens port 5353 itself.
package final class AvahiServicePublisher: ServicePublisher {
    /// How long a withdrawal may take before it is left to the end of the process, which ends the D-Bus connection
    /// and by that the record.
    package static let withdrawalDeadline = Duration.seconds(2)

    private let desk = PublicationDesk()
    private let client: AvahiClient
    private let interfaces: @Sendable () -> [InterfaceFacts]
    private let logger: Logger

    package init(
        logger: Logger, interfaces: @escaping @Sendable () -> [InterfaceFacts] = InterfaceFacts.current
    ) throws(DiscoveryError) {
        self.client = try AvahiClient()
        self.interfaces = interfaces
        self.logger = logger
    }

    package func start() throws(DiscoveryError) {
        guard desk.start() else { return }
        let (client, desk, interfaces, logger) = (client, desk, interfaces, logger)
        let publication = Publication(client: client, desk: desk, interfaces: interfaces, logger: logger)
        try client.start { publication.happened($0) }
        client.wake()
    }

    package func publish(_ record: ServiceRecord?) {
        desk.order({ $0 = record }, wake: client.wake)
    }

    package func update(txt: TXTRecord) {
        desk.order({ $0?.txt = txt }, wake: client.wake)
    }

    @discardableResult
    package func withdraw() async -> Bool {
        guard let done = desk.orderWithdrawal(wake: client.wake) else { return true }
        return await done.ends(within: Self.withdrawalDeadline)
    }

    package func stop() async {
        let confirmed = await withdraw()
        // A thread that hangs in a call is not waited for: it ends with the process.
        if desk.close(), confirmed { client.close() }
        desk.finishListeners()
    }

    package var state: PublicationState { desk.state }

    package func states() -> AsyncStream<PublicationState> { desk.states() }
}
