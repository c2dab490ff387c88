import Testing
import Texts

@testable import homeweb

@Suite struct MarkedTextsTests {
    private func catalog(_ key: String, _ translation: String, context: String? = nil) throws -> TextCatalog {
        let lines = [context.map { "msgctxt \"\($0)\"" }, "msgid \"\(key)\"", "msgstr \"\(translation)\""]
        return try TextCatalog(
            language: "de", parsing: Array(lines.compactMap(\.self).joined(separator: "\n").utf8))
    }

    @Test func removesMarksInEnglish() {
        #expect(
            MarkedTexts.template("<p title=\"[[Run {{name}}]]\">[[Open|command]] {{x}}</p>", in: nil)
                == "<p title=\"Run {{name}}\">Open {{x}}</p>")
    }

    @Test func putsTagsInTheOrderOfTheTranslation() throws {
        let catalog = try catalog("Remove {name} from {zone.name}, {n}", "{n}: {zone.name} ohne {name}")
        #expect(
            MarkedTexts.template("[[Remove {{name}} from {{zone.name}}, {n}]]", in: catalog)
                == "{n}: {{zone.name}} ohne {{name}}")
    }

    @Test func fillsATagAtTheBeginning() throws {
        let catalog = try catalog("{kind}, reachable. {kind}", "{kind}, erreichbar. {kind}")
        #expect(
            MarkedTexts.template("[[{{kind}}, reachable. {{kind}}]]", in: catalog)
                == "{{kind}}, erreichbar. {{kind}}")
    }

    @Test func translatesATextOnlyInItsContext() throws {
        let catalog = try catalog("Open", "Öffnen", context: "command")
        #expect(MarkedTexts.template("[[Open|command]] [[Open]]", in: catalog) == "Öffnen Open")
    }

    @Test func everyTextOfATemplateIsMarked() throws {
        for (name, bytes) in Templates.sources {
            let template = String(decoding: bytes, as: UTF8.self)
                .replacing(#/<!--.*?-->/#, with: "").replacing(
                    #/<(code|script)\b.*?</\1>/#.dotMatchesNewlines(), with: ""
                )
                .replacing(#/\[\[.*?\]\]/#, with: "").replacing(#/\{\{.*?\}\}+/#, with: "")
            let attributes = template.matches(of: #/ (?:title|aria-label|alt|placeholder|data-words)="([^"]*)"/#)
            let texts = template.replacing(#/<[^>]*>/#, with: "").replacing(#/&\w+;/#, with: "")
            for text in attributes.map(\.output.1) + texts.split(separator: "\n") {
                #expect(!text.contains(#/[A-Za-z]{2}/#) || Self.exceptions.contains(String(text)), "\(name): \(text)")
            }
        }
    }

    /// Examples of what people type in all languages.
    private static let exceptions: Set = ["000-00-000", "Europe/Berlin", "52.52", "13.40", "5m", "page-backups: true"]

    @Test func everyCatalogIsValid() {
        for (language, catalog) in Languages.catalogs { #expect(catalog.language == language) }
    }

    @Test func pageIsInTheLanguageOfTheRequest() {
        TextCatalog.$current.withValue(Languages.catalogs["de"]) {
            let html = Layout(title: "A", content: "").html
            #expect(html.contains("<html lang=\"de\""))
            #expect(html.contains("<a class=\"skip\" href=\"#main\">Zum Inhalt springen</a>"))
            #expect(html.contains("\"Dismiss\":\"Schließen\""))
        }
        let html = Layout(title: "A", content: "").html
        #expect(html.contains("<html lang=\"en\"") && html.contains(">Skip to content<"))
        #expect(!html.contains("id=\"texts\""))
    }
}
