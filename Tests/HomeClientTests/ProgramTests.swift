import BoundedJSON
import FoundationEssentials
import HAPModel
import HomeModel
import TestTimeouts
import Testing

@testable import HomeClient

@Suite("A program that uses the library", .timeout)
struct ProgramTests {
    @Test("performs the probe's commands and prints the events of the home")
    func probe() async throws {
        let daemon = FakeDaemon()
        let (home, lamp) = try await daemon.addHomeAndLamp()
        try await withSocketPath { path in
            try await serving(daemon, at: path) {
                let probe = try Program(
                    "home-probe", ["--socket", path, "--app", "org.example.p"], output: path + ".out")
                #expect(try await probe.ask(1, #""do":"wait""#)["answer"] == true)
                try await daemon.write(.addRoom(home.id, name: "Kitchen"))
                let attic = try await probe.ask(2, #""do":"addRoom","home":"\#(home.id)","name":"Attic""#)
                #expect(attic["answer"]?["name"] == "Attic")
                let power = try lamp.power
                let written = try await probe.ask(3, #""do":"writeValue","characteristic":"\#(power)","value":true"#)
                #expect(written["answer"] == true)
                let refused = try await probe.ask(4, #""do":"addRoom","home":"\#(home.id)","name":"kitchen""#)
                #expect(refused["error"]?["code"] == 31 && refused["error"]?["suggestions"]?.array?.isEmpty == false)
                _ = try await probe.ask(5, #""do":"setNotification","characteristic":"\#(power)","isEnabled":true"#)
                await daemon.receive(power, .bool(false))
                let homes = try await probe.ask(6, #""do":"homes""#)["answer"]
                let replayed = try [Home](json: homes ?? .null)
                let revisions = await daemon.graph.homes.map(\.revision)
                #expect(replayed.map(\.revision) == revisions)
                let rooms = await daemon.graph.homes.first?.rooms
                #expect(replayed.first?.rooms == rooms)
                #expect(try await probe.ask(7, #""do":"dance""#)["error"]?["code"] == 3)
                let events = { probe.objects.compactMap { $0["event"]?.string } }
                try await eventually { events().count == 3 }
                #expect(events() == ["homesUpdated", "roomAdded", "valueUpdated"])
            }
        }
    }

    @Test("detects that the daemon closed the connection even while a child process is running")
    func inheritance() async throws {
        try await withHome { daemon, manager in
            let program = try Program("/bin/sleep", ["60"], output: manager.socket + ".out")
            await daemon.hangUp()
            try await eventually("the manager opens another session") {
                await daemon.asked.count { if case .open = $0 { true } else { false } } == 2
            }
            withExtendedLifetime(program) {}
        }
    }

    @Test("adds requested accessories with the vendor's token and declines without one")
    func vendorApp() async throws {
        let daemon = FakeDaemon()
        let (home, _) = try await daemon.addHomeAndLamp()
        await daemon.configure { $0.devices = [bulb] }
        try await withSocketPath { path in
            try await serving(daemon, at: path) {
                let token = path + ".token"
                defer { try? FileManager.default.removeItem(atPath: token) }
                let app = try Program("vendor-app", ["org.example.maker", token, path], output: path + ".out")
                try await app.awaitLine("No room: Device")
                #expect(
                    await daemon.asked.contains {
                        guard case .open(let opening) = $0 else { return false }
                        return opening.vendor == "org.example.maker" && opening.capabilities.contains(.vendor)
                    })
                let id = try #require(AddAccessoryRequest.ID("00000000-0000-4000-8000-000000000000"))
                let request = AddAccessoryRequest(
                    id: id, home: home.id, accessoryName: "Bulb", category: .lightbulb, requiresSetupPayloadURL: false)
                await daemon.tell(.addAccessoryRequest(request))
                try await app.awaitLine("Declined Bulb: there is no token for it, or no setup code yet.")
                #expect(await daemon.asked.contains(.declineAddition(id)))
                try Data(repeating: 7, count: 32).write(to: URL(filePath: token))
                await daemon.tell(.addAccessoryRequest(request))
                try await eventually { app.lines.contains { $0.hasPrefix("Added ") } }
                #expect(await daemon.graph.homes.first?.accessories.count == 2)
            }
        }
    }
}
