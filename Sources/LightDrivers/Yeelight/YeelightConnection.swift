import AsyncKit
import HTTPKit
import NIOCore

/// The transport of a session with a Yeelight device.
///
/// It sends a search to the device, and exchanges lines of text with it over a TCP connection.
package struct YeelightConnection: DeviceConnection {
    package typealias Session = YeelightSession

    static let maximumLine = 8192

    package init() {}

    package func run(
        over route: DeviceRoute, outputs: AsyncStream<YeelightSession.Output>,
        receive: @escaping @Sendable (YeelightSession.Input) async -> Void
    ) async -> SessionFault {
        do {
            let channel = try await route.connect { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
            let address = channel.channel.remoteAddress?.ipAddress.flatMap {
                IPv4Endpoint($0, port: YeelightIdentity.searchGroup.port)
            }
            try await channel.executeThenClose { inbound, outbound in
                defer { channel.channel.abort() }
                let sender = Task {
                    for await output in outputs {
                        switch output {
                        case .identify: await receive(.identity(await Self.identity(of: address)))
                        case .send(let bytes): try await outbound.write(ByteBuffer(bytes: bytes))
                        }
                    }
                }
                defer { sender.cancel() }
                var line: [UInt8] = []
                for try await bytes in inbound {
                    for byte in bytes.readableBytesView {
                        guard line.count < Self.maximumLine else { throw HTTPFault.tooLong }
                        line.append(byte)
                        guard byte == 0x0A else { continue }
                        await receive(.line(line))
                        line = []
                    }
                }
            }
            return .unreachable("it closed the connection")
        } catch {
            return .unreachable(HTTPFault(error).text)
        }
    }

    /// Searches for the device at an address, up to four times.
    ///
    /// Returns its identity, or `nil` if it doesn't answer.
    @concurrent
    private static func identity(of address: IPv4Endpoint?) async -> YeelightIdentity? {
        let signal = AsyncSignal()
        guard let address, let socket = try? DatagramSocket(port: 0, notify: { signal.send() }) else { return nil }
        for _ in 0..<4 {
            try? socket.send(YeelightIdentity.search, to: address)
            let nextTry = ContinuousClock.now + .seconds(1)
            while ContinuousClock.now < nextTry {
                await signal.wait(until: nextTry)
                guard !Task.isCancelled else { return nil }
                for datagram in socket.takeDatagrams() where datagram.source.address == address.address {
                    if let identity = YeelightIdentity(datagram.bytes, from: datagram.source) { return identity }
                }
            }
        }
        return nil
    }
}
