import FoundationEssentials
import LineRPC
import Logging
import TestTimeouts
import Testing

@Suite("The program of an app", .timeout)
struct IdentityTests {
    /// A change of a program's file while it runs.
    enum Fate: CaseIterable {
        case stays, goes
        case isReplaced
        /// Another file gets the name of a deleted executable.
        case isFeigned
    }

    @Test("is its executable, unless that is deleted or replaced", arguments: Fate.allCases)
    func file(_ fate: Fate) async throws {
        try await withSocketPath { path in
            let files = FileManager.default
            let (copy, feigned) = (path + ".program", path + ".program (deleted)")
            defer { for file in [copy, feigned] { try? files.removeItem(atPath: file) } }
            try files.copyItem(atPath: Program.path(of: "home-probe"), toPath: copy)
            var program: Program?
            defer { withExtendedLifetime(program) {} }
            // A child that another test starts may hold the copy open for writing until it runs its own program.
            try await eventually("the copy is started") {
                program = try? Program(copy, ["--socket", path, "--app", "org.example.p"], output: path + ".out")
                return program != nil
            }
            // The program waits for the daemon.
            if fate != .stays { try files.removeItem(atPath: copy) }
            if fate == .isReplaced { try Data("another".utf8).write(to: URL(filePath: copy)) }
            if fate == .isFeigned { try Data("another".utf8).write(to: URL(filePath: feigned)) }
            let (identities, sink) = AsyncStream.makeStream(of: PeerIdentity?.self)
            let server = LineRPCServer(
                path: path, mode: 0o600, limits: LineLimits(), sessions: Doorman(identities: sink),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let running = Task { try await server.run() }
            defer { running.cancel() }
            let identity = try #require(await identities.first { _ in true } ?? nil)
            #expect(identity.executable == (fate == .stays ? copy : ""))
            running.cancel()
            _ = await running.result
        }
    }
}

/// Records the peers.
private struct Doorman: LineRPCSessions {
    let identities: AsyncStream<PeerIdentity?>.Continuation

    func serve(_ peer: LineRPCPeer, _ inputs: AsyncStream<LineRPCInput>) async {
        identities.yield(peer.identity)
        for await _ in inputs {}
    }
}
