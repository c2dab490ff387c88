import DeviceKit
import HAPModel
import LightDriverTesting
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("A simulated device with a target state", .timeout)
struct SimulatedTargetStateTests {
    @Test("locks at once or after its transition, and jams on command")
    func lock() async throws {
        let driver = try SimulatedLightDriverTests.driver(
            #"{"id": "a", "kind": "lock"}, {"id": "b", "kind": "lock", "transition": "50ms"}"#)
        var command = LightCommand()
        command.values[.lockTargetState] = .unsecured
        var jam = LightReport()
        jam.values[.lockCurrentState] = .jammed
        try await SimulatedLightDriverTests.running(driver) { host in
            try await driver.apply(command, to: "a")
            #expect(await host.wait(for: "a") { $0.values[.lockCurrentState] == .unsecured })
            try await driver.apply(command, to: "b")
            #expect(await host.wait(for: "b") { $0.values[.lockTargetState] == .unsecured })
            #expect(await host.wait(for: "b") { $0.values[.lockCurrentState] == .unsecured })
            try await driver.simulate(jam, of: "a")
            #expect(host.state(of: "a")?.values[.lockCurrentState] == .jammed)
        }
    }

    @Test("opens a garage door after its travel time, and obstructs it on command")
    func garageDoor() async throws {
        let driver = try SimulatedLightDriverTests.driver(#"{"id": "a", "kind": "garage-door", "transition": "1s"}"#)
        var command = LightCommand()
        command.values[.targetDoorState] = .open
        var obstruction = LightReport()
        obstruction.values[.obstructionDetected] = true
        try await SimulatedLightDriverTests.running(driver) { host in
            try await driver.simulate(obstruction, of: "a")
            try await driver.apply(command, to: "a")
            #expect(await host.wait(for: "a") { $0.values[.currentDoorState] == .open })
            let states = host.calls.compactMap { call -> DoorState? in
                if case .report(_, let report) = call { report.values[.currentDoorState] } else { nil }
            }
            #expect(states.suffix(2) == [.opening, .open])
            #expect(host.state(of: "a")?.values[.obstructionDetected] == true)
        }
    }
}
