import DeviceKit
import FoundationEssentials
import Logging

/// The keys of the driver: `{driver: folder, path: /run/lamps}`.
public struct FolderLightsConfiguration: LightDriverConfiguration {
    /// The driver's name in the configuration.
    public static let driverName = "folder"
    /// The path of the folder.
    public var path: String

    enum CodingKeys: String, CodingKey, CaseIterable { case path }

    /// Creates a configuration with the path of a folder.
    public init(path: String) { self.path = path }

    /// Creates the driver.
    public func makeDriver(logger: Logger) -> any LightDriver { FolderLights(path: path) }
}

/// Each file of a folder is a light: it contains `on` or `off`.
actor FolderLights: LightDriver {
    private let path: String
    private var host: (any LightHost)?
    private var reported: [LightID: LightReport] = [:]

    init(path: String) { self.path = path }

    func run(host: any LightHost) async throws {
        self.host = host
        await host.report(.running)
        while !Task.isCancelled {
            await look()
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    private func look() async {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names where reported[LightID(name)] == nil {
            await host?.added(LightDescription(id: LightID(name), name: name))
            await report(LightID(name))
        }
        for light in reported.keys { await report(light) }
    }

    private func report(_ light: LightID) async {
        let isOn = state(of: light)
        let report = LightReport(on: isOn, reachable: isOn != nil)
        guard reported[light] != report else { return }
        reported[light] = report
        await host?.report(report, from: light)
    }

    private func state(of light: LightID) -> Bool? {
        switch try? String(contentsOfFile: "\(path)/\(light)", encoding: .utf8) {
        case "on": true
        case "off": false
        default: nil
        }
    }

    func apply(_ command: LightCommand, to light: LightID) async throws(LightError) {
        guard reported[light] != nil else { throw .unknownLight }
        guard state(of: light) != nil else { throw .unreachable }
        guard let isOn = command.on else { return }
        do {
            try (isOn ? "on" : "off").write(toFile: "\(path)/\(light)", atomically: true, encoding: .utf8)
        } catch {
            throw .refused("the file can't be written")
        }
        await report(light)
    }

    func identify(_ light: LightID) async throws(LightError) {
        guard reported[light] != nil else { throw .unknownLight }
    }
}
