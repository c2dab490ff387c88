import Testing

@testable import SystemKit

@Suite("ProgramName")
struct ProgramNameTests {
    @Test(
        "is the last part of the path with which the program was run",
        arguments: [
            ("homehubd", "homehubd"), ("/usr/sbin/homehubd", "homehubd"), (".build/debug/hapsim", "hapsim"),
            ("", ""), ("/", ""), (nil, ""),
        ] as [(String?, String)])
    func name(path: String?, name: String) {
        #expect(ProgramName.name(in: path) == name)
    }
}
