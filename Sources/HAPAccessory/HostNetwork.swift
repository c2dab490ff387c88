package import Discovery
package import HAPProtocol
package import HAPTransport
package import Logging
package import NIOCore

/// The clock, the listener and the mDNS publisher that a host uses.
package protocol HostNetwork: Sendable {
    /// Returns the clock for the server's time limits.
    func scheduler(on loop: any EventLoop) -> any HAPProtocol.Scheduler

    /// Starts accepting connections on a port; 0 selects a free port.
    ///
    /// - Throws: `ListenerError`.
    func listen(
        on port: Int, for server: any AccessoryConnectionHandler, loop: any EventLoop, logger: Logger
    ) async throws(ListenerError) -> any HostListener

    /// Returns a publisher for the host's record.
    ///
    /// - Throws: `DiscoveryError`.
    func publisher(logger: Logger) throws(DiscoveryError) -> any ServicePublisher
}

/// A listener that accepts a host's connections until the listener is closed.
package protocol HostListener: Sendable {
    var port: Int { get }

    /// Stops accepting connections; existing ones stay open.
    func close() async
}

extension AccessoryListener: HostListener {}

/// The system's network: TCP on all interfaces, and mDNS through Avahi.
struct SystemNetwork: HostNetwork {
    func scheduler(on loop: any EventLoop) -> any HAPProtocol.Scheduler { EventLoopScheduler(loop) }

    func listen(
        on port: Int, for server: any AccessoryConnectionHandler, loop: any EventLoop, logger: Logger
    ) async throws(ListenerError) -> any HostListener {
        try await AccessoryListener(port: port, on: loop, for: server, logger: logger)
    }

    func publisher(logger: Logger) throws(DiscoveryError) -> any ServicePublisher {
        try AvahiServicePublisher(logger: logger)
    }
}
