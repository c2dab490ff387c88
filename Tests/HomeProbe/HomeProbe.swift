import BoundedJSON
import Glibc
import HomeClient
import Logging

/// An app for tests that performs commands from standard input and prints the events of the home.
///
/// `home-probe [--socket SOCKET] [--app ID] [--purpose TEXT] [--capabilities home,vendor] [--vendor VENDOR]`
///
/// Commands are JSON objects, one per line (``Commands``), and run concurrently. An answer has the `id` of its command:
/// `{"id":1,"answer":...}` or `{"id":1,"error":{...}}`. Events are lines `{"event":"roomAdded",...}` in order, with the
/// names of `homehub watch --json`.
@main
struct HomeProbe {
    static func main() async {
        let arguments = Dictionary(options(CommandLine.arguments.dropFirst())) { _, last in last }
        let capabilities = arguments["--capabilities"]?.split(separator: ",") ?? ["home", "setupPayload"]
        let app = AppDeclaration(
            id: arguments["--app"] ?? "org.example.probe",
            usageDescription: arguments["--purpose"] ?? "To try the home.",
            capabilities: Set(capabilities.compactMap { HomeCapability(rawValue: String($0)) }),
            vendor: arguments["--vendor"])
        let manager = HomeManager(
            app, socket: arguments["--socket"],
            logger: Logger(label: "probe") { StreamLogHandler.standardError(label: $0) })
        let events = manager.allEvents()
        let commands = Commands(manager)
        await withDiscardingTaskGroup { group in
            group.addTask { try? await manager.run() }
            group.addTask { for await events in events { say(events.json) } }
            await withDiscardingTaskGroup { calls in
                while let line = await nextLine() { calls.addTask { say(await commands.answer(line)) } }
                await commands.cancelAll()
                calls.cancelAll()
            }
            group.cancelAll()
        }
    }

    private static func options(_ arguments: ArraySlice<String>) -> [(String, String)] {
        stride(from: arguments.startIndex, to: arguments.endIndex - 1, by: 2).map { (arguments[$0], arguments[$0 + 1]) }
    }

    /// Reads the next line of standard input, which blocks a thread of the pool.
    @concurrent private static func nextLine() async -> String? { readLine() }

    /// Prints one line without buffering.
    static func say(_ json: JSONValue) {
        var line = json.encoded + [UInt8(ascii: "\n")]
        _ = line.withUnsafeMutableBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
