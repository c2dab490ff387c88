import FoundationEssentials
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

    /// Writes a shell script and returns its path.
    private func script(_ text: String, in folder: String, as name: String = "script") throws -> String {
        let path = "\(folder)/\(name)"
        try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    @Test("gets the text and the names as arguments, without a shell, and doesn't replace placeholders in them")
    func arguments() async throws {
        try await withFolder { folder in
            let output = folder + "/output"
            let program = try script(#"printf '%s\n' "$@" > "$1.new" && mv "$1.new" "$1""#, in: folder)
            let command = MessageCommand([program, output, "--", "{home}: {text}", "{other}"], logger: silent)
            let running = Task { try await command.run() }
            command.receive(message(#"$(reboot) {home} "x""#), home: "My Home", automation: "Night")
            try await eventually("the output") { FileManager.default.fileExists(atPath: output) }
            let text = try String(contentsOf: URL(filePath: output), encoding: .utf8)
            #expect(text == "\(output)\n--\nMy Home: $(reboot) {home} \"x\"\n{other}\n")
            running.cancel()
            _ = try? await running.value
        }
    }

    @Test(
        "reports why a command failed",
        arguments: [
            ("exit 0", nil), ("exit 3", "exit code 3"), ("kill -9 $$", "signal 9"),
            ("sleep 1000 & sleep 1000", "it took longer than 1.0 seconds"),
        ])
    func failures(_ text: String, _ reason: String?) async throws {
        try await withFolder { folder in
            let program = try script(text, in: folder)
            #expect(await CommandRun.failure(of: [program], timeout: .seconds(reason == nil ? 30 : 1)) == reason)
            #expect(await CommandRun.failure(of: [folder + "/none"], timeout: .seconds(1)) != nil)
        }
    }
}
