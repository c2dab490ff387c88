import Testing

@testable import SystemKit

@Suite("ShellCommand")
struct ShellCommandTests {
    @Test(
        "names a command by its path if the running program is in a build folder",
        arguments: [
            (".build/debug/lamplighter", ".build/debug/homehub"), ("./homehub", "./homehub"),
            ("/home/anna/clone/.build/debug/homeweb", "/home/anna/clone/.build/debug/homehub"),
            ("homehub", "homehub"), ("/usr/bin/homehub", "homehub"), ("/usr/local/sbin/homehubd", "homehub"),
            ("/home/anna/app/.build/debug/app", "homehub"), (nil, "homehub"), ("", "homehub"), ("/", "homehub"),
        ] as [(String?, String)])
    func names(caller: String?, command: String) {
        #expect(ShellCommand.command("homehub", of: caller) == command)
    }

    @Test("adds sudo only to an installed command")
    func privileges() {
        #expect(ShellCommand.withSudo("homehub") == "sudo homehub")
        #expect(ShellCommand.withSudo(".build/debug/homehub") == ".build/debug/homehub")
    }
}
