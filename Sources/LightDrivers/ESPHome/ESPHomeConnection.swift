import BoundedJSON
import HTTPKit
import NIOCore
import SodiumKit
import SystemKit

/// The transport of a session with an ESPHome device, which carries bytes in both directions.
package struct ESPHomeConnection: DeviceConnection {
    package typealias Session = ESPHomeSession

    package init() {}

    package func run(
        over route: DeviceRoute, outputs: AsyncStream<ESPHomeSession.Output>,
        receive: @escaping @Sendable (ESPHomeSession.Input) async -> Void
    ) async -> SessionFault {
        guard case .open(let keyFile)? = await outputs.first(where: { _ in true }) else {
            return .unreachable("the connection was closed")
        }
        let key: [UInt8]?
        do throws(SecretFile.Problem) {
            key = try keyFile.map(Self.key)
        } catch {
            await receive(.keyUnusable(error.text))
            return .unusable(error.text)
        }
        do {
            let connection = try await route.connect { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
            try await connection.executeThenClose { inbound, _ in
                await receive(.opened(key: key, ephemeral: RandomBytes.make(count: NoiseHandshake.keyLength)))
                let sender = Task { await send(outputs, over: connection.channel, receive) }
                do {
                    for try await bytes in inbound { await receive(.bytes(Array(bytes.readableBytesView))) }
                } catch {
                    await end(sender)
                    throw error
                }
                await end(sender)
            }
            return .unreachable("it closed the connection")
        } catch {
            return .unreachable(HTTPFault(error).text)
        }
    }

    /// Cancels the task that sends outputs, and waits until it has ended.
    private func end(_ sender: Task<Void, Never>) async {
        sender.cancel()
        await sender.value
    }

    private func send(
        _ outputs: AsyncStream<ESPHomeSession.Output>, over channel: any Channel,
        _ receive: @Sendable (ESPHomeSession.Input) async -> Void
    ) async {
        for await output in outputs {
            switch output {
            case .open: break
            case .send(let bytes):
                // Close the connection, because the device isn't reading: too many earlier messages are still unsent.
                guard channel.isWritable else { return channel.close(promise: nil) }
                channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
            case .command(let bytes, let number):
                let isSent = channel.isWritable
                if isSent { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }
                await receive(.command(number, isSent: isSent))
            }
        }
    }

    private static func key(in path: String) throws(SecretFile.Problem) -> [UInt8] {
        let text = try SecretFile(path, key: "key-file", of: "key").read()
        guard let key = Base64.decode(text), key.count == NoiseHandshake.keyLength else {
            throw SecretFile.Problem(
                text: "key-file \(path) has no valid key; put the value of api: encryption: key: on its first line")
        }
        return key
    }
}
