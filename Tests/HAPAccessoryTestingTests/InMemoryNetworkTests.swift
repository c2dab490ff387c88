import HAPAccessoryTesting
import Logging
import Synchronization
import TestTimeouts
import Testing

private let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

private func information(_ name: String) -> AccessoryInformation {
    AccessoryInformation(name: name, manufacturer: "Example", model: "M1", serialNumber: "S1", firmware: "1.0")
}

/// Records writes, and answers reads only when the test allows it.
private final class Oven: AccessoryHandler {
    private let state = Mutex<[CharacteristicValue]>([])
    /// A stream with an element for each read that begins.
    let reads: AsyncStream<Void>
    private let read: AsyncStream<Void>.Continuation
    private let clock: any Clock<Duration>
    private let readTime: Duration

    /// The written values, in order.
    var written: [CharacteristicValue] { state.withLock { $0 } }

    init(_ clock: any Clock<Duration> = ContinuousClock(), readTime: Duration = .zero) {
        self.clock = clock
        self.readTime = readTime
        (reads, read) = AsyncStream.makeStream()
    }

    func write(
        _ values: [HAPAccessory.CharacteristicWrite], to accessory: HostedAccessory
    ) async throws -> [WriteResult] {
        state.withLock { $0 += values.map(\.value) }
        return values.map { _ in .success }
    }

    func read(_ characteristics: [CharacteristicRead], from accessory: HostedAccessory) async throws -> [ReadResult] {
        read.yield()
        if readTime > .zero { try? await clock.sleep(for: readTime) }
        return characteristics.map { $0.type == .currentTemperature ? .value(.float(80)) : .unchanged }
    }

    func host(advertises: Bool = true, storage: AccessoryStorage = .inMemory()) async throws -> AccessoryHost {
        try await AccessoryHost(
            AccessoryProfile(category: .other, information: information("Oven")),
            functions: [
                AccessoryFunction(.switch, [.on: .bool(false)]),
                AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(20)]),
            ], handler: self, storage: storage, advertises: advertises, logger: silent)
    }
}

