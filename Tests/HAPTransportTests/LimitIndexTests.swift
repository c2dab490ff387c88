import FoundationEssentials
import Testing

/// Where each limit of the bridge's HAP side is reached.
///
/// This suite checks that each limit has a test. `make mutants` shows that the tests notice a missing limit
/// (`Tests/Mutants/limits.toml`).
@Suite("The index of limits")
struct LimitIndexTests {
    /// The files that hold the limits, each a `static let`.
    private static let files = [
        "Sources/HAPProtocol/Limits.swift", "Sources/AccessoryRole/Limits.swift",
        "Sources/LightBridge/Limits.swift", "Sources/HAPTransport/TransportLimits.swift",
    ]

    /// Limits, the file of the test that reaches them, and its name.
    private static let index: [(limits: [String], file: String, test: String)] = [
        (["HTTPLimits.startLine"], "HAPTransportTests/LimitTests", "start line"),
        (["HTTPLimits.headerLines"], "HAPTransportTests/LimitTests", "header lines"),
        (["HTTPLimits.headers"], "HAPTransportTests/LimitTests", "headers"),
        (
            ["HTTPLimits.emptyLines"], "HAPProtocolTests/HTTPParserTests",
            "four empty lines before a request are skipped, the fifth is refused; the second counts as a message's beginning"
        ),
        (
            ["HTTPLimits.head"], "HAPProtocolTests/HTTPParserTests",
            "a head without an end is given up at its limit, however it comes"
        ),
        (["HTTPLimits.pairingBody"], "HAPTransportTests/LimitTests", "body of the pairing endpoints"),
        (["HTTPLimits.body"], "HAPTransportTests/LimitTests", "body"),
        (
            ["HTTPLimits.responseBody"], "HAPProtocolTests/HTTPParserTests",
            "a body has a limit, by length and in chunks"
        ),
        (["HTTPLimits.chunkLine"], "HAPProtocolTests/HTTPParserTests", "chunks that are none are refused"),
        (
            ["SecureFramer.maximumContent"], "HAPProtocolTests/SecureFramerTests",
            "a length above 1024 is refused before anything is waited for"
        ),
        (
            ["SecureFramer.maximumFrames"], "HAPProtocolTests/SecureFramerTests",
            "the counters go to their end and not around it"
        ),
        (
            ["PairingList.maximum"], "AccessoryRoleTests/PairingsTests",
            "64 pairings are kept, the next is refused with MaxPeers, and a known one still changes"
        ),
        (["ControllerID.maximumLength"], "HAPTransportTests/LimitTests", "identifier of a controller"),
        (["PrepareRequest.maximumTimeToLive"], "HAPTransportTests/LimitTests", "time to live of a prepared write"),
        (
            ["ConnectionPolicy.maximum", "ConnectionPolicy.verifiedIdleTimeout"], "AccessoryRoleTests/ConnectionTests",
            "128 sessions are kept; the next is closed as long as none has been idle for 60 s"
        ),
        (
            ["ConnectionPolicy.maximumUnverified"], "AccessoryRoleTests/ConnectionTests",
            "at most 32 unauthenticated peers, whatever room there is"
        ),
        (
            ["ConnectionPolicy.unverifiedLifetime"], "AccessoryRoleTests/ConnectionTests",
            "who does not verify within 60 s of its last word is closed; a session is not"
        ),
        (
            ["ConnectionPolicy.slowPeerTimeout"], "LightBridgeTests/EventTests",
            "a peer that has taken nothing for 30 s is dropped, others get their events all the time"
        ),
        (
            ["UnauthenticatedRateLimiter.host"], "AccessoryRoleTests/RateLimitTests",
            "512 units of each address, then 32 a second; another address has its own"
        ),
        (
            ["UnauthenticatedRateLimiter.network"], "AccessoryRoleTests/RateLimitTests",
            "one IPv6 address does not use up its network's; many do: 4096 units, then 256 a second"
        ),
        (
            ["UnauthenticatedRateLimiter.maximumAddresses"], "AccessoryRoleTests/RateLimitTests",
            "1024 addresses are remembered; then the one that has used least is forgotten, and who floods is not"
        ),
        (
            ["UnauthenticatedRateLimiter.maximumProven"], "AccessoryRoleTests/RateLimitTests",
            "128 addresses that have proven themselves are remembered, the latest"
        ),
        (
            ["SetupAttempts.maximumFailures"], "AccessoryRoleTests/PairSetupTests",
            "the hundredth failure is answered as the others; from then on no controller can try, also after a restart"
        ),
        (
            ["SetupAttempts.silenceLimit"], "AccessoryRoleTests/PairSetupTests",
            "an owner that has been silent for 30 s loses the procedure, and its next message is 400"
        ),
        (
            ["SetupAttempts.turnLimit"], "AccessoryRoleTests/SetupAttemptsTests",
            "60 s after its first M1 a connection without a valid proof loses its turn to the next that asks"
        ),
        (
            ["SetupAttempts.waitingTime"], "AccessoryRoleTests/SetupAttemptsTests",
            "a source that has held pair setup doesn't get it again while another source waits"
        ),
        (
            ["SetupAttempts.maximumSources", "SetupAttempts.memory"], "AccessoryRoleTests/SetupAttemptsTests",
            "no more than 512 sources are remembered; sources with more lost turns stay"
        ),
        (
            ["SetupAttempts.networkShare"], "AccessoryRoleTests/SetupAttemptsTests",
            "an IPv6 host gains nothing from its network's other addresses, and little harms its neighbors"
        ),
        (
            ["SetupAttempts.longestPause"], "AccessoryRoleTests/SetupAttemptsTests",
            "pauses after wrong proofs of one source"
        ),
        (
            ["LightBridge.maximumLights"], "LightBridgeTests/IdentityTests",
            "149 lights are shown; the next waits, with a warning, until there is room; hidden ones that return, too"
        ),
        (
            ["LightBridge.maximumBridges"], "LightBridgeTests/FurtherBridgesTests",
            "a device that announces without end opens ten bridges at most"
        ),
        (
            ["LightBridge.maximumWaitingLights"], "LightBridgeTests/RemovedLightsTests",
            "while nothing can be stored, lights that come and go leave nothing behind, and no aid is given twice"
        ),
        (
            ["LightBridge.maximumRemovedLights"], "LightBridgeTests/RemovedLightsTests",
            "300 removed lights are remembered, the last to go; the aids of the others are given to none, ever"
        ),
        (
            ["CommandWaiter.timeout"], "LightBridgeTests/SilentLightTests",
            "a light that never answers: -70408 after 2 s and not before; others are not kept waiting"
        ),
        (
            ["AccessoryServer.stoppingTime"], "AccessoryRoleTests/ConnectionTests",
            "stopping ends after 2.2 s, whatever peers do"
        ),
        (
            ["TransportLimits.requestsPerTurn"], "HAPTransportTests/HostileTests",
            "of a thousand requests in one piece 64 are answered in a turn: others on the loop do not wait for the rest"
        ),
        (
            ["TransportLimits.readAhead"], "HAPTransportTests/AccessoryChannelHandlerTests",
            "while a request is being answered no more than 64 KiB are read ahead; then reading goes on"
        ),
        (
            ["TransportLimits.writeHighWater", "TransportLimits.writeLowWater"],
            "HAPTransportTests/AccessoryListenerTests",
            "a peer that asks for much and reads nothing is served no further than its buffers; then it gets all, in order"
        ),
        (
            ["TransportLimits.frameTime"], "HAPTransportTests/AccessoryChannelHandlerTests",
            "a frame that has begun must come whole within 10 s"
        ),
        (
            ["TransportLimits.messageTime"], "HAPTransportTests/AccessoryChannelHandlerTests",
            "a message that has begun must come whole within 30 s, whatever trickles in"
        ),
        (
            ["TransportLimits.acknowledgeTime"], "HAPTransportTests/HostileTests",
            "a peer that asks for much, reads nothing and whose system stays up is dropped when its time is up"
        ),
        (
            ["TransportLimits.closingTime"], "HAPTransportTests/AccessoryListenerTests",
            "of a connection that the server has ended our half ends first; it is gone a second later, whatever its peer does"
        ),
        (
            ["TransportLimits.backlog"], "HAPTransportTests/AccessoryListenerTests",
            "all of a home may connect at once while the loop is busy: 128 wait to be accepted"
        ),
    ]

