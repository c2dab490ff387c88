import HAPModel
import HomeModel
import HomePresentation
import Testing
import Texts

@testable import homeweb

private typealias House = AutomationHome

@Suite("The page in German") struct GermanTests {
    private func inGerman<Result>(_ body: () throws -> Result) rethrows -> Result {
        try TextCatalog.$current.withValue(Languages.catalogs["de"], operation: body)
    }

    @Test(
        "explains errors in typed automations, whose words stay in English",
        arguments: [
            ("hall lamp on for 5x", "„Hall Lamp“ hat keinen Zustand „on for 5x“"),
            ("hal lamp on", "Gerät „hal lamp“ gibt es in „My House“ nicht; möglich: „Hall Lamp“"),
            ("hall lamp", "nach „Hall Lamp“ fehlt ein Zustand; möglich: off, on, brightness>NUMBER"),
            ("", "der Text ist leer"),
        ])
    func typedEvents(typed: String, message: String) {
        inGerman {
            let error = #expect(throws: HomeError.self) { try House.parser.event(typed: typed) }
            let text = error?.localizedMessage ?? ""
            #expect(text.hasPrefix(message), "\(text)")
        }
    }

    @Test("explains errors in typed actions")
    func typedActions() {
        inGerman {
            let error = #expect(throws: HomeError.self) { try House.parser.writes(typed: "hall lamp brightness=much") }
            #expect(error?.localizedMessage == "brightness muss eine ganze Zahl von 0 bis 100 % sein")
            let typo = #expect(throws: HomeError.self) { try House.parser.scene(typed: "Morning") }
            #expect(typo?.localizedMessage == "Szene „Morning“ gibt es in „My House“ nicht; Liste: homehub scenes")
        }
    }

    @Test("names the accessories that a scene didn't change")
    func failuresOfScene() throws {
        let graph = HomeGraph(homes: [House.home])
        let numbers = [111, 411, 511, 612]
        let sent = graph.error(
            ofScene: numbers.map { ValueResult(characteristic: House.id($0), error: HomeError(.accessoryIsBusy)) })
        let error = try HomeError(json: try #require(sent).json)
        let text = "das Gerät ist beschäftigt; gleich erneut versuchen"
        inGerman {
            #expect(
                error.localizedProblem
                    == "„Hall Sensor“: \(text), „Hall Lamp“: \(text), „\(House.evil)“: \(text), und weitere")
        }
        #expect(error.message.hasSuffix(", and 1 more"))
    }

    @Test("explains a name that violates several rules")
    func rejectedName() {
        let error = HomeError(
            .stringLongerThanMaximum, detail: "the text is too long, a name can contain only letters",
            suggestions: ["Lamp"])
        inGerman { #expect(error.localizedProblem == "der Text ist zu lang") }
    }

    @Test("suggests names for objects")
    func names() {
        inGerman {
            #expect(NameContext(serviceType: .lightbulb).suggestions(for: "!") == ["Licht"])
            #expect(NameContext(noun: "Room", taken: [NameKey("Raum")]).suggestions(for: "?") == ["Raum 2"])
        }
    }

    @Test(
        "shows intervals without a number if it's one",
        arguments: [("1h", "stündlich"), ("24h", "täglich"), ("2h", "alle 2 Stunden")])
    func intervals(typed: String, words: String) throws {
        let event = try House.parser.intervalEvent(typed: typed)
        let phrases = TriggerPhrases(home: House.home, time: House.time)
        inGerman { #expect(phrases.phrase(for: event).hasPrefix("\(words) ab ")) }
    }
}
