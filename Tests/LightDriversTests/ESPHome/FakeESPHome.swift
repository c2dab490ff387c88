import NIOCore
import NIOPosix
import Synchronization

@testable import LightDrivers

/// A device that uses the API without encryption on a free port, and misbehaves on request.
final class FakeESPHome: Sendable {
    enum Behaviour: Sendable {
        case obeys
        /// Accepts commands and reports nothing.
        case ignoresCommands
        /// Disconnects after the client has subscribed to its states, and refuses connections from then on.
        case hangsUp
        /// Accepts connections and sends nothing.
        case mute
        /// Keeps sending states of a light that it hasn't listed.
        case floods
    }

    private struct State {
        var behaviour: Behaviour
        var isOn = false
        var connections: [any Channel] = []
    }

    /// The event loops of devices.
    ///
    /// They are separate from the driver's event loops, which a device must not keep busy.
    private static let loops = MultiThreadedEventLoopGroup(numberOfThreads: 2)

    let mac: String
    private let state: Mutex<State>
    private let server: Mutex<(any Channel)?> = Mutex(nil)

    init(mac: String, _ behaviour: Behaviour = .obeys) async throws {
        self.mac = mac
        state = Mutex(State(behaviour: behaviour))
        try await listen(port: 0)
    }

    deinit { server.withLock { $0 }?.close(promise: nil) }

    /// The port that the device listens on.
    var port: Int { server.withLock { $0?.localAddress?.port ?? 0 } }

    private func listen(port: Int) async throws {
        let channel = try await ServerBootstrap(group: Self.loops)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { [weak self] channel in
                guard let self else { return channel.close() }
                self.state.withLock { $0.connections.append(channel) }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FakeESPHomeHandler(device: self))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        server.withLock { $0 = channel }
    }

    /// Simulates a power failure, after which the device has a different port.
    func restart() async throws {
        try await unplug()
        try await listen(port: 0)
    }

    func unplug() async throws {
        let channel = server.withLock { server in
            defer { server = nil }
            return server
        }
        try? await channel?.close()
        for channel in state.withLock({ $0.connections }) { try? await channel.close() }
        state.withLock { $0.connections = [] }
    }

    /// Changes the light as if someone had operated it.
    func turn(on isOn: Bool, brightness: Float = 1) {
        let connections = state.withLock { state in
            state.isOn = isOn
            return state.connections
        }
        for channel in connections { send(ESPHomeDevicesTests.state(on: isOn, brightness: brightness), to: channel) }
    }

    fileprivate func received(_ message: ESPHomeFraming.Message, on channel: any Channel) {
        let behaviour = state.withLock(\.behaviour)
        if case .mute = behaviour { return }
        switch message.type {
        case ESPHomeMessageType.hello: send(.init(2), to: channel)
        case ESPHomeMessageType.deviceInfo: send(ESPHomeDevicesTests.info(mac), to: channel)
        case ESPHomeMessageType.listEntities:
            send(ESPHomeDevicesTests.dim, to: channel)
            send(.init(ESPHomeMessageType.entitiesDone), to: channel)
        case ESPHomeMessageType.subscribeStates:
            send(ESPHomeDevicesTests.state(on: state.withLock(\.isOn)), to: channel)
            switch behaviour {
            case .hangsUp:
                server.withLock { $0 }?.close(promise: nil)
                channel.close(promise: nil)
            case .floods: flood(channel)
            case .obeys, .ignoresCommands, .mute: break
            }
        case ESPHomeMessageType.ping: send(.init(ESPHomeMessageType.pingResponse), to: channel)
        case ESPHomeMessageType.lightCommand:
            guard case .obeys = behaviour else { return }
            var reader = ProtobufReader(message.body[...])
            while let (field, value) = try? reader.next() {
                guard field == 3 else { continue }
                state.withLock { $0.isOn = value.flag }
            }
            send(ESPHomeDevicesTests.state(on: state.withLock(\.isOn)), to: channel)
        default: break
        }
    }

    private func flood(_ channel: any Channel) {
        guard channel.isActive else { return }
        channel.writeAndFlush(Self.flood).whenSuccess { self.flood(channel) }
    }

    private static let flood = ByteBuffer(
        bytes: (0..<500).flatMap {
            ESPHomeDevicesTests.frame(ESPHomeDevicesTests.state(on: $0.isMultiple(of: 2), key: 99))
        })

    private func send(_ message: ESPHomeFraming.Message, to channel: any Channel) {
        channel.writeAndFlush(ByteBuffer(bytes: ESPHomeDevicesTests.frame(message)), promise: nil)
    }
}

private final class FakeESPHomeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let device: FakeESPHome
    private var framing = ESPHomeFraming()

    init(device: FakeESPHome) { self.device = device }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(unwrapInboundIn(data).readableBytesView)
        for message in (try? framing.received(bytes)) ?? [] { device.received(message, on: context.channel) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
