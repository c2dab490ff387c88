import Fan
import HAPAccessoryTesting
import Synchronization
import Testing

/// A motor that records its speeds.
final class TestMotor: Motor {
    let speeds = Mutex<[Double]>([])

    func run(at percent: Double) { speeds.withLock { $0.append(percent) } }
}

@Test func runsTheMotorAtTheWrittenSpeed() async throws {
    let motor = TestMotor()
    let host = try await Fan(motor).host(storage: .inMemory())
    try await InMemoryNetwork().withAccessory(host) { accessory in
        let power = try #require(accessory.characteristics(.on).first)
        let speed = try #require(accessory.characteristics(.rotationSpeed).first)
        let results = try await accessory.write([power: .bool(true), speed: .float(40)])
        #expect(results == [power: .success(nil), speed: .success(nil)])
        #expect(motor.speeds.withLock { $0 } == [40])

        try await accessory.write(.bool(false), to: power)
        #expect(motor.speeds.withLock { $0 } == [40, 0])
    }
}

/// A motor that is too slow.
struct SlowMotor: Motor {
    let clock: ManualClock
    let starts: AsyncStream<Void>.Continuation

    func run(at percent: Double) async throws {
        starts.yield()
        try await clock.sleep(for: .seconds(10))
    }
}

@Test func reportsASlowMotor() async throws {
    let clock = ManualClock()
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let host = try await Fan(SlowMotor(clock: clock, starts: start)).host(storage: .inMemory())
    try await InMemoryNetwork(clock: clock).withAccessory(host) { accessory in
        let power = try #require(accessory.characteristics(.on).first)
        let write = Task { try await accessory.write(.bool(true), to: power) }
        for await _ in starts { break }
        await clock.advance(by: .seconds(2))
        let error = await #expect(throws: ControllerError.self) { try await write.value }
        #expect(error?.status == .timedOut)
        #expect(await host.value(.on) == .bool(false))
    }
}

@Test func isUpToDateAfterAnOutage() async throws {
    let clock = ManualClock()
    let network = InMemoryNetwork(clock: clock)
    let host = try await Fan(TestMotor()).host(storage: .inMemory())
    try await network.withAccessory(host) { accessory in
        let power = try #require(accessory.characteristics(.on).first)
        let events = try await accessory.events(of: [power])
        network.isAvailable = false
        for await event in events {
            if case .disconnected = event { break }
        }
        await host.update(.on, to: .bool(true))
        network.isAvailable = true
        await clock.advance(by: .seconds(1))
        for await event in events where event == .value(power, .bool(true)) { break }
    }
}
