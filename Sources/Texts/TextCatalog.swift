/// The texts in one language, from a catalog in gettext's PO format, which translators' tools read.
package final class TextCatalog: Sendable {
    /// The language of the current request, or `nil` for English.
    @TaskLocal package static var current: TextCatalog?

    /// The language as in HTML's `lang`, such as `de`.
    package let language: String
    /// The translated forms of each text: one, or one for each plural form.
    private let texts: [String: [String]]
    /// Whether 0 takes the form for one thing, as in French.
    private let isZeroSingular: Bool

    /// Parses a catalog.
    ///
    /// Untranslated and fuzzy entries are omitted, so these texts are in English.
    ///
    /// - Throws: ``CatalogError`` with the line of the error.
    package init(language: String, parsing source: [UInt8]) throws(CatalogError) {
        var parser = CatalogParser()
        try parser.parse(source)
        self.language = language
        texts = parser.texts
        isZeroSingular = parser.isZeroSingular
    }

    /// Returns the translation of a text; `nil` if it isn't translated.
    package func translation(of key: String, context: String? = nil) -> String? {
        texts[context.map { CatalogParser.key(key, context: $0) } ?? key]?.first
    }

    /// Returns the translated form of a text for a number of things; `nil` if it isn't translated.
    func translation(of key: String, count: Int) -> String? {
        guard let forms = texts[key] else { return nil }
        let isSingular = count == 1 || isZeroSingular && count == 0
        return isSingular ? forms.first : forms.last
    }

    /// Returns the catalog for the languages that a browser accepts.
    ///
    /// - Parameters:
    ///   - accepted: The value of `Accept-Language`, such as `de-AT,de;q=0.9,en;q=0.8`. Regions are ignored.
    ///   - catalogs: The available catalogs by language.
    /// - Returns: The catalog of the most wanted language; `nil` for English, which is also the default.
    package static func best(for accepted: String?, among catalogs: [String: TextCatalog]) -> TextCatalog? {
        var best: (quality: Double, catalog: TextCatalog?) = (0, nil)
        for range in (accepted ?? "").split(separator: ",", maxSplits: 32).prefix(32) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let tag = parts.first?.lowercased() else { continue }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            let language = String(tag.prefix { $0 != "-" })
            guard quality > best.quality, language == "en" || language == "*" || catalogs[language] != nil else {
                continue
            }
            best = (quality, catalogs[language])
        }
        return best.catalog
    }
}
