internal import Dialing
package import HAPProtocol

extension AccessoryDialer {
    /// Connects to the first of several endpoints that answers (RFC 8305).
    ///
    /// - Parameters:
    ///   - timing: The head start of each endpoint, and the time limit for each connection.
    ///   - next: A closure that returns the endpoint to try next; `nil` if all endpoints were tried.
    /// - Returns: The connection, which the caller must close, and its endpoint.
    /// - Throws: ``Unreachable`` if no endpoint answers or the caller is canceled.
    package func dial(
        timing: ControllerTiming, next: () async -> AccessoryEndpoint?
    ) async throws(Unreachable) -> (any ByteConnection, AccessoryEndpoint) {
        do {
            return try await firstToAnswer(headStart: timing.stagger, next: next) { endpoint in
                try await dial(endpoint, within: timing.connect)
            } close: { connection in
                connection.close()
            }
        } catch {
            throw Unreachable()
        }
    }
}
