package import BoundedJSON

/// A service whose sessions answer requests in any order.
///
/// Unlike a ``LineRPCHandler``, which returns the answer, a session calls ``LineRPCPeer/answer(_:with:)`` when the
/// answer is ready. Answers and notifications from one task are sent in that task's order.
package protocol LineRPCSessions: Sendable {
    /// Serves one connection, which ends when this method returns.
    ///
    /// - Parameters:
    ///   - peer: The other end.
    ///   - inputs: The peer's requests and cancellations, in order. The stream finishes when the connection ends. Its
    ///     buffer is bounded, because each request counts as outstanding until it is answered.
    func serve(_ peer: LineRPCPeer, _ inputs: AsyncStream<LineRPCInput>) async
}

/// An event that a session receives from its peer.
package enum LineRPCInput: Sendable, Equatable {
    /// A request, with a number that is unique within the connection.
    case request(number: UInt64, method: String, params: JSONValue)
    /// The peer no longer needs the answer.
    ///
    /// The request must be answered nevertheless.
    case cancelled(number: UInt64)
}

/// The unanswered requests of a peer.
struct OpenRequests {
    private var last: UInt64 = 0
    private var ids: [UInt64: RPCMessage.ID] = [:]
    private var numbers: [RPCMessage.ID: UInt64] = [:]
    private var cancelled: Set<UInt64> = []
    private var lengths: [UInt64: Int] = [:]

    /// The number of unanswered requests.
    var count: Int { numbers.count }

    /// The total length of the lines of unanswered requests, in bytes.
    private(set) var length = 0

    /// Adds a request and returns its number; `nil` if an unanswered request has the same identifier.
    mutating func open(_ id: RPCMessage.ID, length: Int) -> UInt64? {
        guard numbers[id] == nil else { return nil }
        last += 1
        ids[last] = id
        numbers[id] = last
        lengths[last] = length
        self.length += length
        return last
    }

    /// Marks a request as canceled and returns its number; `nil` if it was already answered or canceled.
    mutating func cancel(_ id: RPCMessage.ID) -> UInt64? {
        guard let number = numbers[id], cancelled.insert(number).inserted else { return nil }
        return number
    }

    /// Removes an answered request and returns its identifier; `nil` if it was already removed.
    mutating func close(_ number: UInt64) -> RPCMessage.ID? {
        guard let id = ids.removeValue(forKey: number) else { return nil }
        numbers[id] = nil
        length -= lengths.removeValue(forKey: number) ?? 0
        cancelled.remove(number)
        return id
    }
}
