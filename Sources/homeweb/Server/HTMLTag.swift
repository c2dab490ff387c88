/// A start tag of a page, whose attributes can be changed.
///
/// It parses only the HTML of this program's templates: names in lowercase, and values in double quotes.
struct HTMLTag: CustomStringConvertible {
    /// The tag without its angle brackets, unchanged.
    let text: Substring
    let name: String
    /// The attributes with their values in HTML; `nil` is an attribute without a value.
    private var attributes: [(name: String, value: String?)] = []

    init(_ text: Substring) {
        self.text = text
        let bytes = text.utf8
        func end(from start: Substring.Index, _ isEnd: (UInt8) -> Bool) -> Substring.Index {
            bytes[start...].firstIndex(where: isEnd) ?? text.endIndex
        }
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") }
        var index = end(from: text.startIndex, isSpace)
        name = String(text[..<index])
        while true {
            index = end(from: index) { !isSpace($0) }
            guard index < text.endIndex else { return }
            let equals = end(from: index) { isSpace($0) || $0 == UInt8(ascii: "=") }
            let key = String(text[index..<equals])
            guard text[equals...].hasPrefix("=\"") else {
                attributes.append((key, nil))
                index = equals < text.endIndex ? bytes.index(after: equals) : equals
                continue
            }
            let start = bytes.index(equals, offsetBy: 2)
            let quote = end(from: start) { $0 == UInt8(ascii: "\"") }
            attributes.append((key, String(text[start..<quote])))
            index = quote < text.endIndex ? bytes.index(after: quote) : quote
        }
    }

    /// The value of an attribute in HTML: empty for an attribute without a value, and `nil` without the attribute.
    ///
    /// Setting the empty text adds an attribute without a value.
    subscript(attribute: String) -> String? {
        get { attributes.first { $0.name == attribute }.map { $0.value ?? "" } }
        set {
            let index = attributes.firstIndex { $0.name == attribute }
            switch (index, newValue) {
            case (let index?, let value?): attributes[index].value = value
            case (let index?, nil): attributes.remove(at: index)
            case (nil, let value?): attributes.append((attribute, value.isEmpty ? nil : value))
            case (nil, nil): break
            }
        }
    }

    var description: String {
        "<" + name + attributes.map { name, value in value.map { " \(name)=\"\($0)\"" } ?? " \(name)" }.joined() + ">"
    }
}
