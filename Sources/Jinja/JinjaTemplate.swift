/// A template in the part of Jinja2 that publishers on MQTT use, with the filters that Home Assistant adds.
///
/// It is read once and rendered often. What is not understood is refused when it is read, so that errors do not show up later.
/// Both are bounded, whatever the text and the values are: see ``JinjaLimits``.
///
/// Known: `{{ }}`, `{% if %}`, `{% for %}`, `{% set %}`, `{% raw %}`, comments and whitespace control; all operators; the
/// filters, tests, functions and methods of `Filter`, `Test`, `Function` and `Method`. Not known: macros, includes,
/// inheritance, the time of day, and functions that read Home Assistant's own states.
package struct JinjaTemplate: Sendable {
    package let source: String
    private let body: [Statement]

    /// Reads a template.
    ///
    /// - Parameter source: the text, of at most 16 KiB.
    /// - Throws: ``JinjaError`` that names what is not understood.
    package init(_ source: String) throws(JinjaError) {
        guard source.utf8.count <= JinjaLimits.source else {
            throw JinjaError("the template is longer than \(JinjaLimits.source) bytes")
        }
        var parser = JinjaParser(tokens: try JinjaLexer.tokens(of: source))
        body = try parser.template()
        self.source = source
    }

    /// Renders the template.
    ///
    /// - Parameter variables: what it may name; other names are undefined.
    /// - Returns: the text, without white space around it, as Home Assistant takes it.
    /// - Throws: ``JinjaError`` if a value is not what the template expects, or a limit is reached.
    package func render(_ variables: [String: JinjaValue]) throws(JinjaError) -> String {
        var renderer = JinjaRenderer(variables: variables)
        try renderer.render(body)
        return renderer.output.trimmingWhitespace
    }
}

extension JinjaTemplate: Equatable {
    package static func == (a: JinjaTemplate, b: JinjaTemplate) -> Bool { a.source == b.source }
}

/// Why a template cannot be read or rendered.
package struct JinjaError: Error, Equatable, Sendable {
    /// A part of a sentence, such as `the filter "regex_replace" is not supported`.
    package let text: String

    init(_ text: String) { self.text = text }
}

/// What bounds a template's time and memory.
package enum JinjaLimits {
    /// The longest template in bytes.
    package static let source = 16 * 1024
    /// The longest text that a template may make, in bytes.
    package static let text = 64 * 1024
    /// The most elements of a list or a mapping that a template may make or walk through.
    package static let elements = 5_000
    /// The most steps of one rendering; a step is an expression, or 16 bytes or elements of a longer value.
    package static let steps = 50_000
    /// How deep expressions and statements may be nested.
    package static let depth = 64
}

extension String {
    /// The text without white space around it.
    package var trimmingWhitespace: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }
}
