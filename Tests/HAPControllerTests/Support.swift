import AsyncKit
import DeviceKit
import Discovery
import HAPController
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import Logging
import Synchronization
import TestTimeouts
import Testing

let quietLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Pauses that are short enough for a test.
///
/// The time limits are longer than any test may take, because a busy machine is slow. A test that waits for a time
/// limit must set that limit.
let testTiming: ControllerTiming = {
    var timing = ControllerTiming()
    timing.request = .seconds(60)
    timing.connect = .seconds(60)
    timing.stagger = .seconds(60)
    timing.database = .seconds(60)
    timing.reconnect.shortest = .milliseconds(10)
    timing.reconnect.longest = .milliseconds(50)
    return timing
}()

extension AccessoryEndpoint {
    /// Returns an endpoint in a network that is reserved for documentation.
    static func test(_ number: UInt8, port: UInt16 = 8080) -> AccessoryEndpoint {
        guard let endpoint = AccessoryEndpoint(address: [192, 0, 2, number], port: port) else {
            preconditionFailure("four bytes and a port are a valid endpoint")
        }
        return endpoint
    }
}

extension AdvertisedAccessory {
    /// Returns an accessory as a browser would report it.
    static func test(
        _ id: DeviceID, at endpoints: [AccessoryEndpoint], configurationNumber: UInt32 = 1, isPaired: Bool = true,
        vendor: String? = nil
    ) throws -> AdvertisedAccessory {
        let txt = TXTRecord([
            ("id", id.description), ("c#", "\(configurationNumber)"), ("sf", isPaired ? "0" : "1"), ("md", "Test"),
            ("pv", "1.1"), ("s#", "1"), ("ff", "0"), ("ci", "2"),
        ])
        let addresses = endpoints.compactMap {
            ServiceAddress(
                bytes: $0.address, interface: Int32($0.scope), interfaceName: $0.address[0] == 127 ? "lo" : "eth0")
        }
        let service = DiscoveredService(
            id: .init(name: "Test", host: "test.local"), port: endpoints.first?.port ?? 1, txt: txt,
            addresses: addresses)
        var accessory = try AdvertisedAccessory(service)
        accessory.endpoints = endpoints
        accessory.vendor = vendor
        return accessory
    }
}

/// Records the updates of a link, and waits for expected updates.
final class EventRecorder: Sendable {
    private struct State {
        var updates: [LinkUpdate] = []
        var values: [CharacteristicID: Reading] = [:]
        var hasEnded = false
    }

    /// An error that is thrown if the expected update didn't arrive.
    struct NeverCame: Error { let received: [String] }

    private let state = Mutex(State())

    var updates: [LinkUpdate] { state.withLock(\.updates) }
    var hasEnded: Bool { state.withLock(\.hasEnded) }
    var states: [LinkState] {
        updates.compactMap { if case .state(let state) = $0 { state } else { nil } }
    }
    func value(_ id: CharacteristicID) -> Reading? { state.withLock { $0.values[id] } }
    func forget() { state.withLock { $0 = State() } }

    func read(_ link: AccessoryLink) async {
        for await updates in link.updates {
            state.withLock { state in
                state.updates += updates
                for case .values(let values) in updates { state.values.merge(values) { $1 } }
            }
        }
        state.withLock { $0.hasEnded = true }
    }

    func until(
        sourceLocation: SourceLocation = #_sourceLocation, _ isMet: @Sendable (EventRecorder) async -> Bool
    ) async throws {
        do {
            try await eventually("events", sourceLocation: sourceLocation) { await isMet(self) }
        } catch is ConditionTimeout {
            throw NeverCame(received: updates.map { String("\($0)".prefix(300)) })
        }
    }

    func until(_ state: LinkState, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await until(sourceLocation: sourceLocation) { $0.states.last == state }
    }
}

/// Runs a link while `body` runs, and stops it afterwards.
func running<Result>(
    _ link: AccessoryLink, _ body: (EventRecorder) async throws -> Result
) async throws -> Result {
    let recorder = EventRecorder()
    async let reading: Void = recorder.read(link)
    async let running: Void = link.run()
    do {
        let result = try await body(recorder)
        await link.stop()
        _ = await (running, reading)
        return result
    } catch {
        await link.stop()
        _ = await (running, reading)
        throw error
    }
}
