/// One reader of bytes from outside, with what has to be true of it for every input.
///
/// A target fails by trapping, which libFuzzer and a test both see, and by nothing else.
struct FuzzTarget: Sendable {
    /// What `make fuzz TARGET=` calls it, and its file in `Tests/Fixtures/Fuzz`.
    let name: String
    /// Traps if the input makes the reader break a promise.
    let check: @Sendable ([UInt8]) -> Void

    static let all: [FuzzTarget] = [
        FuzzTarget(name: "tlv8", check: checkTLV8),
        FuzzTarget(name: "pairings", check: checkPairings),
        FuzzTarget(name: "transition", check: checkTransition),
        FuzzTarget(name: "http", check: checkHTTP),
        FuzzTarget(name: "frames", check: checkFrames),
        FuzzTarget(name: "json", check: checkJSON),
        FuzzTarget(name: "characteristics", check: checkCharacteristics),
        FuzzTarget(name: "database", check: checkDatabase),
        FuzzTarget(name: "txt", check: checkTXT),
        FuzzTarget(name: "discovery", check: checkDiscovery),
        FuzzTarget(name: "rpc", check: checkRPC),
        FuzzTarget(name: "home", check: checkHome),
        FuzzTarget(name: "names", check: checkNames),
        FuzzTarget(name: "setup", check: checkSetup),
        FuzzTarget(name: "configuration", check: checkConfiguration),
        FuzzTarget(name: "dns", check: checkDNS),
    ]

    init(name: String, check: @escaping @Sendable ([UInt8]) -> Void) {
        self.name = name
        self.check = check
    }

    init?(named name: String) {
        guard let target = Self.all.first(where: { $0.name == name }) else { return nil }
        self = target
    }
}

/// Traps unless a promise is kept, and says which; a precondition would keep that to itself in a release build.
func promise(_ isKept: Bool, _ what: StaticString, file: StaticString = #file, line: UInt = #line) {
    guard isKept else { fatalError("not kept: \(what)", file: file, line: line) }
}

extension [UInt8] {
    /// The input's lines, for targets that take more than one text.
    var lines: [ArraySlice<UInt8>] { split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) }

    /// The input in pieces as a network might cut it, the same for the same input.
    var pieces: [ArraySlice<UInt8>] {
        let sum = reduce(0) { $0 &+ Int($1) }
        let size = sum.isMultiple(of: 3) ? 1 : 1 + sum % 61
        return stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
