package import DeviceKit
import FoundationEssentials
package import Logging

/// The configuration of the driver, such as `{driver: file, path: /run/lamp}`.
package struct FileLightConfiguration: LightDriverConfiguration {
    package static let driverName = "file"

    /// The path of the file that represents the light.
    ///
    /// It contains 1 for on and 0 for off.
    package var path: String

    enum CodingKeys: String, CodingKey, CaseIterable { case path }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        path = try container.decode(String.self, forKey: .path)
        guard path.hasPrefix("/") else {
            throw ConfigurationProblem("not an absolute path", remedy: "use /PATH", forKey: .path, in: container)
        }
    }

    package func makeDriver(logger: Logger) -> any LightDriver { FileLightDriver(path: path, logger: logger) }
}

/// A minimal driver for a light that is a file, like the kernel's files for pins and LEDs.
///
/// It is an actor, because drivers are called on the thread that serves all HAP sessions, and file access can be slow.
package actor FileLightDriver: LightDriver {
    /// A light's ID must never change, even if its name changes, because its room and its scenes depend on it.
    private let light: LightID
    private let path: String
    private let logger: Logger
    private var host: (any LightHost)?
    private var lastReport: LightReport?

    init(path: String, logger: Logger) {
        light = LightID(path)
        self.path = path
        self.logger = logger
    }

    package func run(host: any LightHost) async throws {
        self.host = host
        // Add the light before reporting its state.
        await host.added(LightDescription(id: light, name: "File Light", kind: .switch))
        await host.report(.running)
        while !Task.isCancelled {
            await look()
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Reports the file's state if it has changed.
    ///
    /// A light whose file can't be read is unreachable, but isn't removed.
    private func look() async {
        let text = (try? Data(contentsOf: URL(filePath: path))).map { String(decoding: $0.prefix(1), as: UTF8.self) }
        let on = text == "1" ? true : text == "0" ? false : nil
        let report = LightReport(on: on, reachable: on != nil)
        guard report != lastReport else { return }
        lastReport = report
        if on == nil { logger.info("file not readable", metadata: ["path": "\(path)"]) }
        await host?.report(report, from: light)
    }

    package func apply(_ command: LightCommand, to light: LightID) async throws(LightError) {
        guard light == self.light else { throw .unknownLight }
        guard lastReport?.reachable == true else { throw .unreachable }
        guard let on = command.on else { return }
        guard (try? Data((on ? "1" : "0").utf8).write(to: URL(filePath: path))) != nil else {
            throw .refused("the file can't be written")
        }
        // Report the actual state instead of the requested one.
        await look()
    }

    /// Returns without doing anything.
    ///
    /// A switch must not blink, because it may be connected to a heater.
    package func identify(_ light: LightID) async throws(LightError) {
        guard light == self.light else { throw .unknownLight }
    }
}
