internal import AccessoryRole
internal import ConfigurationKit
internal import DaemonKit
internal import DeviceBridge
internal import DeviceKit
internal import Glibc
internal import LightDrivers

// The daemons' sources are symlinked into this target's directory, because a program can't import another program.

/// `lamplighter.yaml`, from its bytes to the daemon's configuration.
@Sendable func checkBridgeConfiguration(_ input: [UInt8]) {
    withFile(input) { path in
        guard
            let configuration = loaded(
                path, input,
                {
                    try BridgeConfiguration.load(from: $0, drivers: DriverCatalog.drivers, instance: "/state")
                })
        else { return }
        promise(!configuration.bridge.name.valid.isEmpty, "a bridge has a name")
        promise((.zero ... .seconds(10)).contains(configuration.bridge.eventWindow), "an event's window is bounded")
        if case .fixed(let port) = configuration.bridge.port { promise(port > 0, "a port is one") }
        if let code = configuration.bridge.setupCode {
            promise(code.text.utf8.count == 10, "a setup code has its form")
            promise(!"\(code)".contains(code.text), "a setup code does not print by accident")
        }
        let ids = configuration.drivers.map(\.id)
        promise(Set(ids).count == ids.count, "drivers have different ids")
        promise(ids.allSatisfy { (1...64).contains($0.utf8.count) && !$0.contains("/") }, "a driver's id is one")
        promise(configuration.lights.keys.allSatisfy { ids.contains($0.driver) }, "a light has its driver")
        promise(configuration.metrics.map { $0.listen.port > 0 } ?? true, "metrics have a port")
        for driver in configuration.drivers { promise(driver.isEqual(to: driver), "a driver is itself") }
    }
}

/// `homehub.yaml`, from its bytes to the daemon's configuration.
@Sendable func checkHubConfiguration(_ input: [UInt8]) {
    withFile(input) { path in
        guard let configuration = loaded(path, input, { try HubConfiguration.load(from: $0) }) else { return }
        promise((.seconds(1)...Duration.seconds(600)).contains(configuration.vendorTimeout), "timeout is bounded")
        promise(configuration.systemApp?.hasPrefix("/") ?? true, "a program has an absolute path")
        promise(configuration.restrict.apps.count <= input.count, "apps take bytes")
        promise(configuration.keysThatWait(comparedWith: configuration).isEmpty, "nothing differs from itself")
    }
}

private func loaded<Configuration>(
    _ path: String, _ input: [UInt8], _ load: (String) throws -> Configuration
) -> Configuration? {
    do {
        return try load(path)
    } catch let error as ConfigurationError {
        promise(error.line >= 1 && error.column >= 1, "a mistake has a place")
        promise(!error.problem.isEmpty, "an error has a message")
        promise(!error.description.contains { $0.isNewline }, "an error message has one line")
        promise(error.description.utf8.count <= 4096 + 8 * input.count, "the length of an error message is limited")
    } catch {
        promise(false, "a mistake has a place in the file")
    }
    return nil
}

/// Calls a function with the path of an unnamed file.
private func withFile(_ content: [UInt8], _ body: (String) -> Void) {
    guard let file = tmpfile() else { preconditionFailure("there is room for a file") }
    defer { fclose(file) }
    precondition(fwrite(content, 1, content.count, file) == content.count && fflush(file) == 0)
    body("/proc/self/fd/\(fileno(file))")
}
