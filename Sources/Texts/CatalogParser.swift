/// Parses gettext's PO format.
struct CatalogParser {
    private(set) var texts: [String: [String]] = [:]
    private(set) var isZeroSingular = false
    private var entry = Entry()
    private var line = 0

    private struct Entry {
        var context: String?
        var key: String?
        var plural: String?
        var forms: [String] = []
        var isFuzzy = false
        /// The string that a following line continues.
        var open: Field?
    }

    private enum Field { case context, key, plural, form }

    /// Returns the key of a text with a context, as in gettext's MO format.
    static func key(_ key: String, context: String) -> String { "\(context)\u{4}\(key)" }

    /// Parses the bytes, because characters of a string take much longer.
    mutating func parse(_ source: [UInt8]) throws(CatalogError) {
        for text in source.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            line += 1
            try read(Self.trimmed(text))
        }
        try finish()
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }

    private func error(_ reason: String) -> CatalogError { CatalogError(line: line, reason: reason) }

    private mutating func read(_ text: ArraySlice<UInt8>) throws(CatalogError) {
        guard let first = text.first else { return }
        if first == UInt8(ascii: "#") {
            if !entry.forms.isEmpty { try finish() }
            if text.starts(with: "#,".utf8), String(decoding: text, as: UTF8.self).contains("fuzzy") {
                entry.isFuzzy = true
            }
            return
        }
        if first == Self.quote {
            let more = try string(text)
            switch entry.open {
            case .context: entry.context? += more
            case .key: entry.key? += more
            case .plural: entry.plural? += more
            case .form: entry.forms[entry.forms.count - 1] += more
            case nil: throw error("a string without its keyword")
            }
            return
        }
        let keyword = text.prefix { $0 != 0x20 && $0 != Self.quote }
        let rest = Self.trimmed(text.dropFirst(keyword.count))
        switch String(decoding: keyword, as: UTF8.self) {
        case "msgctxt":
            if !entry.forms.isEmpty { try finish() }
            guard entry.context == nil, entry.key == nil else { throw error("unexpected msgctxt") }
            (entry.context, entry.open) = (try string(rest), .context)
        case "msgid":
            if !entry.forms.isEmpty { try finish() }
            guard entry.key == nil else { throw error("unexpected msgid") }
            (entry.key, entry.open) = (try string(rest), .key)
        case "msgid_plural":
            guard entry.key != nil, entry.plural == nil, entry.forms.isEmpty else {
                throw error("unexpected msgid_plural")
            }
            (entry.plural, entry.open) = (try string(rest), .plural)
        case "msgstr":
            guard entry.key != nil, entry.plural == nil, entry.forms.isEmpty else { throw error("unexpected msgstr") }
            (entry.forms, entry.open) = ([try string(rest)], .form)
        case "msgstr[0]":
            guard entry.plural != nil, entry.forms.isEmpty else { throw error("unexpected msgstr[0]") }
            (entry.forms, entry.open) = ([try string(rest)], .form)
        case "msgstr[1]":
            guard entry.plural != nil, entry.forms.count == 1 else { throw error("unexpected msgstr[1]") }
            entry.forms.append(try string(rest))
            entry.open = .form
        default: throw error("unknown keyword")
        }
    }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    private func string(_ text: ArraySlice<UInt8>) throws(CatalogError) -> String {
        guard text.count >= 2, text.first == Self.quote, text.last == Self.quote else {
            throw error("a string must be in double quotes")
        }
        let content = text.dropFirst().dropLast()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(content.count)
        var isEscaped = false
        for byte in content {
            guard isEscaped else {
                guard byte != Self.quote else { throw error("a double quote in a string must be escaped") }
                isEscaped = byte == Self.backslash
                if !isEscaped { bytes.append(byte) }
                continue
            }
            isEscaped = false
            switch byte {
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case Self.quote, Self.backslash: bytes.append(byte)
            default: throw error("unknown escape")
            }
        }
        guard !isEscaped else { throw error("a string must be in double quotes") }
        guard let string = String(validating: bytes, as: UTF8.self) else { throw error("a string must be UTF-8") }
        return string
    }

    private mutating func finish() throws(CatalogError) {
        defer { entry = Entry() }
        guard let key = entry.key else {
            guard entry.context == nil else { throw error("msgctxt without msgid") }
            return
        }
        guard !entry.forms.isEmpty, entry.plural == nil || entry.forms.count == 2 else {
            throw error("a msgid without its msgstr")
        }
        guard !key.isEmpty else { return try readHeader(entry.forms[0]) }
        let full = entry.context.map { Self.key(key, context: $0) } ?? key
        guard texts[full] == nil else { throw error("\"\(key)\" occurs twice") }
        // An empty msgstr means that the text isn't translated yet.
        guard !entry.isFuzzy, !entry.forms.contains("") else { return }
        texts[full] = entry.forms
    }

    private mutating func readHeader(_ header: String) throws(CatalogError) {
        guard let field = header.split(separator: "\n").first(where: { $0.hasPrefix("Plural-Forms:") }) else { return }
        switch field.dropFirst("Plural-Forms:".count).filter({ !" ();".contains($0) }) {
        case "nplurals=2plural=n!=1": isZeroSingular = false
        case "nplurals=2plural=n>1": isZeroSingular = true
        default: throw error("Plural-Forms must be n != 1 or n > 1")
        }
    }
}
