import Glibc
import HAPController
import HAPModel
import HAPProtocol
import HAPTransport
import NIOPosix

/// Puts a bridge under the load of several controllers.
///
/// Prints the cost of each step as a JSON object on one line.
///
///     HAP_SETUP_CODE=XXX-XX-XXX hap-load PORT PROCESS [PERCENT]
///
/// The bridge must run on this host and be unpaired. `PERCENT` scales the number of operations; the default is 100.
@main
struct LoadClient {
    static func main() async {
        do {
            try await run()
        } catch {
            let line = Array("hap-load: \(error)\n".utf8)
            _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            exit(1)
        }
    }

    private static func run() async throws {
        let words = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard (2...3).contains(words.count), words.count == CommandLine.arguments.count - 1,
            let port = UInt16(exactly: words[0]), let process = pid_t(exactly: words[1]),
            let endpoint = AccessoryEndpoint(address: [127, 0, 0, 1], port: port),
            let code = getenv("HAP_SETUP_CODE").flatMap({ SetupCode(String(cString: $0)) })
        else { throw LoadError("usage: HAP_SETUP_CODE=XXX-XX-XXX hap-load PORT PROCESS [PERCENT]") }
        let bridge = Bridge(
            endpoint: endpoint, identity: .random(),
            dialer: TCPDialer(MultiThreadedEventLoopGroup(numberOfThreads: 1)))
        let load = Load(
            bridge: bridge, server: try ServerProcess(process), percent: words.count > 2 ? max(words[2], 1) : 100)

        let pairing = try await load.pairSetup(code)
        let lights = try await bridge.lights(pairing)
        try load.memory("memory before the load")
        try await load.idle(pairing, lights)
        try await load.reads(pairing, lights)
        try await load.writes(pairing, lights)
        try await load.events(pairing, lights)
        try await load.pairVerify(pairing)
        try load.memory("memory after the load")
    }
}

/// The reason why a measurement is invalid.
struct LoadError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
