internal import Dialing
package import HAPProtocol

extension AccessoryDialer {
    /// Connects to the first of several endpoints that answers (RFC 8305).
    ///
    /// - Parameters:
    ///   - timing: the head start of each endpoint, and how long one connection may take.
    ///   - next: returns the endpoint to try next, or `nil` without one for now.
    /// - Returns: a connection, which its caller closes, and where it leads.
    /// - Throws: ``Unreachable`` if none answers or the caller is canceled.
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
