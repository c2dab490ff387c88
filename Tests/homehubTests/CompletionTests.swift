import HomeModel
import HomePresentation
import Testing

@testable import homehub

@Suite("Completion") struct CompletionTests {
    @Test("offers names and values where the command accepts them")
    func candidates() {
        func offered(_ kind: CompletableName, _ words: String..., prefix: String = "") -> [String] {
            Completion.candidates(kind, in: [House.home, House.cottage], words: ["homehub"] + words, prefix: prefix)
        }
        #expect(offered(.homes) == ["Cottage", "My Home"])
        #expect(offered(.rooms, "rooms", "rename") == ["Kitchen", "Living Room", "My Home"])
        #expect(offered(.rooms, "rooms", "rename", "--home", "Cottage") == ["Cottage"])
        #expect(offered(.accessories, "show").first == "Ceiling Fan")
        #expect(offered(.values, "read", "Rea", prefix: "Rea").contains("Reading Lamp"))
        #expect(offered(.values, "read", "Reading Lamp", "", prefix: "") == ["on", "brightness", "color-temperature"])
        #expect(offered(.changes, "write", "").contains("lights"))
        let changes = offered(.changes, "write", "Reading Lamp", "br", prefix: "br")
        #expect(changes.contains("brightness=") && changes.contains("toggle"))
        #expect(Completion.candidates(.rooms, in: [], words: [], prefix: "").isEmpty)
    }
}
