import HAPModel
import HAPProtocol
import HAPTesting
import Synchronization
import TestTimeouts
import Testing

@testable import HAPController

private let on = Scene.on
private let brightness = Scene.brightness

@Suite("Cancellation of calls to an accessory", .timeout)
struct CancellationTests {
    private static let noContent = HTTPSerializer.bytes(of: .response(HTTPResponse(204)))

    @Test("ends a canceled write immediately, keeps the session, and reads the resulting value")
    func write() async throws {
        let scene = try Scene { request, _ in request.method == .put ? .silence : nil }
        try await scene.connected { accessory in
            let write = Task { try await accessory.write(.bool(true), to: on) }
            try await eventually("the write is sent") { scene.accessory.requests.last?.method == .put }
            write.cancel()
            await #expect(throws: ControllerError.canceled) { try await write.value }
            // The late response belongs to the canceled write, and the next response to the read that follows the
            // write.
            scene.accessory.push(Self.noContent)
            #expect(try await accessory.read(brightness) == .integer(5))
            try await eventually("the value is read") { scene.accessory.requests.contains { $0.query == "id=1.8" } }
        }
        #expect(scene.dialer.dialed.count == 1)
    }

    @Test("doesn't send a canceled request, or a timed write that is canceled after its announcement")
    func waiting() async throws {
        let scene = try Scene { request, _ in request.path == "/prepare" ? .silence : nil }
        try await scene.connected { accessory in
            let timed = Task { try await accessory.write(.bool(true), to: on, timed: true) }
            try await eventually("the write is announced") { scene.accessory.requests.last?.path == "/prepare" }
            let next = Task { try await accessory.write(.integer(7), to: brightness) }
            for task in [next, timed] {
                task.cancel()
                await #expect(throws: ControllerError.canceled) { _ = try await task.value }
            }
            scene.accessory.push(Self.noContent)
            _ = try await accessory.read(on)
        }
        #expect(!scene.accessory.requests.contains { $0.method == .put && $0.path == "/characteristics" })
    }

    @Test("subscribes for the remaining listener after the first listener is canceled")
    func events() async throws {
        let silent = Mutex(true)
        let scene = try Scene { request, _ in
            guard request.method == .put else { return nil }
            return silent.withLock { isSilent in
                defer { isSilent = false }
                return isSilent ? .silence : nil
            }
        }
        try await scene.connected { accessory in
            let first = Task { try await accessory.events(of: [on]) }
            try await eventually("the subscription is sent") { scene.accessory.requests.last?.method == .put }
            let events = try await accessory.events(of: [on])
            first.cancel()
            await #expect(throws: ControllerError.canceled) { _ = try await first.value }
            scene.accessory.push(Self.noContent)
            try await eventually("the subscription is repeated") {
                await scene.link.reported == [on]
            }
            scene.accessory.sendEvent(#"{"characteristics":[{"aid":1,"iid":8,"value":true}]}"#)
            #expect(await events.first { $0 == .value(on, .bool(true)) } != nil)
        }
    }

    @Test("ends a canceled wait for a session")
    func session() async throws {
        let scene = try Scene()
        scene.dialer.hold()
        try await scene.serving { accessory in
            let read = Task { try await accessory.read(on) }
            try await eventually("a connection is tried") { !scene.dialer.dialed.isEmpty }
            read.cancel()
            await #expect(throws: ControllerError.canceled) { try await read.value }
            scene.dialer.release()
        }
    }

    @Test("ends a canceled pairing")
    func pairing() async throws {
        let (dialer, accessory) = (InMemoryDialer(), ScriptedAccessory { _, _ in .silence })
        accessory.listen(dialer, at: .test(1))
        let controller = Controller(store: InMemoryPairingStore(), dialer: dialer, logger: quietLogger)
        let code = try #require(SetupCode("123-99-123"))
        let pairing = Task { try await controller.pair(at: .test(1), code: code) }
        try await eventually("pair setup begins") { !accessory.requests.isEmpty }
        pairing.cancel()
        await #expect(throws: ControllerError.canceled) { try await pairing.value }
        #expect(try await controller.pairedAccessories == [])
    }
}

extension Scene {
    /// Keeps a session with the accessory, as `Controller.withAccessory` does.
    func serving<Result>(_ body: (ConnectedAccessory) async throws -> Result) async throws -> Result {
        let accessory = ConnectedAccessory(link, at: .test(1)) {}
        async let following: Void = accessory.follow()
        async let running: Void = link.run()
        do {
            let result = try await body(accessory)
            await link.stop()
            _ = await (following, running)
            return result
        } catch {
            await link.stop()
            _ = await (following, running)
            throw error
        }
    }

    /// Keeps a session like ``serving(_:)``, but calls `body` only after the session has begun.
    func connected<Result>(_ body: (ConnectedAccessory) async throws -> Result) async throws -> Result {
        try await serving { accessory in
            try await accessory.waitUntilConnected()
            return try await body(accessory)
        }
    }
}
