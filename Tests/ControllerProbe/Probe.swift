import BoundedJSON
import Discovery
import Glibc
import HAPController
import HAPModel
import HAPProtocol
import HAPTransport
import Logging
import NIOPosix

/// A controller for tests, which executes commands from standard input.
///
/// It finds accessories through Avahi and reads one JSON object per line (``Commands``). It writes responses
/// (`{"answer":...}` or `{"error":...}`) and events (`{"state":...}`, `{"values":...}`, `{"database":...}`) as lines on
/// standard output. Its pairing is lost when the process ends.
@main
struct Probe {
    private static let logger = Logger(label: "probe") { StreamLogHandler.standardError(label: $0) }

    static func main() async throws {
        let browser = AccessoryServerBrowser(try AvahiServiceBrowser(type: Advertisement.serviceType, logger: logger))
        try browser.start()
        let commands = Commands(browser: browser, logger: logger)
        await withTaskGroup { group in
            group.addTask { await commands.keepLink() }
            group.addTask { await commands.follow() }
            while let line = await nextLine() { say(await commands.answer(line)) }
            group.cancelAll()
        }
        await browser.stop()
    }

    /// Returns the next line of standard input; a thread of the concurrent pool waits for the line.
    @concurrent private static func nextLine() async -> String? { readLine() }

    /// Writes one line without buffering.
    static func say(_ json: JSONValue) {
        var line = json.encoded + [UInt8(ascii: "\n")]
        _ = line.withUnsafeMutableBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
