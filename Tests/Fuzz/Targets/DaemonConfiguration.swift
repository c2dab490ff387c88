internal import AccessoryRole
internal import ConfigurationKit
internal import DeviceBridge
internal import DeviceKit
internal import Glibc
internal import LightDrivers
internal import YAMLKit

// The daemons' sources are linked into this target's directory, because an executable can't import another executable.

/// Checks the loading of `lamplighter.yaml`, from the file's bytes to the daemon's configuration.
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
        promise(
            (.zero ... .seconds(10)).contains(configuration.bridge.eventWindow), "the event window is within its limits"
        )
        if case .fixed(let port) = configuration.bridge.port { promise(port > 0, "a port isn't 0") }
        if let code = configuration.bridge.setupCode {
            promise(code.text.utf8.count == 10, "a setup code has ten characters")
            promise(!"\(code)".contains(code.text), "the description of a setup code doesn't reveal it")
        }
        let ids = configuration.drivers.map(\.id)
        promise(Set(ids).count == ids.count, "drivers have different ids")
        promise(ids.allSatisfy { (1...64).contains($0.utf8.count) && !$0.contains("/") }, "a driver's id is valid")
        promise(
            configuration.lights.keys.allSatisfy { ids.contains($0.driver) }, "the driver of a configured light exists")
        promise(configuration.metrics.map { $0.listen.port > 0 } ?? true, "the metrics server has a port")
        for driver in configuration.drivers { promise(driver.isEqual(to: driver), "a driver is equal to itself") }
    }
}

/// Checks the loading of `homehub.yaml`, from the file's bytes to the daemon's configuration.
@Sendable func checkHubConfiguration(_ input: [UInt8]) {
    withFile(input) { path in
        guard let configuration = loaded(path, input, { try HubConfiguration.load(from: $0) }) else { return }
        promise(
            (.seconds(1)...Duration.seconds(600)).contains(configuration.vendorTimeout),
            "the timeout is within its limits")
        promise(configuration.systemApp?.hasPrefix("/") ?? true, "the system app has an absolute path")
        promise(configuration.restrict.apps.count <= input.count, "the number of apps is limited by the input")
        promise(
            configuration.keysThatWait(comparedWith: configuration).isEmpty,
            "a configuration doesn't differ from itself")
    }
}

private func loaded<Configuration>(
    _ path: String, _ input: [UInt8], _ load: (String) throws -> Configuration
) -> Configuration? {
    do {
        return try load(path)
    } catch let error as ConfigurationError {
        promise(error.line >= 1 && error.column >= 1, "an error has a line and a column")
        promise(!error.problem.isEmpty, "an error has a message")
        promise(!error.description.contains { $0.isNewline }, "an error message has one line")
        promise(error.description.utf8.count <= 4096 + 8 * input.count, "the length of an error message is limited")
    } catch {
        promise(false, "every error is a configuration error with a position in the file")
    }
    return nil
}

/// Calls a closure with the path of an unnamed temporary file that has the given content.
private func withFile(_ content: [UInt8], _ body: (String) -> Void) {
    guard let file = tmpfile() else { preconditionFailure("the temporary file can't be created") }
    defer { fclose(file) }
    precondition(fwrite(content, 1, content.count, file) == content.count && fflush(file) == 0)
    body("/proc/self/fd/\(fileno(file))")
}
