import HAPTesting

/// Measures the parts that handle requests and sessions, without a network or other processes.
///
/// Prints one JSON object per line.
///
/// The first result measures only libsodium. It shows the machine's speed and is a reference for the other results.
@main
struct Micro {
    static func main() async throws {
        try await Parts.sealing()
        try await Parts.messages()
        try await Parts.pairingTLV()
        try await Parts.databases()
        try await Handshakes().run()
        try await Writes.run()
        for subscribers in [1, 16, 100] { try await Events(subscribers: subscribers).run() }
    }
}

/// An error that indicates that a measured operation failed, which makes its time meaningless.
struct Wrong: Error, CustomStringConvertible {
    let description: String

    init(file: StaticString = #fileID, line: Int = #line) { description = "the operation at \(file):\(line) failed" }
}
