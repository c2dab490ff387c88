import Foundation
import TestTimeouts
import Testing

@testable import LineRPC

@Suite("SocketLocation", .timeout)
struct SocketLocationTests {
    private let folder: SocketFolder
    private var path: String { folder.path }

    init() throws { folder = try SocketFolder() }

    /// Calls the body with a directory in the state in which `make run` leaves it, and with the location that is found
    /// in it.
    private func inClone(
        _ change: (String) throws -> Void = { _ in }, _ body: (String, SocketLocation) throws -> Void
    ) throws {
        let files = FileManager.default
        let clone = NSTemporaryDirectory() + "clone-\(UUID())"
        try files.createDirectory(
            atPath: clone + "/.lamplighter/run", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        defer { try? files.removeItem(atPath: clone) }
        try #require(files.createFile(atPath: clone + "/.lamplighter/run/home.sock", contents: nil))
        try change(clone)
        try body(clone, SocketLocation(of: .hub, given: nil, environment: { _ in nil }, directory: clone))
    }

    @Test(
        "prefers the command line to the environment, and the environment to the clone",
        arguments: [("/a", "/b", "/a"), (nil, "/b", "/b")] as [(String?, String, String)])
    func chosen(given: String?, variable: String, expected: String) {
        let location = SocketLocation(of: .hub, given: given, environment: { $0 == "HOMEHUB_SOCKET" ? variable : nil })
        #expect(location == SocketLocation(chosen: expected))
        #expect(location.servers == nil)
    }

    @Test("uses a socket in a directory that only this user can write, served by root or this user")
    func own() throws {
        try inClone { clone, location in
            #expect(location.path == clone + "/.lamplighter/run/home.sock")
            #expect(location.servers == [0, geteuid()])
        }
    }

    @Test("uses the installed service's socket if there is no other", arguments: [nil, ""])
    func installed(variable: String?) {
        let location = SocketLocation(of: .bridge, given: nil, environment: { _ in variable }, directory: "/nowhere")
        #expect(location.path == "/run/lamplighter/control.sock")
        #expect(location.distrust == nil)
    }

    @Test(
        "rejects a socket that another user can replace, with the reason",
        arguments: [(".lamplighter", 0o775), (".lamplighter/run", 0o777)])
    func writable(folder: String, mode: Int) throws {
        try inClone {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\($0)/\(folder)")
        } _: { clone, location in
            #expect(location.path == "/run/homehub/home.sock")
            #expect(
                location.distrust?.description
                    == "other users can write to \(clone)/\(folder); run chmod go-w on that directory")
        }
    }

    @Test(
        "rejects another user's directory when root runs the program",
        .enabled(if: geteuid() == 0, "only root can create such a directory"),
        arguments: ["", "/.lamplighter", "/.lamplighter/run"])
    func anothers(folder: String) throws {
        try inClone {
            try #require(chown($0 + folder, 65534, 65534) == 0)
        } _: { clone, location in
            #expect(location.path == "/run/homehub/home.sock")
            #expect(
                location.distrust?.description == "\(clone)\(folder) belongs to another user; run this without sudo")
        }
    }

    @Test("doesn't follow a link to another directory")
    func link() throws {
        try inClone { clone in
            try FileManager.default.moveItem(atPath: clone + "/.lamplighter", toPath: clone + "/other")
            try FileManager.default.createSymbolicLink(atPath: clone + "/.lamplighter", withDestinationPath: "other")
        } _: { clone, location in
            #expect(location.distrust?.description == "\(clone)/.lamplighter isn't a directory")
        }
    }

    @Test("rejects a server that runs as another user, before it sends anything")
    func server() async throws {
        try await withServer(at: path) {
            let refusal = LineRPCError.untrusted(path: path, user: geteuid())
            await #expect(throws: refusal) {
                try await LineRPCClient.connect(to: path, servers: [geteuid() + 1]) { _ in
                    Issue.record("the client used the connection")
                }
            }
            try await LineRPCClient.connect(to: path, servers: [geteuid()]) { _ in }
        }
    }
}
