// Creates and runs hosts for a test that watches this process: accessory-probe DIRECTORY COUNT. Between the steps it waits for a line.

import Glibc
import HAPAccessory
import Logging

@main
struct AccessoryProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let count = Int(arguments[2]) else { exit(64) }
        let storage = AccessoryStorage.directory(arguments[1])
        try await createAndRun(10, storage)
        pause("warm")
        try await createAndRun(count, storage)
        pause("done")
        let last = try await host(storage)
        try await last.runService {
            print("runs")
            fflush(nil)
        }
        pause("ended")
        exit(0)
    }

    private static func createAndRun(_ count: Int, _ storage: AccessoryStorage) async throws {
        for number in 0..<count {
            _ = try await host(storage)
            let host = try await host(storage)
            if number % 2 == 0 {
                let run = Task { try await host.run() }
                _ = try await host.port
                run.cancel()
                try await run.value
            } else {
                try await host.runService { throw CancellationError() }
            }
        }
    }

    private static func host(_ storage: AccessoryStorage) async throws -> AccessoryHost {
        try await AccessoryHost(
            AccessoryProfile(
                category: .sensor,
                information: AccessoryInformation(
                    name: "Probe", manufacturer: "Example", model: "P", serialNumber: "P1", firmware: "1.0")),
            functions: [AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(20)])],
            handler: Sensor(), storage: storage, logger: Logger(label: "probe") { _ in SwiftLogNoOpLogHandler() })
    }

    private static func pause(_ step: String) {
        print(step)
        fflush(nil)
        _ = readLine()
    }
}

private struct Sensor: AccessoryHandler {
    func run(_ accessory: HostedAccessory) async throws {
        await accessory.update(.currentTemperature, to: .float(21))
        try await Task.sleep(for: .seconds(600))
    }
}
