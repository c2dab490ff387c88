import Glibc
import HAPModel
import HAPTesting
import HomeModel
import LineRPC
import Logging
import Testing

@testable import HomeClient

struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

let lights = AppDeclaration(id: "org.example.lights", usageDescription: "To switch the lights of the tests.")

/// Timeouts with short delays and long limits.
let hasty: Timeouts = {
    var timeouts = Timeouts()
    timeouts.connection = .seconds(60)
    timeouts.absence = .seconds(60)
    timeouts.cancelled = .seconds(60)
    timeouts.reconnect = (.milliseconds(1), .milliseconds(20))
    timeouts.reload = .milliseconds(1)
    return timeouts
}()

/// Creates a folder for a test's socket and removes it afterwards.
func withSocketPath<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = "/tmp/home-client-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    guard mkdir(folder, 0o700) == 0 else { throw TestFailure("mkdir \(folder): \(errno)") }
    defer {
        unlink(folder + "/s.new")
        unlink(folder + "/s")
        rmdir(folder)
    }
    return try await body(folder + "/s")
}

/// Runs a daemon at a socket while the body runs.
@discardableResult
func serving<Result: Sendable>(
    _ daemon: FakeDaemon, at path: String, _ body: @Sendable () async throws -> Result
) async throws -> Result {
    let server = LineRPCServer(
        path: path, mode: 0o600, limits: LineLimits(lineLength: 1 << 20, sentLineLength: 16 << 20), sessions: daemon,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let (listening, sink) = AsyncStream.makeStream(of: Void.self)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { sink.finish() }
            try await server.run { sink.yield() }
        }
        guard await listening.first(where: { true }) != nil else { throw TestFailure("no server") }
        let result = try await body()
        group.cancelAll()
        try? await group.waitForAll()
        return result
    }
}

/// Runs a manager while the body runs.
@discardableResult
func running<Result: Sendable>(
    at path: String, as app: AppDeclaration = lights, timeouts: Timeouts = hasty,
    _ body: @Sendable (HomeManager) async throws -> Result
) async throws -> Result {
    let manager = HomeManager(
        app, socket: path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, timeouts: timeouts)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await manager.run() }
        defer { group.cancelAll() }
        return try await body(manager)
    }
}

/// Runs a daemon and an app that has loaded its homes.
func withHome(
    app: AppDeclaration = lights, prepare: @Sendable (FakeDaemon) async throws -> Void = { _ in },
    _ body: @Sendable (FakeDaemon, HomeManager) async throws -> Void
) async throws {
    let daemon = FakeDaemon()
    try await prepare(daemon)
    try await withManager(of: daemon, as: app) { manager in
        try await manager.waitUntilLoaded()
        try await body(daemon, manager)
    }
}

/// Runs a daemon and an app that hasn't loaded its homes.
func withManager(
    of daemon: FakeDaemon, as app: AppDeclaration = lights, _ body: @Sendable (HomeManager) async throws -> Void
) async throws {
    try await withSocketPath { path in
        try await serving(daemon, at: path) { try await running(at: path, as: app, body) }
    }
}

/// Runs a daemon with one lamp and an app that has loaded its homes.
func withLamp(
    _ body: @Sendable (FakeDaemon, HomeManager, Accessory, Characteristic.ID) async throws -> Void
) async throws {
    try await withHome { daemon in
        _ = try await daemon.addHomeAndLamp()
    } _: { daemon, manager in
        let lamp = try #require(await manager.homes.first?.accessories.first)
        try await body(daemon, manager, lamp, try lamp.power)
    }
}

extension EventStream {
    /// Returns the next events; fewer than `count` if the stream ends.
    func take(_ count: Int) async -> [Event] {
        var events: [Event] = []
        var iterator = makeAsyncIterator()
        while events.count < count, let event = await iterator.next() { events.append(event) }
        return events
    }
}

extension FakeDaemon {
    /// The requested additions that were a step of the standard setup.
    var additionsAsked: [AdditionRequest] {
        asked.compactMap { if case .setUpAccessory(let addition) = $0 { addition } else { nil } }
    }

    /// Adds a home with one lamp.
    func addHomeAndLamp() throws -> (home: Home, lamp: Accessory) {
        try write(.addHome(name: "My Home"))
        guard let home = graph.homes.first else { throw TestFailure("no home") }
        let lamp = try add(TestDevices.id(1), [TestDevices.lamp()], to: home.id)
        guard let lamp = lamp.first, let home = graph.homes.first else { throw TestFailure("no lamp") }
        return (home, lamp)
    }
}

extension Accessory {
    /// The characteristic that switches the accessory.
    var power: Characteristic.ID {
        get throws {
            guard let id = primaryService?.characteristic(.on)?.id else { throw TestFailure("no power") }
            return id
        }
    }
}

/// Returns the error code that a call throws; `nil` if it succeeds.
func refusal<Result>(of call: () async throws(HomeError) -> Result) async -> HomeError.Code? {
    do { _ = try await call() } catch { return error.code }
    return nil
}
