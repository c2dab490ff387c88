import FoundationEssentials
import Testing

@testable import LightDrivers

@Suite("A watched secret file")
struct SecretFileWatchTests {
    @Test("reports a file that was created or written since the last check")
    func watch() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "password")
        var watch = SecretFileWatch([file.path])
        try Data("wrong".utf8).write(to: file)
        #expect(watch.changed([file.path]) == [file.path] && watch.changed([file.path]) == [])
        try Data("longer".utf8).write(to: file)
        #expect(watch.changed(["/dev/null"]) == [] && watch.changed([file.path]) == [file.path])
    }
}
