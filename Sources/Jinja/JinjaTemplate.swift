/// A template in the subset of Jinja2 that MQTT publishers use, with Home Assistant's additional filters.
///
/// A template is parsed once and rendered often. Parsing rejects unsupported syntax, so such errors appear before the
/// first rendering. The time and memory of both steps are limited; see ``JinjaLimits``.
///
/// Supported: `{{ }}`, `{% if %}`, `{% for %}`, `{% set %}`, `{% raw %}`, comments and whitespace control; all
/// operators; the filters, tests, functions and methods of `Filter`, `Test`, `Function` and `Method`. Unsupported:
/// macros, includes, inheritance, the current time, and functions that read Home Assistant's own states.
package struct JinjaTemplate: Sendable {
    package let source: String
    private let body: [Statement]

    /// Parses a template.
    ///
    /// - Parameter source: The text, of at most 16 KiB.
    /// - Throws: ``JinjaError``, which names the invalid or unsupported part.
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
    /// - Parameter variables: The variables of the template. All other names are undefined.
    /// - Returns: The rendered text without surrounding whitespace, as in Home Assistant.
    /// - Throws: ``JinjaError`` if a value has the wrong type or a limit is reached.
    package func render(_ variables: [String: JinjaValue]) throws(JinjaError) -> String {
        var renderer = JinjaRenderer(variables: variables)
        try renderer.render(body)
        return renderer.output.trimmingWhitespace
    }
}

extension JinjaTemplate: Equatable {
    package static func == (a: JinjaTemplate, b: JinjaTemplate) -> Bool { a.source == b.source }
}

/// The reason why a template can't be parsed or rendered.
package struct JinjaError: Error, Equatable, Sendable {
    /// The reason as part of a sentence, such as `the filter "regex_replace" isn't supported`.
    package let text: String

    init(_ text: String) { self.text = text }
}

/// The limits on the time and memory that a template can use.
package enum JinjaLimits {
    /// The longest template, in bytes.
    package static let source = 16 * 1024
    /// The longest text that a template may create, in bytes.
    package static let text = 64 * 1024
    /// The maximum number of elements of a list or a mapping that a template may create or iterate over.
    package static let elements = 5_000
    /// The maximum number of steps of one rendering.
    ///
    /// Each statement and each expression is a step, and larger values add a step for every 16 bytes or elements.
    package static let steps = 50_000
    /// The maximum depth of nested expressions and statements.
    package static let depth = 64
}

extension String {
    /// The text without surrounding whitespace.
    package var trimmingWhitespace: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }
}
