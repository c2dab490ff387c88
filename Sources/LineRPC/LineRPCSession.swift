package import BoundedJSON

/// What serves connections whose requests are answered in an order of its own choosing.
///
/// Where a ``LineRPCHandler`` returns an answer, a session gives it with ``LineRPCPeer/answer(_:with:)`` when the time has
/// come. Answers and notifications that one task gives leave in that task's order.
package protocol LineRPCSessions: Sendable {
    /// Serves one connection; it ends when this returns.
    ///
    /// - Parameters:
    ///   - peer: the other end.
    ///   - inputs: what it asks, in order; ends with the connection. What is not taken is bounded, because each request
    ///     counts as outstanding until it is answered.
    func serve(_ peer: LineRPCPeer, _ inputs: AsyncStream<LineRPCInput>) async
}

/// What a peer wants of a session.
package enum LineRPCInput: Sendable, Equatable {
    /// A request of that number; numbers are used once in a connection.
    case request(number: UInt64, method: String, params: JSONValue)
    /// The peer would rather not wait for the answer, which it gets nevertheless.
    case cancelled(number: UInt64)
}

/// The requests of a peer that are not answered yet.
struct OpenRequests {
    private var last: UInt64 = 0
    private var ids: [UInt64: RPCMessage.ID] = [:]
    private var numbers: [RPCMessage.ID: UInt64] = [:]
    private var cancelled: Set<UInt64> = []
    private var lengths: [UInt64: Int] = [:]

    /// How many there are.
    var count: Int { numbers.count }

    /// How long their lines are together, in bytes.
    private(set) var length = 0

    /// Counts a request; `nil` if another with that id is not answered yet.
    mutating func open(_ id: RPCMessage.ID, length: Int) -> UInt64? {
        guard numbers[id] == nil else { return nil }
        last += 1
        ids[last] = id
        numbers[id] = last
        lengths[last] = length
        self.length += length
        return last
    }

    /// Finds the request that is not to be waited for; `nil` if it is answered, or was cancelled already.
    mutating func cancel(_ id: RPCMessage.ID) -> UInt64? {
        guard let number = numbers[id], cancelled.insert(number).inserted else { return nil }
        return number
    }

    /// Takes a request that is answered now; `nil` if it was before.
    mutating func close(_ number: UInt64) -> RPCMessage.ID? {
        guard let id = ids.removeValue(forKey: number) else { return nil }
        numbers[id] = nil
        length -= lengths.removeValue(forKey: number) ?? 0
        cancelled.remove(number)
        return id
    }
}
