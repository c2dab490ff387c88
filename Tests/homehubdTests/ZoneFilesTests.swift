import Testing

@testable import homehubd

@Suite("Time zone files")
struct ZoneFilesTests {
    @Test(
        "are read only for valid names",
        arguments: [
            ("Europe/Berlin", true), (nil, true), ("Nowhere/Town", false), ("Europe", false),
            ("../../../etc/localtime", false), ("/etc/localtime", false),
        ] as [(String?, Bool)])
    func reading(_ name: String?, _ isValid: Bool) { #expect((ZoneFiles.rules(of: name) != nil) == isValid) }

    @Test("have the same rules by the name of the system's time zone") func system() {
        guard let name = ZoneFiles.systemName() else { return }
        #expect(ZoneFiles.rules(of: name) == ZoneFiles.rules(of: nil))
    }
}
