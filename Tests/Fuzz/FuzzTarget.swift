/// A fuzz test of code that handles untrusted bytes.
///
/// It checks promises that the code must keep for every input. A target reports a failure only by trapping, which both
/// libFuzzer and the tests detect.
struct FuzzTarget: Sendable {
    /// A check that traps if a promise isn't kept for the input.
    enum Check: Sendable {
        case atOnce(@Sendable ([UInt8]) -> Void)
        /// An asynchronous check, for code that uses actors.
        case inTime(@Sendable ([UInt8]) async -> Void)
    }

    /// The name of the target in `make fuzz TARGET=` and in `Tests/Fixtures/Fuzz`.
    let name: String
    let check: Check

    static let all: [FuzzTarget] = [
        FuzzTarget("tlv8", checkTLV8),
        FuzzTarget("pairings", checkPairings),
        FuzzTarget("pair-setup", checkPairSetup),
        FuzzTarget("pair-verify", checkPairVerify),
        FuzzTarget("transition", checkTransition),
        FuzzTarget("http", checkHTTP),
        FuzzTarget("frames", checkFrames),
        FuzzTarget("json", checkJSON),
        FuzzTarget("characteristics", checkCharacteristics),
        FuzzTarget("database", checkDatabase),
        FuzzTarget(inTime: "accessory", checkAccessory),
        FuzzTarget(inTime: "controller", checkController),
        FuzzTarget("txt", checkTXT),
        FuzzTarget("discovery", checkDiscovery),
        FuzzTarget("template", checkTemplate),
        FuzzTarget("esphome", checkESPHome),
        FuzzTarget("lifx", checkLIFX),
        FuzzTarget("wiz", checkWiZ),
        FuzzTarget("hue", checkHue),
        FuzzTarget("hue-pairing", checkHuePairing),
        FuzzTarget("event-stream", checkEventStream),
        FuzzTarget("wled", checkWLED),
        FuzzTarget("kasa", checkKasa),
        FuzzTarget("govee", checkGovee),
        FuzzTarget("shelly", checkShelly),
        FuzzTarget("shelly-gen1", checkShellyGen1),
        FuzzTarget("yeelight", checkYeelight),
        FuzzTarget("rpc", checkRPC),
        FuzzTarget("plugin", checkPlugin),
        FuzzTarget("home", checkHome),
        FuzzTarget("names", checkNames),
        FuzzTarget("setup", checkSetup),
        FuzzTarget("configuration", checkConfiguration),
        FuzzTarget("lamplighterd", checkBridgeConfiguration),
        FuzzTarget("homehubd", checkHubConfiguration),
        FuzzTarget("dns", checkDNS),
    ]

    private init(_ name: String, _ check: @escaping @Sendable ([UInt8]) -> Void) {
        self.name = name
        self.check = .atOnce(check)
    }

    private init(inTime name: String, _ check: @escaping @Sendable ([UInt8]) async -> Void) {
        self.name = name
        self.check = .inTime(check)
    }

    init?(named name: String) {
        guard let target = Self.all.first(where: { $0.name == name }) else { return nil }
        self = target
    }

    /// Checks an input.
    func run(_ input: [UInt8]) async {
        switch check {
        case .atOnce(let check): check(input)
        case .inTime(let check): await check(input)
        }
    }
}

/// Prints a promise and traps if the promise isn't kept.
///
/// A precondition wouldn't print the promise in a release build.
func promise(_ isKept: Bool, _ what: StaticString, file: StaticString = #file, line: UInt = #line) {
    guard isKept else { fatalError("not kept: \(what)", file: file, line: line) }
}

extension [UInt8] {
    /// The lines of the input, for targets whose input consists of several strings.
    var lines: [ArraySlice<UInt8>] { split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) }

    /// The input in pieces, as a network might split it.
    ///
    /// The size of the pieces depends only on the input.
    var pieces: [ArraySlice<UInt8>] {
        let sum = reduce(0) { $0 &+ Int($1) }
        let size = sum.isMultiple(of: 3) ? 1 : 1 + sum % 61
        return stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }

    /// The input as steps of a procedure.
    ///
    /// Each step consists of its kind in one byte, the length of its content in two bytes, least significant byte
    /// first, and the content.
    var steps: [(kind: UInt8, content: [UInt8])] {
        var steps: [(kind: UInt8, content: [UInt8])] = []
        var rest = self[...]
        while let kind = rest.popFirst() {
            let length = Int(rest.popFirst() ?? 0) | Int(rest.popFirst() ?? 0) << 8
            steps.append((kind, Array(rest.prefix(length))))
            rest = rest.dropFirst(length)
        }
        return steps
    }

    /// Returns a modified copy of these bytes.
    ///
    /// `change` contains the start index in two bytes, followed by the bits to flip. A change with fewer than three
    /// bytes has no effect.
    func altered(by change: [UInt8]) -> [UInt8] {
        guard change.count > 2, !isEmpty else { return self }
        var bytes = self
        let start = (Int(change[0]) | Int(change[1]) << 8) % count
        for (index, mask) in zip(start..<count, change.dropFirst(2)) { bytes[index] ^= mask }
        return bytes
    }
}
