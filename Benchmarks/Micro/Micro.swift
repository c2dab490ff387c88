import HAPTesting

/// Times the parts that every request and every session goes through, without network and processes; prints one JSON
/// object a line.
///
/// The first is libsodium's alone: it says how quick the machine is, and the others are to be seen beside it.
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

/// What was timed failed: its time means nothing.
struct Wrong: Error, CustomStringConvertible {
    let description: String

    init(file: StaticString = #fileID, line: Int = #line) { description = "what \(file):\(line) times goes wrong" }
}
