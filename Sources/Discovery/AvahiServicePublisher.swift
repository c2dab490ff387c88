internal import AsyncKit
package import Logging

/// A publisher that uses the host's Avahi daemon over the system D-Bus, or over the bus in `DBUS_SYSTEM_BUS_ADDRESS`.
///
/// It keeps working if the Avahi daemon or the bus is missing, restarts or hangs. It never opens port 5353 itself.
package final class AvahiServicePublisher: ServicePublisher {
    /// The longest time to wait for a withdrawal.
    ///
    /// A service that isn't withdrawn in time disappears when the process ends, which closes the D-Bus connection.
    static let withdrawalDeadline = Duration.seconds(2)

    private let shared = SharedPublication()
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
        guard shared.start() else { return }
        let (client, shared, interfaces, logger) = (client, shared, interfaces, logger)
        let publication = Publication(client: client, shared: shared, interfaces: interfaces, logger: logger)
        try client.start { publication.happened($0) }
        client.wake()
    }

    package func publish(_ record: ServiceRecord?) {
        shared.order({ $0 = record }, wake: client.wake)
    }

    package func update(txt: TXTRecord) {
        shared.order({ $0?.txt = txt }, wake: client.wake)
    }

    @discardableResult
    package func withdraw() async -> Bool {
        guard let done = shared.orderWithdrawal(wake: client.wake) else { return true }
        return await done.wait(until: .now + Self.withdrawalDeadline)
    }

    package func stop() async {
        let confirmed = await withdraw()
        // Don't wait for a thread that hangs in a call. It ends with the process.
        if shared.close(), confirmed { client.close() }
    }

    package var state: PublicationState { shared.state }
}
