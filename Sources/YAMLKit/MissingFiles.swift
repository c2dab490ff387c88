import Glibc
import TerminalKit

extension StrictYAML {
    /// Returns warnings about files and programs in a configuration that don't exist.
    ///
    /// Files are the values of keys such as `password-file`. Programs are the first words of keys such as `command`.
    ///
    /// - Throws: ``ConfigurationError`` or ``ConfigurationFileError``.
    package static func missingFiles(inFile path: String) throws -> [ConfigurationWarning] {
        try missingFiles(in: read(path), file: path)
    }

    /// Returns warnings about files and programs in the text of a configuration that don't exist.
    ///
    /// - Throws: ``ConfigurationError``.
    package static func missingFiles(in bytes: [UInt8], file path: String) throws -> [ConfigurationWarning] {
        let document = try YAMLDocument(bytes: bytes, file: path, mayBeEmpty: true)
        var warnings: [ConfigurationWarning] = []
        func look(_ node: Node, _ keyPath: String) {
            switch node.content {
            case .mapping(let pairs):
                for (key, value) in pairs {
                    let name = key.scalar?.string ?? ""
                    let inner = keyPath.isEmpty ? name : "\(keyPath).\(name)"
                    if let finding = finding(name, value) {
                        warnings.append(
                            ConfigurationWarning(
                                place: "\(path):\(value.mark.line):\(value.mark.column)", keyPath: inner, text: finding)
                        )
                    } else {
                        look(value, inner)
                    }
                }
            case .sequence(let elements):
                for (index, element) in elements.enumerated() { look(element, "\(keyPath)[\(index)]") }
            case .scalar: break
            }
        }
        look(document.root, "")
        return warnings
    }

    private static func finding(_ key: String, _ value: Node) -> String? {
        if key == "command" || key.hasSuffix("-command"), let program = value.sequence?.first?.scalar?.string {
            guard access(program, F_OK) == 0 else { return "the program \(program) doesn't exist" }
            return access(program, X_OK) == 0 ? nil : "\(program) isn't executable; run chmod +x on that file"
        }
        guard key.hasSuffix("-file") || ["client-certificate", "client-key"].contains(key),
            let file = value.scalar?.string, file.hasPrefix("/"), access(file, F_OK) != 0, errno == ENOENT
        else { return nil }
        return "the file \(file) doesn't exist"
    }
}

/// A warning about a setting that is valid but may not work.
package struct ConfigurationWarning: Sendable, Equatable, CustomStringConvertible {
    /// The position as `FILE:LINE:COLUMN`, or only the file.
    let place: String
    let keyPath: String
    package let text: String

    package var description: String { "\(place): warning: \(keyPath): \(text)".sanitized }
}

extension ConfiguredInterfaces {
    /// Returns a warning for each configured interface that doesn't exist.
    ///
    /// Such an interface will be used when it appears.
    package func warnings(present: Set<String>, file path: String, keyPath: String) -> [ConfigurationWarning] {
        guard case .named(let names) = self else { return [] }
        return names.filter { !present.contains($0) }.map { name in
            ConfigurationWarning(
                place: path, keyPath: keyPath,
                text: "unknown interface \(name); it will be used when it appears; existing interfaces: "
                    + present.sorted().joined(separator: ", "))
        }
    }
}