    @Test("every limit stands in the index, and nothing else does")
    func limits() throws {
        let declared = try Self.files.flatMap { Self.limits(in: try Self.text($0)) }
        #expect(declared.count > 30)
        let indexed = Self.index.flatMap(\.limits)
        #expect(Set(declared).subtracting(indexed) == [], "no test reaches these")
        #expect(Set(indexed).subtracting(declared) == [], "these are no limits any more")
        #expect(Set(indexed).count == indexed.count)
    }

    @Test("the test that reaches a limit is there, and is run")
    func tests() throws {
        for entry in Self.index {
            let lines = try Self.text("Tests/\(entry.file).swift").split(separator: "\n")
            let line = lines.first { $0.contains("\"\(entry.test)\"") }
            #expect(line != nil, "\(entry.file) has no test \"\(entry.test)\"")
            #expect(line?.contains(".disabled") != true)
        }
    }

    private static func text(_ path: String) throws -> String {
        var root = URL(filePath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        return String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
    }

    /// The limits of a file, as `Type.name`.
    private static func limits(in text: String) -> [String] {
        var type = ""
        return text.split(separator: "\n").compactMap { line in
            let words = line.split { !$0.isLetter }.map(String.init)
            if let index = words.firstIndex(where: { $0 == "enum" || $0 == "extension" }), line.hasSuffix("{") {
                type = words[index + 1]
            }
            guard let index = words.firstIndex(of: "let"), index > 0, words[index - 1] == "static" else { return nil }
            return "\(type).\(words[index + 1])"
        }
    }
}
