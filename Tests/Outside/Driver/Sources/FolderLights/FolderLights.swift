import DeviceKit
import FoundationEssentials
import HAPModel
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

/// The content of a file: `on` or `off`, then the brightness in percent, then a temperature, such as `on 40 21.5`.
///
/// Brightness and temperature can be missing.
struct Content {
    var isOn: Bool
    var brightness = 100
    var celsius: Double?

    /// Parses a file, and returns `nil` for unknown content.
    init?(_ text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let power = words.first, power == "on" || power == "off" else { return nil }
        isOn = power == "on"
        if words.count > 1 {
            guard let percent = Int(words[1]), (1...100).contains(percent) else { return nil }
            brightness = percent
        }
        if words.count > 2 { celsius = Double(words[2]) }
    }

    var text: String { "\(isOn ? "on" : "off") \(brightness)" + (celsius.map { " \($0)" } ?? "") }
}

/// Each file of a folder is a dimmable light, and a thermometer if it has a temperature.
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
            await host?.added(description(of: LightID(name)))
            await report(LightID(name))
        }
        for light in reported.keys { await report(light) }
    }

    private func description(of light: LightID) -> LightDescription {
        var functions = [AccessoryFunction(.lightbulb, [.on: .bool(false), .brightness: .integer(100)])]
        if let celsius = content(of: light)?.celsius {
            functions.append(
                AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(celsius)])
                    .with(.currentTemperature) { ($0.minimum, $0.maximum) = (-40, 100) })
        }
        return LightDescription(
            id: light, name: light.rawValue, kind: .light, functions: functions, manufacturer: "Example",
            model: "Folder Light")
    }

    private func report(_ light: LightID) async {
        let content = content(of: light)
        var report = LightReport(on: content?.isOn, brightness: content?.brightness, reachable: content != nil)
        report.values[.currentTemperature] = content?.celsius
        guard reported[light] != report else { return }
        reported[light] = report
        await host?.report(report, from: light)
    }

    private func content(of light: LightID) -> Content? {
        (try? String(contentsOfFile: "\(path)/\(light)", encoding: .utf8)).flatMap(Content.init)
    }

    func apply(_ command: LightCommand, to light: LightID) async throws(LightError) {
        guard reported[light] != nil else { throw .unknownLight }
        guard var content = content(of: light) else { throw .unreachable }
        content.isOn = command.on ?? content.isOn
        content.brightness = command.brightness ?? content.brightness
        do {
            try content.text.write(toFile: "\(path)/\(light)", atomically: true, encoding: .utf8)
        } catch {
            throw .refused("the file can't be written")
        }
        await report(light)
    }

    func identify(_ light: LightID) async throws(LightError) {
        guard reported[light] != nil else { throw .unknownLight }
    }
}
