import Logging
import TestTimeouts
import Testing

@testable import Discovery

/// A test bench with real Avahi daemons: a LAN with a publisher or a browser.
enum AvahiBench {
    static let name = "Lamp E5FF"
    /// The service's name as `avahi-browse` prints it.
    static let seen = #"Lamp\032E5FF"#
    static let record = ServiceRecord(
        name: name, type: "_hap._tcp", port: 51826, txt: ["c#": "1", "id": "AA:BB", "sf": "1"])
    static let requirement = ConditionTrait.requires(without: PretendLAN.missingRequirement)

    static func withLAN(_ body: (PretendLAN, AvahiServicePublisher) async throws -> Void) async throws {
        let lan = try PretendLAN()
        defer { lan.tearDown() }
        try await lan.setUp()
        let index = lan.interfaceIndex
        let publisher = try AvahiServicePublisher(logger: logger) { [InterfaceFacts(name: "eth0", index: index)] }
        try await lan.onBridge { try publisher.start() }
        let result = await Result { try await body(lan, publisher) }
        await publisher.stop()
        try result.get()
    }

    static func withBrowser(
        starts: Bool = true, isWanted: @escaping @Sendable (String) -> Bool = { _ in true },
        _ body: (PretendLAN, AvahiServicePublisher, AvahiServiceBrowser) async throws -> Void
    ) async throws {
        try await withLAN { lan, publisher in
            let browser = try AvahiServiceBrowser(type: "_hap._tcp", logger: logger, isWanted: isWanted)
            if starts { try await lan.onBridge { try browser.start() } }
            let result = await Result { try await body(lan, publisher, browser) }
            await browser.stop()
            try result.get()
        }
    }

    private static var logger: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}

extension PretendLAN {
    /// Starts the second host's daemons, and waits until they respond.
    func startPhone() async throws {
        try await startBus(of: phone)
        try startAvahi(of: phone)
        try await eventually("the phone's Avahi answers") { (try? await services()) != nil }
    }

    /// Starts the first host's daemons.
    func startBridge() async throws {
        try await startBus(of: bridge)
        try startAvahi(of: bridge)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

extension PublicationState {
    func isWaiting(for text: String) -> Bool {
        guard case .waiting(let reason) = self else { return false }
        return reason.contains(text)
    }
}

/// Runs the suites with this trait one at a time.
///
/// libdbus holds a process-wide lock while a bus accepts a new client. If one bus hangs, no other LAN can continue.
struct InTurn: SuiteTrait, TestScoping {
    private static let turn = Turn()

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        await Self.turn.take()
        let result = await Result { try await function() }
        await Self.turn.give()
        try result.get()
    }
}

extension Trait where Self == InTurn {
    static var inTurn: Self { InTurn() }
}

private actor Turn {
    private var isTaken = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func take() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiters.append($0) }
    }

    func give() {
        if waiters.isEmpty { isTaken = false } else { waiters.removeFirst().resume() }
    }
}
