import Synchronization

/// Receives the CoIoT packets that first-generation Shelly devices send to a multicast group.
///
/// The content of a packet is ignored; only its sender's address matters. The socket is open while a session listens.
/// If it can't be opened, no packets arrive.
///
/// The socket is bound to the group, so that it doesn't take packets from other programs on this computer. Therefore
/// it doesn't receive packets that a device sends to a single address.
final class CoIoTListener: Sendable {
    /// CoAP's multicast group.
    static let group = IPv4Endpoint(address: 0xE000_01BB, port: 5683)

    private struct State {
        var socket: DatagramSocket?
        var listeners: [Int: (address: UInt32, signal: AsyncStream<Void>.Continuation)] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Returns a stream that signals packets from an address.
    ///
    /// Packets that arrive before the stream is read are combined into one element.
    func signals(from address: UInt32) -> AsyncStream<Void> {
        let (stream, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastNumber += 1
            state.listeners[state.lastNumber] = (address, signal)
            if state.socket == nil {
                state.socket = try? DatagramSocket(group: Self.group) { [weak self] in self?.received() }
            }
            // Join each time, because interfaces may have appeared.
            for network in IPv4Network.current() { state.socket?.join(Self.group, over: network.address) }
            return state.lastNumber
        }
        signal.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    private func remove(_ number: Int) {
        state.withLock { state in
            state.listeners[number] = nil
            if state.listeners.isEmpty { state.socket = nil }
        }
    }

    private func received() {
        let (datagrams, listeners) = state.withLock { ($0.socket?.takeDatagrams() ?? [], $0.listeners) }
        let senders = Set(datagrams.map(\.source.address))
        for listener in listeners.values where senders.contains(listener.address) { listener.signal.yield() }
    }
}
