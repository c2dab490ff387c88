import Testing

@testable import Texts

@Suite struct TextCatalogTests {
    private static let header = """
        msgid ""
        msgstr ""
        "Language: de\\n"
        "Plural-Forms: nplurals=2; plural=(n != 1);\\n"


        """

    private func catalog(_ source: String) throws(CatalogError) -> TextCatalog {
        try TextCatalog(language: "de", parsing: Array(source.utf8))
    }

    private func inGerman<Result>(_ source: String, _ body: () -> Result) throws -> Result {
        let catalog = try catalog(Self.header + source)
        return TextCatalog.$current.withValue(catalog) { body() }
    }

    // MARK: Parsing

    @Test func readsTextsContextsAndContinuedStrings() throws {
        let catalog = try catalog(
            Self.header + """
                # A comment
                #. {1} is name
                #: Sources/homeweb/Pages/HomePage.swift
                msgid "Lights"
                msgstr "Lichter"

                msgctxt "command"
                msgid "Open"
                msgstr "Öffnen"

                msgid "Say \\"yes\\"."
                msgstr ""
                "Sagen Sie "
                "\\"ja\\"."
                """)
        #expect(catalog.translation(of: "Lights") == "Lichter")
        #expect(catalog.translation(of: "Open") == nil)
        #expect(catalog.translation(of: "Open", context: "command") == "Öffnen")
        #expect(catalog.translation(of: "Say \"yes\".") == "Sagen Sie \"ja\".")
    }

    @Test(arguments: ["msgid \"Lights\"\nmsgstr \"\"", "#, fuzzy\nmsgid \"Lights\"\nmsgstr \"Lampen\""])
    func showsEnglishInPlaceOfMissingTranslations(source: String) throws {
        #expect(try inGerman(source) { localized("Lights") } == "Lights")
    }

    @Test(arguments: [
        ("msgid \"A\"", 1, "a msgid without its msgstr"),
        ("msgid \"A\"\nmsgid \"B\"\nmsgstr \"\"", 2, "unexpected msgid"),
        ("msgstr \"A\"", 1, "unexpected msgstr"),
        ("msgctxt \"A\"", 1, "msgctxt without msgid"),
        ("\"A\"", 1, "a string without its keyword"),
        ("msgid A\nmsgstr \"\"", 1, "a string must be in double quotes"),
        ("msgid \"A", 1, "a string must be in double quotes"),
        ("msgid \"A\\\"", 1, "a string must be in double quotes"),
        ("msgid \"A\" \"B\"", 1, "a double quote in a string must be escaped"),
        ("msgid \"\\x\"", 1, "unknown escape"),
        ("message \"A\"", 1, "unknown keyword"),
        ("msgid \"A\"\nmsgid_plural \"B\"\nmsgstr[0] \"C\"", 3, "a msgid without its msgstr"),
        ("msgid \"A\"\nmsgstr[0] \"C\"", 2, "unexpected msgstr[0]"),
        ("msgid \"A\"\nmsgstr \"B\"\nmsgid \"A\"\nmsgstr \"C\"", 4, "\"A\" occurs twice"),
        ("msgid \"\"\nmsgstr \"Plural-Forms: nplurals=3; plural=n;\\n\"", 2, "Plural-Forms must be n != 1 or n > 1"),
    ])
    func rejectsADamagedCatalog(source: String, line: Int, reason: String) {
        #expect(throws: CatalogError(line: line, reason: reason)) { _ = try catalog(source) }
    }

    @Test func rejectsBytesThatAreNotUTF8() {
        let bytes = Array("msgid \"".utf8) + [0xFF] + Array("\"\nmsgstr \"A\"".utf8)
        #expect(throws: CatalogError(line: 1, reason: "a string must be UTF-8")) {
            _ = try TextCatalog(language: "de", parsing: bytes)
        }
    }

    // MARK: Texts

    @Test func isEnglishOutsideOfRequests() {
        #expect(localized("\(3) of \("A")") == "3 of A")
        #expect("21.5".withDecimalSeparator == "21.5")
        #expect(localizedInSentence(key: "Target Temperature") == "target temperature")
        #expect(localizedInSentence(key: "Organic Compounds (VOC)") == "organic compounds (VOC)")
    }

    @Test func putsValuesInTheOrderOfTheTranslation() throws {
        let source = "msgid \"the {1} of {2}\"\nmsgstr \"{2}: {1}, {n}\""
        #expect(try inGerman(source) { localized("the \("brightness") of \("{1}")") } == "{1}: brightness, {n}")
    }

    @Test(arguments: [(0, "0 Lampen"), (1, "eine Lampe"), (2, "2 Lampen")])
    func choosesThePluralForm(count: Int, expected: String) throws {
        let source = """
            msgid "{1} lamp"
            msgid_plural "{1} lamps"
            msgstr[0] "eine Lampe"
            msgstr[1] "{1} Lampen"
            """
        let text = { localized("\(count) lamp", plural: "\(count) lamps", count: count) }
        #expect(try inGerman(source, text) == expected)
        #expect(text() == (count == 1 ? "1 lamp" : "\(count) lamps"))
    }

    @Test func treatsZeroAsSingularWhereTheLanguageDoes() throws {
        let french = try catalog(
            """
            msgid ""
            msgstr "Plural-Forms: nplurals=2; plural=(n > 1);\\n"

            msgid "{1} lamp"
            msgid_plural "{1} lamps"
            msgstr[0] "{1} lampe"
            msgstr[1] "{1} lampes"
            """)
        TextCatalog.$current.withValue(french) {
            #expect(localized("\(0) lamp", plural: "\(0) lamps", count: 0) == "0 lampe")
        }
    }

    @Test func usesTheDecimalSeparatorOfTheLanguage() throws {
        #expect(try inGerman("msgid \".\"\nmsgstr \",\"") { "21.5".withDecimalSeparator } == "21,5")
    }

    // MARK: Negotiation

    @Test(
        arguments: [
            (nil, nil), ("", nil), ("de", "de"), ("de-AT", "de"), ("DE-de, en;q=0.8", "de"),
            ("en-US,en;q=0.9,de;q=0.8", nil),
            ("fr, de;q=0.5, en;q=0.4", "de"), ("fr, en;q=0.5, de;q=0.4", nil), ("de;q=0", nil), ("*", nil),
            ("*;q=0.1, de;q=0.2", "de"),
            ("de;q=x", nil), ("en;q=0.8, de;q=0.8", nil), (";;,,q=", nil), ("da, nl", nil),
        ] as [(String?, String?)])
    func choosesTheBestLanguage(accepted: String?, language: String?) throws {
        let catalogs = ["de": try catalog(Self.header)]
        #expect(TextCatalog.best(for: accepted, among: catalogs)?.language == language)
    }
}
