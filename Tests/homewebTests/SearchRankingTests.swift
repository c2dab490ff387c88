import HomeModel
import Testing
import WebAccess

@testable import homeweb

@Suite("The order of search results")
struct SearchRankingTests {
    private static let entries: [SearchText] = [
        SearchText("Desk Lamp", context: ["Study", "Lightbulb"]), SearchText("Café Spot", context: ["Study"]),
        SearchText("Ceiling Lamp", context: ["Kitchen"]), SearchText("Kitchen", context: ["Room"]),
        SearchText("Streetlamp", context: ["Garden"]), SearchText("Run Good Night", object: "Good Night"),
        SearchText("Good Night", context: ["Scene"]), SearchText("Living Room TV"), SearchText("Anna's Straße"),
    ]

    @Test(
        "ignores case, accents and the order of words, and puts better matches first",
        arguments: [
            ("", []), ("  ", []), ("desk lamp", ["desklamp"]), ("LAMP desk", ["desklamp"]), ("cafe", ["cafespot"]),
            ("CAFÉ", ["cafespot"]), ("cafe\u{301}", ["cafespot"]),
            // Whole words precede words that only contain the text.
            ("lamp", ["desklamp", "ceilinglamp", "streetlamp"]),
            // A name precedes a context.
            ("kitchen", ["kitchen", "ceilinglamp"]), ("kitchen lamp", ["ceilinglamp"]),
            ("st", ["streetlamp", "annasstrasse", "desklamp", "cafespot"]),
            ("livingroom", ["livingroomtv"]), ("living room", ["livingroomtv"]), ("annas", ["annasstrasse"]),
            ("strasse", ["annasstrasse"]), ("good night", ["goodnight"]), ("run good", ["rungoodnight"]),
            ("night run", ["rungoodnight"]),
            // Typos count only if nothing else matches.
            ("kithcen", ["kitchen", "ceilinglamp"]), ("lanp", ["desklamp", "ceilinglamp"]),
            ("lapm", ["desklamp", "ceilinglamp"]),
            ("dsk", []), ("lxyp", []), ("desk xyz", []), ("-!", []),
        ])
    func order(query: String, expected: [String]) {
        #expect(SearchRanking(query).ranked(Self.entries) { $0 }.map(\.whole) == expected)
    }

    @Test("limits the length of queries and names") func limits() {
        let long = String(repeating: "lamp ", count: 100_000)
        #expect(SearchRanking(long).ranked(Self.entries) { $0 }.count == 3)
        #expect(SearchRanking("lamp").ranked([SearchText(long)]) { $0 }.count == 1)
    }

    @Test(
        "offers only actions that the visitor may perform",
        arguments: [
            (Person.Role.owner, "invite", ["Invite a person"]), (.member, "invite", []),
            (.member, "add an accessory", ["Add an accessory"]), (.guest, "add an accessory", []),
            (.guest, "all lights", ["Turn off all lights"]), (.guest, "rooms zones", []),
        ])
    func roles(role: Person.Role, query: String, expected: [String]) {
        let visitor = Visitor(name: "Anna", access: Visitor.Access(role: role))
        let results = SearchIndex(AutomationHome.home, visitor).results(query, limit: 20)
        #expect(results.prefix(1).map(\.name) == expected)
    }
}
