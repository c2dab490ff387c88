package import BoundedJSON

/// What answers a peer's requests.
package protocol LineRPCHandler: Sendable {
    /// Answers one request.
    ///
    /// Requests of one peer run side by side; the task is cancelled when the peer goes away. While it runs it may send
    /// notifications to the peer, so a request that does not end is a subscription.
    ///
    /// - Parameters:
    ///   - method: what is asked.
    ///   - params: an object or an array; an empty object if the peer sent none.
    ///   - peer: who asks.
    /// - Returns: the result.
    /// - Throws: an ``RPCFailure`` is the answer; of any other error the peer learns no more than "internal error".
    func call(_ method: String, _ params: JSONValue, from peer: LineRPCPeer) async throws -> JSONValue
}