extension ConnectedAccessory {
    fileprivate var power: CharacteristicID {
        get throws { try #require(characteristics(.on).first) }
    }

    fileprivate var temperature: CharacteristicID {
        get throws { try #require(characteristics(.currentTemperature).first) }
    }
}

@Suite("InMemoryNetwork", .timeout)
struct InMemoryNetworkTests {
    @Test("pairs a controller with a host, and transmits requests and events", arguments: [true, false])
    func wholeProtocol(advertises: Bool) async throws {
        let oven = Oven()
        let host = try await oven.host(advertises: advertises)
        try await InMemoryNetwork().withAccessory(host) { accessory in
            #expect(accessory.isConnected)
            let (power, temperature) = (try accessory.power, try accessory.temperature)
            try await accessory.write(.bool(true), to: power)
            try await accessory.write(.bool(false), to: power, timed: true)
            #expect(oven.written == [.bool(true), .bool(false)])
            let events = try await accessory.events(of: [temperature])
            #expect(try await accessory.read(temperature) == .float(80))
            await host.update(.currentTemperature, to: .float(90))
            #expect(await events.first { $0 == .value(temperature, .float(90)) } != nil)
            try await accessory.unpair()
            #expect(await !host.isPaired)
        }
    }

    @Test("lets controllers discover hosts while the hosts run")
    func discovery() async throws {
        let network = InMemoryNetwork()
        let (oven, hidden) = (try await Oven().host(), try await Oven().host(advertises: false))
        let controller = Controller(store: InMemoryPairingStore(), network: network)
        var lists = try controller.discoveries().makeAsyncIterator()
        #expect(await lists.next() == [])
        let runs = [Task { try await hidden.run(on: network) }, Task { try await oven.run(on: network) }]
        let found = try #require(await lists.next()?.first)
        #expect(found.id == oven.deviceID && found.model == "M1" && found.category == .other && !found.isPaired)
        #expect(try await oven.port != hidden.port)
        try await controller.identify(found)
        runs[1].cancel()
        try await runs[1].value
        #expect(await lists.next() == [])
        runs[0].cancel()
        try await runs[0].value
    }

    @Test("keeps the port and the pairing in the storage between runs")
    func nextRun() async throws {
        let (network, storage) = (InMemoryNetwork(), AccessoryStorage.inMemory())
        let controller = Controller(store: InMemoryPairingStore(), network: network)
        var (ports, id) = (Set<Int>(), DeviceID?.none)
        for _ in 0..<2 {
            let host = try await Oven().host(advertises: false, storage: storage)
            let run = Task { try await host.run(on: network) }
            let port = try await host.port
            ports.insert(port)
            let endpoint = try #require(AccessoryEndpoint(host: "127.0.0.1", port: port))
            if id == nil { id = try await controller.pair(at: endpoint, code: #require(host.setupPayload.code)) }
            try await controller.withAccessory(try #require(id)) { accessory in
                _ = try await accessory.accessories()
                let temperature = try accessory.temperature
                #expect(try await accessory.read(temperature) == .float(80))
            }
            run.cancel()
            try await run.value
        }
        #expect(ports.count == 1)
    }

    @Test("throws the error of a host that can't run")
    func failedRun() async throws {
        let host = try await Oven().host()
        let network = InMemoryNetwork()
        try await network.withAccessory(host) { _ in }
        await #expect { try await network.withAccessory(host) { _ in } } throws: {
            ($0 as? AccessoryHostError)?.code == .alreadyRun
        }
    }

    // MARK: Time

    @Test("times out a late handler after 2 s on the manual clock")
    func handlerLimit() async throws {
        let clock = ManualClock()
        let oven = Oven(clock, readTime: .seconds(5))
        try await InMemoryNetwork(clock: clock).withAccessory(oven.host()) { accessory in
            let temperature = try accessory.temperature
            let read = Task { try await accessory.read(temperature) }
            _ = await oven.reads.first { true }
            await clock.advance(by: .seconds(2))
            await #expect { try await read.value } throws: { ($0 as? ControllerError)?.status == .timedOut }
        }
    }

    @Test("reconnects after a pause on the manual clock, and reads the values that have changed")
    func reconnects() async throws {
        let clock = ManualClock()
        let network = InMemoryNetwork(clock: clock)
        let host = try await Oven().host()
        try await network.withAccessory(host) { accessory in
            let power = try accessory.power
            let events = try await accessory.events(of: [power])
            network.isAvailable = false
            #expect(await events.first { if case .disconnected = $0 { true } else { false } } != nil)
            await host.update(.on, to: .bool(true))
            network.isAvailable = true
            #expect(!accessory.isConnected)
            await clock.advance(by: .seconds(1))
            #expect(await events.first { $0 == .value(power, .bool(true)) } != nil)
            try await accessory.waitUntilConnected()
        }
    }

    @Test("lets a timed write expire in transit")
    func timedWrite() async throws {
        let network = InMemoryNetwork(clock: ManualClock())
        let oven = Oven()
        try await network.withAccessory(oven.host()) { accessory in
            let power = try accessory.power
            network.latency = .seconds(3)
            await #expect { try await accessory.write(.bool(true), to: power, timed: true) } throws: {
                ($0 as? ControllerError)?.status == .invalidValue
            }
            #expect(oven.written.isEmpty)
            network.latency = .seconds(2)
            try await accessory.write(.bool(true), to: power, timed: true)
            #expect(oven.written == [.bool(true)])
        }
    }

    @Test("coalesces events within 250 ms on the manual clock")
    func eventWindow() async throws {
        let clock = ManualClock()
        let host = try await Oven().host()
        try await InMemoryNetwork(clock: clock).withAccessory(host) { accessory in
            let power = try accessory.power
            var events = try await accessory.events(of: [power]).makeAsyncIterator()
            #expect(await events.next() == .value(power, .bool(false)))
            await host.update(.on, to: .bool(true))
            #expect(await events.next() == .value(power, .bool(true)))
            await host.update(.on, to: .bool(false))
            await host.update(.on, to: .bool(true))
            await host.update(.on, to: .bool(false))
            await clock.advance(by: .milliseconds(249))
            #expect(await host.statistics.eventMessages == 1)
            await clock.advance(by: .milliseconds(1))
            #expect(await host.statistics.eventMessages == 2)
            #expect(await events.next() == .value(power, .bool(false)))
        }
    }

    @Test("notifies controllers of an added accessory after a second on the manual clock")
    func structure() async throws {
        let clock = ManualClock()
        let host = try await AccessoryHost(
            AccessoryProfile(category: .bridge, information: information("Bridge")), accessories: [],
            storage: .inMemory(), logger: silent)
        try await InMemoryNetwork(clock: clock).withAccessory(host) { bridge in
            let events = try await bridge.events()
            try await host.add(
                BridgedAccessory(
                    id: "a", information: information("Sensor"),
                    functions: [AccessoryFunction(.motionSensor, [.motionDetected: .bool(false)])]))
            await clock.advance(by: .seconds(1))
            #expect(await events.first { $0 == .structureChanged } != nil)
            #expect(bridge.characteristics(.motionDetected).count == 1)
        }
    }

    // MARK: Statistics

    @Test("counts connections, requests, events and failed pairings at both ends")
    func statistics() async throws {
        let network = InMemoryNetwork()
        let host = try await Oven().host()
        let run = Task { try await host.run(on: network) }
        let endpoint = try #require(AccessoryEndpoint(host: "127.0.0.1", port: await host.port))
        let controller = Controller(store: InMemoryPairingStore(), network: network)
        let code = try #require(await host.setupPayload.code)
        let wrong = try #require(SetupCode(code.text == "111-22-333" ? "111-22-334" : "111-22-333"))
        await #expect(throws: ControllerError.self) { try await controller.pair(at: endpoint, code: wrong) }
        #expect(await host.statistics.wrongSetupCodes == 1)
        let id = try await controller.pair(at: endpoint, code: code)
        try await controller.withAccessory(id) { accessory in
            _ = try await accessory.accessories()
            let power = try accessory.power
            let events = try await accessory.events(of: [power])
            await host.update(.on, to: .bool(true))
            #expect(await events.first { $0 == .value(power, .bool(true)) } != nil)
            let (accepted, made) = (await host.statistics, controller.statistics)
            #expect(accepted.openConnections == 1 && accepted.openSessions == 1)
            #expect(accepted.connections == 3 && accepted.refusedConnections == 0)
            #expect(accepted.requests == made.requests && accepted.failedRequests == 0)
            #expect(accepted.eventMessages == 1 && made.eventMessages == 1)
            #expect(made.pairings == 1 && made.failedPairings == 1)
            #expect(made.sessions == 1 && made.failedConnections == 0 && made.droppedEventMessages == 0)
            network.isAvailable = false
            #expect(await events.first { if case .disconnected = $0 { true } else { false } } != nil)
            #expect(controller.statistics.failedConnections >= 1)
        }
        run.cancel()
        try await run.value
        #expect(await host.statistics.openConnections == 0)
    }
}
