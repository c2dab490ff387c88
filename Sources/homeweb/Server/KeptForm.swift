/// A rejected form, which a page shows again with the typed values.
///
/// The page is the one that the form was sent from. Secrets and files aren't shown again.
struct KeptForm {
    /// The field with the path of the page, in a form that is shown again.
    ///
    /// The referrer of such a form is the path that it was sent to, which may not be a page.
    static let pageField = "kept-page"

    /// The path that the form was sent to.
    let action: String
    /// The fields that were sent.
    let fields: Query
    /// The path of the page that the form is on.
    let page: String

    /// Returns a page with the typed values in the form, or `nil` if the page has no such form, or one without fields to
    /// fill in.
    func filling(_ html: String) -> String? {
        var rest = html[...]
        while let start = rest.range("<form "), let end = rest[start.upperBound...].range("</form>") {
            if let form = filled(rest[start.lowerBound..<end.lowerBound]) {
                return opened(html[..<start.lowerBound]) + form + String(html[end.lowerBound...])
            }
            rest = rest[end.upperBound...]
        }
        return nil
    }

    /// Opens the `details` that a form is in.
    private func opened(_ html: Substring) -> String {
        let parts = String(html).split(separator: "<details", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last, last.range("</details>") == nil else { return String(html) }
        return parts.dropLast().joined(separator: "<details") + "<details open" + last
    }

    private func filled(_ form: Substring) -> String? {
        var filled = FilledForm(fields: fields)
        var rest = form
        while let start = rest.range("<"), let end = rest[start.upperBound...].range(">") {
            filled.html += rest[..<start.lowerBound]
            let tag = HTMLTag(rest[start.upperBound..<end.lowerBound])
            rest = rest[end.upperBound...]
            switch tag.name {
            case "form":
                guard tag["action"] == action.htmlEscaped, tag["method"] == "post" else { return nil }
                filled.html += "\(tag)<input type=\"hidden\" name=\"\(Self.pageField)\" value=\"\(page.htmlEscaped)\">"
            case "input": guard filled.append(input: tag) else { return nil }
            case "button": filled.append(button: tag)
            case "select": filled.append(select: tag)
            case "option": filled.append(option: tag)
            case "textarea":
                guard let end = rest.range("</textarea>") else { return nil }
                filled.append(textarea: tag, rest[..<end.lowerBound])
                rest = rest[end.lowerBound...]
            default: filled.html += "<\(tag.text)>"
            }
        }
        return filled.isSame ? filled.html + rest : nil
    }
}

/// The HTML of a form with typed values.
private struct FilledForm {
    let fields: Query
    var html = ""
    private var names: Set<String> = []
    /// The value of the current `select`, in HTML.
    private var choice: String?
    private var hasFields = false
    private var hasFocus = false

    init(fields: Query) { self.fields = fields }

    /// Whether a person fills in the form, and it has all fields that were sent.
    var isSame: Bool { hasFields && names.isSuperset(of: fields.fields.map(\.name)) }

    /// Appends an input.
    ///
    /// Returns `false` if it belongs to another form: a hidden field has another value.
    mutating func append(input tag: HTMLTag) -> Bool {
        var tag = tag
        let name = add(tag)
        switch tag["type"] ?? "text" {
        case "hidden":
            guard fields.fields.contains(where: { $0.name == name && $0.value.htmlEscaped == tag["value"] ?? "" })
            else {
                return false
            }
        case "checkbox", "radio":
            hasFields = true
            let value = tag["value"] ?? "on"
            tag["checked"] = fields.fields.contains { $0.name == name && $0.value.htmlEscaped == value } ? "" : nil
        case "range", "color": break
        case "password", "file": hasFields = true
        default:
            hasFields = true
            focus(&tag)
            let former = tag["value"] ?? ""
            guard let value = fields[name]?.sanitizedForPage.htmlEscaped, value != former else { break }
            tag["value"] = value
            // Live updates replace only values that weren't typed.
            tag["data-former"] = former
        }
        html += "\(tag)"
        return true
    }

    mutating func append(button tag: HTMLTag) {
        add(tag)
        html += "\(tag)"
    }

    mutating func append(select tag: HTMLTag) {
        hasFields = true
        choice = fields[add(tag)]?.htmlEscaped
        html += "\(tag)"
    }

    mutating func append(option tag: HTMLTag) {
        var tag = tag
        if let choice, let value = tag["value"] { tag["selected"] = value == choice ? "" : nil }
        html += "\(tag)"
    }

    mutating func append(textarea tag: HTMLTag, _ text: Substring) {
        var tag = tag
        hasFields = true
        focus(&tag)
        html += "\(tag)" + (fields[add(tag)].map { "\n" + $0.sanitizedForPage.htmlEscaped } ?? String(text))
    }

    @discardableResult private mutating func add(_ tag: HTMLTag) -> String {
        let name = tag["name"] ?? ""
        names.insert(name)
        return name
    }

    /// Gives the first text field the focus.
    private mutating func focus(_ tag: inout HTMLTag) {
        guard !hasFocus else { return }
        hasFocus = true
        tag["autofocus"] = ""
    }
}

extension Substring {
    fileprivate func range(_ text: String) -> Range<Index>? { utf8.firstRange(of: text.utf8) }
}

extension String {
    /// The text with entities instead of the characters that have a meaning in HTML, as templates write it.
    fileprivate var htmlEscaped: String {
        var text = ""
        for character in self {
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            default: text.append(character)
            }
        }
        return text
    }
}
