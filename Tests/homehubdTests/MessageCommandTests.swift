import FoundationEssentials
import Glibc
import HAPTesting
import HomeHub
import HomeModel
import TestTimeouts
import Testing

@testable import homehubd

@Suite("The notification command", .timeout)
struct MessageCommandTests {
    private func message(_ text: String) -> TriggerMessage {
        var generator = SeededNumbers(seed: 1)
        return TriggerMessage(
            home: Home.ID(using: &generator), trigger: Trigger.ID(using: &generator), text: text, time: .now)
    }

    @Test("gets the text and the names as arguments, without a shell, and doesn't replace placeholders in them")
    func arguments() async throws {
        try await withFolder { folder in
            let output = folder + "/output"
            let script = #"printf '%s\n' "$@" > "$0.new" && mv "$0.new" "$0""#
            let command = MessageCommand(
                ["/bin/sh", "-c", script, output, "--", "{home}: {text}", "{other}"], logger: silent)
            let running = Task { try await command.run() }
            command.receive(message(#"$(reboot) {home} "x""#), home: "My Home", automation: "Night")
            try await eventually("the output") { FileManager.default.fileExists(atPath: output) }
            let text = try String(contentsOf: URL(filePath: output), encoding: .utf8)
            #expect(text == "--\nMy Home: $(reboot) {home} \"x\"\n{other}\n")
            running.cancel()
            _ = try? await running.value
        }
    }

    // The commands aren't scripts in files: while another test starts a program, a file just written can be busy.
    @Test(
        "reports why a command failed",
        arguments: [("exit 0", nil), ("exit 3", "exit code 3"), ("kill -9 $$", "signal 9")])
    func failures(_ text: String, _ expected: String?) async {
        let reason = await CommandRun.failure(of: ["/bin/sh", "-c", text], timeout: .seconds(30))
        #expect(reason == expected)
    }

    @Test("kills a command that takes too long, and the programs that it has started")
    func timeout() async throws {
        try await withFolder { folder in
            let fifo = folder + "/fifo"
            try #require(mkfifo(fifo, 0o600) == 0)
            let reader = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            try #require(reader >= 0)
            defer { close(reader) }
            let text = "sleep 1000 > '\(fifo)' & sleep 1000"
            let reason = await CommandRun.failure(of: ["/bin/sh", "-c", text], timeout: .seconds(1))
            #expect(reason == "it took longer than 1.0 seconds")
            // While another program can write, reading fails.
            try await eventually("the end of the other program") {
                var byte: UInt8 = 0
                return read(reader, &byte, 1) == 0
            }
        }
    }

    @Test("reports that a command doesn't exist")
    func missing() async throws {
        try await withFolder { folder in
            let reason = await CommandRun.failure(of: [folder + "/none"], timeout: .seconds(30))
            #expect(reason == "No such file or directory")
        }
    }
}
