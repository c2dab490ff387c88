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

/// Each file of a folder is a light.
actor FolderLights: LightDriver {
    private let path: String
    private var known: Set<LightID> = []

    init(path: String) { self.path = path }

    func run(host: any LightHost) async throws {
        await host.report(.running)
        while !Task.isCancelled {
            await look(host)
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    private func look(_ host: any LightHost) async {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names where known.insert(LightID(name)).inserted {
            await host.added(LightDescription(id: LightID(name), name: name))
        }
    }

    func apply(_ command: LightCommand, to light: LightID) async throws(LightError) {
        throw known.contains(light) ? .unreachable : .unknownLight
    }

    func identify(_ light: LightID) async throws(LightError) {
        guard known.contains(light) else { throw .unknownLight }
    }
}
