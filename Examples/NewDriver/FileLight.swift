package import DeviceKit
import FoundationEssentials
package import Logging

/// The keys of the driver in the configuration: `{driver: file, path: /run/lamp}`.
package struct FileLightConfiguration: LightDriverConfiguration {
    package static let driverName = "file"

    /// The file that is the light: it holds 1 for on and 0 for off.
    package var path: String

    enum CodingKeys: String, CodingKey, CaseIterable { case path }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        path = try container.decode(String.self, forKey: .path)
        guard path.hasPrefix("/") else {
            throw ConfigurationProblem("not a whole path", remedy: "write /PATH", forKey: .path, in: container)
        }
    }

    package func makeDriver(logger: Logger) -> any LightDriver { FileLightDriver(path: path, logger: logger) }
}

/// A light that is a file, as the kernel shows a pin or an LED: the smallest driver that keeps all promises.
///
/// It is an actor, because a driver is called by the thread that carries all HAP sessions, and files can be slow.
package actor FileLightDriver: LightDriver {
    /// A light's id never changes, whatever the light is called: its room and its scenes depend on it.
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
        // First the light, then what is known of it.
        await host.added(LightDescription(id: light, name: "File Light", kind: .switch))
        await host.report(.running)
        while !Task.isCancelled {
            await look()
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Reports what the file says, if that has changed; a light whose file cannot be read is out of reach and stays known.
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
            throw .refused("the file cannot be written")
        }
        // What is true now is reported, not what was asked.
        await look()
    }

    /// A switch has nothing to blink with: what hangs on it may be a heater.
    package func identify(_ light: LightID) async throws(LightError) {
        guard light == self.light else { throw .unknownLight }
    }
}
