import Testing

@testable import homehubd

@Suite("The files of time zones")
struct ZoneFilesTests {
    @Test(
        "are read only for valid names",
        arguments: [
            ("Europe/Berlin", true), (nil, true), ("Nowhere/Town", false), ("Europe", false),
            ("../../../etc/localtime", false), ("/etc/localtime", false),
        ] as [(String?, Bool)])
    func reading(_ name: String?, _ isValid: Bool) { #expect((ZoneFiles.rules(of: name) != nil) == isValid) }
}
