import FoundationEssentials
import Glibc
import HomeHub
import Testing

@testable import homehubd

@Suite("The files of installed apps")
struct InstalledAppsTests {
    private func read(
        _ files: [String: String], _ prepare: (String) -> Void = { _ in }
    ) async throws -> Set<InstalledApp> {
        try await withFolder { folder in
            for (name, text) in files {
                try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
                chmod("\(folder)/\(name)", 0o644)
            }
            prepare(folder)
            return InstalledApps(directory: folder, logger: silent).read()
        }
    }

    private let file = "app: org.example.a\nuser: 7\n"

    @Test("give their apps access, and invalid ones are ignored")
    func valid() async throws {
        let apps = try await read([
            "a.yaml": file, "b.yaml": "app: org.example.b\nuser: root\nmanages-apps: true\n",
            "c.yaml": "app: org.example.c",
            "d.yaml": "app: org.example.d\nuser: nobody-has-this-name\n", "e.yaml": "app: -\nuser: 7\n",
            "f.yaml": "app: org.example.f\nuser: 7\nroot: true\n", "g.txt": "app: org.example.g\nuser: 7\n",
        ])
        #expect(
            apps == [
                InstalledApp(app: "org.example.a", uid: 7),
                InstalledApp(app: "org.example.b", uid: 0, managesApps: true),
            ])
        #expect(InstalledApps(directory: "/nonexistent", logger: silent).read().isEmpty)
    }

    @Test("are ignored if other users could have written them", arguments: [0o666, 0o664] as [mode_t])
    func untrusted(mode: mode_t) async throws {
        #expect(try await read(["a.yaml": file]) { chmod($0 + "/a.yaml", mode) }.isEmpty)
        #expect(try await read(["a.yaml": file]) { chmod($0, mode | 0o111) }.isEmpty)
        let linked = try await read(["a.txt": file]) { symlink($0 + "/a.txt", $0 + "/a.yaml") }
        #expect(linked.isEmpty)
        guard geteuid() == 0 else { return }
        #expect(try await read(["a.yaml": file]) { chown($0 + "/a.yaml", 12345, 0) }.isEmpty)
    }
}
