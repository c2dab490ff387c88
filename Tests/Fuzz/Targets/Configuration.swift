internal import ConfigurationKit
internal import LightDrivers
internal import YAMLKit

/// Checks a configuration file, decoded as YAML of any structure and as the sections of drivers.
@Sendable func checkConfiguration(_ input: [UInt8]) {
    read(Anything.self, input)
    read([String: Anything].self, input)
    read(DriverList<MQTTDriverConfiguration>.self, input)
    read(DriverList<SimulatedDriverConfiguration>.self, input)
    read(MQTTDriverConfiguration.self, input)
    read(SimulatedDriverConfiguration.self, input)
}

private func read<Value: Decodable>(_ type: Value.Type, _ input: [UInt8]) {
    do {
        _ = try StrictYAML.decode(type, from: input, file: "file.yaml")
    } catch let error as ConfigurationError {
        promise(error.line >= 1 && error.column >= 1, "an error has a line and a column")
        promise(!error.problem.isEmpty, "an error has a message")
        promise(!error.description.contains { $0.isNewline }, "an error message has one line")
        promise(error.description.utf8.count <= 4096 + 8 * input.count, "the length of an error message is limited")
    } catch {
        promise(false, "every error is a configuration error with a position in the file")
    }
}

/// A YAML value of any type.
private struct Anything: Decodable {
    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: ConfigurationKey.self) {
            for key in container.allKeys { _ = try container.decode(Anything.self, forKey: key) }
        } else if var list = try? decoder.unkeyedContainer() {
            while !list.isAtEnd { _ = try list.decode(Anything.self) }
        } else {
            let value = try decoder.singleValueContainer()
            _ = try? value.decode(Bool.self)
            _ = try? value.decode(Int64.self)
            _ = try? value.decode(UInt16.self)
            _ = try? value.decode(Double.self)
            _ = try? value.decode(DurationText.self)
            _ = try? value.decode(String.self)
        }
    }
}

private struct DriverList<Configuration: Decodable>: Decodable {
    let drivers: [Configuration]

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case drivers
    }
}
