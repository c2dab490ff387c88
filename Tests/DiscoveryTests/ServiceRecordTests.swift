import TestTimeouts
import Testing

@testable import Discovery

@Suite("ServiceRecord", .timeout)
struct ServiceRecordTests {
    @Test("truncates a long name between characters, and keeps its suffix")
    func longName() {
        #expect(ServiceRecord.instanceName("Lamplighter", suffix: "E5FF") == "Lamplighter E5FF")
        let long = ServiceRecord.instanceName(String(repeating: "ä", count: 60), suffix: "E5FF")
        #expect(long == String(repeating: "ä", count: 29) + " E5FF")
        #expect(long.utf8.count == 63)
        #expect(ServiceRecord.instanceName("", suffix: "E5FF") == "E5FF")
        let spaced = String(repeating: "x", count: 57) + " y"
        #expect(ServiceRecord.instanceName(spaced, suffix: "E5FF") == String(repeating: "x", count: 57) + " E5FF")
    }
}
