import BoundedJSON
import Texts

/// The texts of templates and of the script, which are marked for catalogs.
enum MarkedTexts {
    /// Returns a template with its texts in one language.
    ///
    /// A text is marked as `[[Text]]`, or as `[[Text|context]]` if its translation depends on its meaning. A tag in a text
    /// is a placeholder in catalogs: `[[Run {{name}}]]` has the key `Run {name}`.
    static func template(_ source: String, in catalog: TextCatalog?) -> String {
        var template = ""
        var rest = source[...]
        while let start = rest.firstRange(of: "[["), let end = rest[start.upperBound...].firstRange(of: "]]") {
            template += rest[..<start.lowerBound]
            template += text(rest[start.upperBound..<end.lowerBound], in: catalog)
            rest = rest[end.upperBound...]
        }
        return template + rest
    }

    private static func text(_ mark: Substring, in catalog: TextCatalog?) -> String {
        let parts = mark.split(separator: "|", maxSplits: 1)
        let text = parts.first.map(String.init) ?? ""
        let key = text.replacing("{{", with: "{").replacing("}}", with: "}")
        guard
            let translation = catalog?.translation(of: key, context: parts.count > 1 ? String(parts[1]) : nil)
        else { return text }
        return text.split(separator: "{{", omittingEmptySubsequences: false).dropFirst().reduce(translation) {
            translation, piece in
            let name = piece.prefix { $0 != "}" }
            return translation.replacing("{\(name)}", with: "{{\(name)}}")
                .replacing("{{{\(name)}}}", with: "{{\(name)}}")
        }
    }

    /// The texts of the script in the language of the request as a JSON object by their keys; `nil` in English.
    static var scriptJSON: String? { TextCatalog.current.flatMap { scripts[$0.language] } }

    private static let scripts = Languages.catalogs.mapValues { catalog in
        var texts: JSONObject = [:]
        for piece in String(decoding: PackageResources.script_js, as: UTF8.self).split(separator: "localized(\"")
            .dropFirst()
        {
            let key = String(piece.prefix { $0 != "\"" })
            if let text = catalog.translation(of: key) { texts[key] = .string(text) }
        }
        return JSONValue.object(texts).text.replacing("<", with: "\\u003C")
    }
}
