import FoundationEssentials
import HAPAccessory
import HAPTesting
import Logging
import ServiceLifecycle
import TestTimeouts
import Testing

private let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

private func host(
    _ storage: AccessoryStorage = .inMemory(), handler: (any AccessoryHandler)? = nil, logger: Logger = silent
) async throws -> AccessoryHost {
    try await AccessoryHost(
        AccessoryProfile(category: .bridge, information: information("Sensor")),
        functions: [AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(20)])], handler: handler,
        storage: storage, advertises: false, logger: logger)
}

private func information(_ name: String) -> AccessoryInformation {
    AccessoryInformation(name: name, manufacturer: "Example", model: "M", serialNumber: "S1", firmware: "1.0")
}

/// Reports one value when it starts, then waits for cancellation.
private struct Sensor: AccessoryHandler {
    let ends: AsyncStream<String>.Continuation

    func run(_ accessory: HostedAccessory) async throws {
        await accessory.update(.currentTemperature, to: .float(21))
        ends.yield("\(accessory.id ?? "-") started")
        try? await Task.sleep(for: .seconds(600))
        ends.yield("\(accessory.id ?? "-") ended")
    }
}

private struct Broken: AccessoryHandler, Error {
    func run(_ accessory: HostedAccessory) async throws { throw self }
}

private struct Canceled: AccessoryHandler {
    func run(_ accessory: HostedAccessory) async throws { throw CancellationError() }
}

@Suite("The lifecycle of a host", .timeout)
struct LifecycleTests {
    @Test("allows only one run, and throws an error on the second run")
    func once() async throws {
        let host = try await host()
        let run = Task { try await host.run() }
        _ = try await host.port
        await #expect { try await host.run() } throws: { ($0 as? AccessoryHostError)?.code == .alreadyRun }
        run.cancel()
        try await run.value
        await #expect { try await host.runService() } throws: { ($0 as? AccessoryHostError)?.code == .alreadyRun }
        await #expect { try await host.port } throws: { ($0 as? AccessoryHostError)?.code == .notRunning }
    }

    @Test("ends a run in a canceled task")
    func canceled() async throws {
        let host = try await host()
        let run = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await host.run()
        }
        try await run.value
        await #expect { try await host.port } throws: { ($0 as? AccessoryHostError)?.code == .notRunning }
    }

    @Test("ends with the graceful shutdown of its service group")
    func serviceGroup() async throws {
        let host = try await host()
        let group = ServiceGroup(services: [host], logger: silent)
        let run = Task { try await group.run() }
        _ = try await host.port
        await group.triggerGracefulShutdown()
        try await run.value
    }

    @Test("frees its storage, with or without a run, for a host with the same identity", arguments: [true, false])
    func storage(isInMemory: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "host-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let storage: AccessoryStorage = isInMemory ? .inMemory() : .directory(folder)
        let (id, code) = try await {
            let host = try await host(storage)
            await #expect { _ = try await LifecycleTests.another(storage) } throws: {
                ($0 as? AccessoryHostError)?.code == .storageInUse
            }
            return (host.deviceID, await host.setupPayload)
        }()
        let second = try await host(storage)
        #expect(second.deviceID == id)
        try await second.runService(gracefulShutdownSignals: []) { throw CancellationError() }
        let third = try await host(storage)
        #expect(third.deviceID == id)
        #expect(await third.setupPayload == code)
    }

    private static func another(_ storage: AccessoryStorage) async throws -> AccessoryHost {
        try await host(storage)
    }

    @Test("runs each handler while its host runs and has the accessory")
    func handlers() async throws {
        let (ends, end) = AsyncStream.makeStream(of: String.self)
        var events = ends.makeAsyncIterator()
        let sensor = Sensor(ends: end)
        func bridged(_ id: String) -> BridgedAccessory {
            BridgedAccessory(
                id: id, information: information("Sensor"),
                functions: [AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(20)])],
                handler: sensor)
        }
        let host = try await AccessoryHost(
            AccessoryProfile(category: .bridge, information: information("Bridge")), accessories: [bridged("a")],
            storage: .inMemory(), advertises: false, logger: silent)
        #expect(await host.value(.currentTemperature, of: "a") == .float(20))
        let run = Task { try await host.run() }
        #expect(await events.next() == "a started")
        #expect(await host.value(.currentTemperature, of: "a") == .float(21))
        try await host.add(bridged("b"))
        #expect(await events.next() == "b started")
        await host.remove("a")
        #expect(await events.next() == "a ended")
        run.cancel()
        try await run.value
        #expect(await events.next() == "b ended")
    }

    @Test("throws the error of a handler or of the `work` closure")
    func errors() async throws {
        let broken = try await host(handler: Broken())
        await #expect(throws: Broken.self) { try await broken.run() }
        let working = try await host()
        await #expect(throws: Broken.self) {
            try await working.runService(gracefulShutdownSignals: []) { throw Broken() }
        }
    }

    @Test("ends without an error when a handler or the `work` closure throws a CancellationError")
    func canceledWork() async throws {
        try await host(handler: Canceled()).run()
        try await host(handler: Canceled()).runService(gracefulShutdownSignals: [])
        try await host().runService(gracefulShutdownSignals: []) { throw CancellationError() }
    }

    @Test("warns once about an impossible value, and keeps the previous value")
    func impossibleValue() async throws {
        let log = RecordedLog()
        let host = try await host(logger: log.logger)
        for value in [CharacteristicValue.string("warm"), .bool(true), .float(.nan), .float(30)] {
            await host.update(.currentTemperature, to: value)
        }
        #expect(await host.value(.currentTemperature) == .float(30))
        #expect(
            log.all.filter { $0.hasPrefix("warning") } == [
                #"warning: impossible value ignored characteristic=CurrentTemperature value=string("warm")"#
            ])
    }

    @Test("stops a debug build that updates a characteristic that the accessory doesn't have")
    func absentCharacteristic() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let host = try await host()
            await host.update(.currentTemperature, of: "gone", to: .float(21))
            await host.update(.brightness, to: .integer(50))
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("the accessory's functions have no Brightness to update"))
    }
}
