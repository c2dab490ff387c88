import BoundedJSON
import DeviceKit
import FoundationEssentials
import Glibc
import Logging

@testable import LightPlugins

/// The example plugins, and scripts that misbehave.
enum PluginProgram {
    static let examples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Examples/Plugins").path

    /// Returns a new temporary folder.
    static func folder() throws -> String {
        var path = Array("/tmp/lamplighter-plugins-XXXXXX".utf8CString)
        guard mkdtemp(&path) != nil else { throw POSIXError(.EIO) }
        return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns a shell script that runs the given commands.
    ///
    /// They can call `serve`, which adds a light and answers requests.
    static func script(_ more: String, asks: String = "") -> [String] {
        let text = """
            say() { printf '{"jsonrpc":"2.0",%s}\\n' "$1"; }
            light() { say '"method":"lights/added","params":{"id":"a"}'; say '"method":"lights/state","params":{"id":"a","on":true}'; }
            serve() {
                while IFS= read -r line; do
                    id=${line#*'"id":'}; id=${id%%,*}
                    case $line in
                    *'"hello"'*) say "\\"id\\":$id,\\"result\\":{\\"protocol\\":1,\\"name\\":\\"t\\",\\"version\\":\\"1\\"}"; light; \(asks.isEmpty ? ":" : asks) ;;
                    *) say "\\"id\\":$id,\\"result\\":{}" ;;
                    esac
                done
            }
            \(more)
            """
        return ["/bin/sh", "-c", text]
    }

    static func driver(
        _ command: [String], config: JSONValue = [:], stateDirectory: String? = nil,
        timing: PluginTiming = PluginTiming()
    ) -> PluginDriver {
        PluginDriver(
            configuration: PluginDriverConfiguration(
                id: "t", command: command, config: config, stateDirectory: stateDirectory),
            timing: timing, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
}
