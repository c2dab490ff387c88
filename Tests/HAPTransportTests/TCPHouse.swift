import AccessoryRole
import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import HAPTransport

let quietLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// A bridge with a lamp, which listens on a port on this computer.
struct TCPHouse {
    let store: InMemoryAccessoryServerStore
    let bridge: BridgeUnderTest
    let listener: AccessoryListener

    init(
        pairedWith controllers: [ControllerIdentity] = [], acknowledgeTime: TimeAmount = TransportLimits.acknowledgeTime
    ) async throws {
        store = InMemoryAccessoryServerStore(.random(pairedWith: controllers))
        bridge = try await BridgeUnderTest(store, lights: [LightDescription(id: "lamp", name: "Lamp")])
        listener = try await AccessoryListener(
            port: 0, on: bridge.loop, for: bridge.server, acknowledgeTime: acknowledgeTime, logger: quietLogger)
    }

    func connect(_ identity: ControllerIdentity = .random()) async throws -> (TestController, TCPLink) {
        try await listener.connect(identity)
    }

    func session(_ identity: ControllerIdentity) async throws -> (TestController, TCPLink) {
        let (controller, link) = try await connect(identity)
        #expect(try await controller.pairVerify(bridge.identity) == nil)
        return (controller, link)
    }
}

extension AccessoryListener {
    /// Returns a connected controller.
    func connect(_ identity: ControllerIdentity = .random()) async throws -> (TestController, TCPLink) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let controller = TestController(identity, executor: EventLoopExecutor(loop))
        return (controller, try await TCPLink(controller, port: port, loop: loop))
    }
}
