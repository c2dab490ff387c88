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

    @Test("of the system's time zone have the same rules when read by name") func system() {
        guard let name = ZoneFiles.systemName() else { return }
        #expect(ZoneFiles.rules(of: name) == ZoneFiles.rules(of: nil))
    }
}
