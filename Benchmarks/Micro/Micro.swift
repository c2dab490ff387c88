import HAPTesting

/// Measures the parts of all requests and sessions without network and processes.
///
/// Prints one JSON object per line.
///
/// The first result measures only libsodium. It shows the machine's speed, as a reference for the others.
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

/// An error of a measured operation, which makes its time meaningless.
struct Wrong: Error, CustomStringConvertible {
    let description: String

    init(file: StaticString = #fileID, line: Int = #line) { description = "what \(file):\(line) times goes wrong" }
}
