import FoundationEssentials
import Testing

/// The limits of the accessory role, its transport and automations, and the tests that reach them.
///
/// This suite checks that each limit has a test. `make mutants` checks that the tests detect a missing limit
/// (`Tests/Mutants/limits.toml`).
@Suite("The index of limits")
struct LimitIndexTests {
    /// The files that declare limits, each as a `static let`.
    private static let files = [
        "Sources/HAPProtocol/Limits.swift", "Sources/AccessoryRole/Limits.swift",
        "Sources/DeviceBridge/Limits.swift", "Sources/HAPTransport/TransportLimits.swift",
        "Sources/HomeModel/Automations/TriggerLimits.swift", "Sources/HomeHub/Activity/ActivityLimits.swift",
    ]

    /// The limits that the tests in each file reach.
    private static let index = [
        "HAPProtocolTests/HTTPParserTests": [
            "HTTPLimits.startLine", "HTTPLimits.headerLines", "HTTPLimits.headers", "HTTPLimits.emptyLines",
            "HTTPLimits.head", "HTTPLimits.pairingBody", "HTTPLimits.body", "HTTPLimits.responseBody",
            "HTTPLimits.chunkLine",
        ],
        "HAPProtocolTests/SecureFramerTests": ["SecureFramer.maximumContent", "SecureFramer.maximumFrames"],
        "AccessoryRoleTests/PairingsTests": ["PairingList.maximum"],
        "HAPProtocolTests/PairingsTests": ["ControllerID.maximumLength"],
        "HAPProtocolTests/CharacteristicRequestTests": ["PrepareRequest.maximumTimeToLive"],
        "AccessoryRoleTests/ConnectionTests": [
            "ConnectionPolicy.maximum", "ConnectionPolicy.verifiedIdleTimeout", "ConnectionPolicy.unverifiedLifetime",
            "AccessoryServer.stoppingTime",
        ],
        "AccessoryRoleTests/MachineTests": [
            "ConnectionPolicy.maximumUnverified", "EventOutbox.maximumMomentaryEvents",
        ],
        "DeviceBridgeTests/EventTests": ["ConnectionPolicy.slowPeerTimeout"],
        "AccessoryRoleTests/RateLimitTests": [
            "UnauthenticatedRateLimiter.host", "UnauthenticatedRateLimiter.network",
            "UnauthenticatedRateLimiter.maximumAddresses", "UnauthenticatedRateLimiter.maximumProven",
        ],
        "AccessoryRoleTests/PairSetupTests": ["SetupAttempts.maximumFailures", "SetupAttempts.silenceLimit"],
        "AccessoryRoleTests/SetupAttemptsTests": [
            "SetupAttempts.turnLimit", "SetupAttempts.waitingTime", "SetupAttempts.maximumSources",
            "SetupAttempts.memory", "SetupAttempts.networkShare", "SetupAttempts.longestPause",
        ],
        "AccessoryRoleTests/HandlerTests": ["AccessoryServer.handlerTimeout", "HandlerCalls.maximumUnfinished"],
        "DeviceBridgeTests/IdentityTests": ["DeviceBridge.maximumLights"],
        "DeviceBridgeTests/FurtherBridgesTests": ["DeviceBridge.maximumBridges"],
        "DeviceBridgeTests/RemovedLightsTests": [
            "DeviceBridge.maximumWaitingLights", "DeviceBridge.maximumRemovedLights",
        ],
        "DeviceBridgeTests/SensorTests": ["DeviceBridge.maximumExcludedLights"],
        "DeviceBridgeTests/SilentLightTests": ["CommandWaiter.timeout"],
        "HomeModelTests/Automations/TriggerValidationTests": [
            "TriggerLimits.events", "TriggerLimits.actions", "TriggerLimits.conditionDepth", "TriggerLimits.conditions",
            "TriggerLimits.shortestInterval", "TriggerLimits.longestInterval", "TriggerLimits.longestDelay",
            "TriggerLimits.longestOffset", "TriggerLimits.notificationBytes",
        ],
        "HomeModelTests/Automations/TriggerMachineTests": [
            "TriggerLimits.runsInMinute", "TriggerLimits.pause", "TriggerLimits.chainDepth",
            "TriggerLimits.punctuality", "TriggerLimits.attribution", "TriggerLimits.fade",
            "TriggerLimits.missedOccurrences", "TriggerLimits.skippedRanges", "TriggerLimits.fadeStorage",
        ],
        "HomeHubTests/ActivityLogTests": [
            "ActivityLog.maximumPending", "ActivityLog.changesInPeriod", "ActivityLog.period",
            "ActivityLog.maximumLead", "ActivityLog.actInterval",
            "ActivityLog.reportInterval", "ActivityLog.gradualInterval",
        ],
        "homehubdTests/HomeDatabaseTests": ["TriggerLimits.records"],
        "HomeHubTests/AutomationTests": ["TriggerLimits.recordsInAnswer"],
        "HomeModelTests/Automations/TimeZoneRulesTests": ["TriggerLimits.timeZoneFile"],
        "HAPTransportTests/HostileTests": ["TransportLimits.requestsPerTurn", "TransportLimits.acknowledgeTime"],
        "HAPTransportTests/AccessoryChannelHandlerTests": [
            "TransportLimits.readAhead", "TransportLimits.frameTime", "TransportLimits.messageTime",
        ],
        "HAPTransportTests/AccessoryListenerTests": [
            "TransportLimits.writeHighWater", "TransportLimits.writeLowWater", "TransportLimits.closingTime",
            "TransportLimits.backlog",
        ],
    ]

    @Test("lists exactly the existing limits, each once")
    func limits() throws {
        let declared = try Self.files.flatMap { Self.limits(in: try Self.text($0)) }
        #expect(declared.count > 30)
        let indexed = Self.index.values.joined()
        #expect(Set(declared).subtracting(indexed) == [], "limits without a test")
        #expect(Set(indexed).subtracting(declared) == [], "limits that no longer exist")
        #expect(Set(indexed).count == indexed.count)
        for file in Self.index.keys { #expect(try Self.text("Tests/\(file).swift").contains("@Test")) }
    }

    private static func text(_ path: String) throws -> String {
        var root = URL(filePath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        return String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
    }

    /// Returns the limits in a file, as `Type.name`.
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
