import BoundedJSON
import Foundation
import Jinja
import Testing

/// A template, its variables and the expected result.
///
/// `Tests/Interop/test_oracles.py` compares these results with those of Jinja2.
struct TemplateExample: CustomTestStringConvertible, Sendable {
    let template: String
    let variables: [[String: JinjaValue]]
    let given: [JSONValue]
    let results: [String?]

    var testDescription: String { template }

    static let all: [TemplateExample] = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let files = ["Fixtures/templates.json", "Fixtures/templates-announced.json"]
        return files.flatMap { file -> [TemplateExample] in
            guard let data = try? Data(contentsOf: root.appending(path: file)),
                let list = try? JSONValue(parsing: Array(data)).array
            else { return [] }
            return list.compactMap(TemplateExample.init)
        }
    }()

    /// The unsupported feature that the template needs, if any.
    let needs: String?

    init?(_ json: JSONValue) {
        needs = json["needs"]?.string
        guard let template = json["template"]?.string, let given = json["variables"]?.array,
            let results = json["results"]?.array
        else { return nil }
        self.template = template
        self.given = given
        self.results = results.map(\.string)
        variables = given.map { given in
            var variables: [String: JinjaValue] = [:]
            for member in given.object?.members ?? [] { variables[member.name] = JinjaValue(member.value) }
            if let text = given["value"]?.string, let json = try? JSONValue(parsing: text) {
                variables["value_json"] = JinjaValue(json)
            }
            return variables
        }
    }
}

@Suite("JinjaTemplate")
struct JinjaTemplateTests {
    @Test("finds the fixtures") func found() { #expect(TemplateExample.all.count > 300) }

    @Test("renders a template as Jinja2 does", arguments: TemplateExample.all)
    func agrees(_ example: TemplateExample) {
        if let needs = example.needs, needs != "states" {
            #expect(throws: JinjaError.self) { try JinjaTemplate(example.template) }
            return
        }
        for ((variables, given), wanted) in zip(zip(example.variables, example.given), example.results) {
            var text: String?
            var failure = ""
            do throws(JinjaError) {
                text = try JinjaTemplate(example.template).render(variables)
            } catch {
                failure = error.text
            }
            #expect(text == wanted, "\(given): \(failure)")
        }
    }
}

@Suite("JinjaTemplate with limits")
struct JinjaLimitsTests {
    private static func failure(of template: String, _ variables: [String: JinjaValue] = [:]) -> String? {
        do throws(JinjaError) {
            _ = try JinjaTemplate(template).render(variables)
            return nil
        } catch {
            return error.text
        }
    }

    @Test(
        "rejects unsupported syntax, and names it",
        arguments: [
            ("{{ value | groupby('a') }}", "the filter \"groupby\" isn't supported"),
            ("{{ states('light.a') }}", "the function \"states\" isn't supported"),
            ("{{ now().hour }}", "the function \"now\" isn't supported"),
            ("{{ value is has_value }}", "the test \"has_value\" isn't supported"),
            ("{{ value.encode('utf-8') }}", "the method \"encode\" isn't supported"),
            ("{% macro f() %}{% endmacro %}", "the block {% macro %} isn't supported"),
            ("{% include 'a' %}", "the block {% include %} isn't supported"),
            ("{{ f(*a) }}", "the function \"f\" isn't supported"),
            ("{% if true %}", "{% endif %} is missing"),
            ("{{ 'a }}", "unterminated string"),
            ("{{ 1 $ 2 }}", "unexpected character in an expression"),
            ("{{ ([)] }}", "brackets don't match"),
            ("{{ 99999999999999999999 }}", "a number is too large"),
        ])
    func refused(_ template: String, _ reason: String) {
        #expect(Self.failure(of: template) == reason)
        #expect(throws: JinjaError.self) { try JinjaTemplate(template) }
    }

    @Test(
        "rejects or stops a template that exceeds the limits",
        arguments: [
            String(repeating: "(", count: 10_000), "{{ " + String(repeating: "(", count: 5_000),
            "{{ " + String(repeating: "-", count: 10_000) + "1 }}",
            "{{ 1" + String(repeating: "+1", count: 5_000) + " }}",
            "{{ x" + String(repeating: ".a", count: 5_000) + " }}",
            "{{ 1" + String(repeating: "|abs", count: 3_000) + " }}",
            "{{ " + String(repeating: "not ", count: 3_000) + "1 }}",
            "{{ " + String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000) + " }}",
            String(repeating: "{% if 1 %}", count: 1_000) + String(repeating: "{% endif %}", count: 1_000),
            "{{ 1 if 1 else" + String(repeating: " 1 if 1 else", count: 1_000) + " 1 }}",
            "{{ 'x' * 1000000000 }}", "{{ [1] * 1000000000 }}", "{{ range(1000000000) | list }}",
            "{{ 9 ** 9 ** 9 }}", "{{ 2 ** 1000000 }}", "{{ -9223372036854775807 - 2 }}",
            "{{ (-9223372036854775807 - 1) // -1 }}", "{{ (-9223372036854775807 - 1) | abs }}",
            "{% for a in range(4000) %}{% for b in range(4000) %}{% for c in range(4000) %}{% endfor %}{% endfor %}{% endfor %}",
            "{% for a in range(4000) %}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{% endfor %}",
            "{% set ns = namespace(x=[1]) %}{% for a in range(4000) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}",
            "{% set ns = namespace(x=[1]) %}{% for a in range(40) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x == ns.x }}",
            "{% set ns = namespace(x={}) %}{% for a in range(4000) %}{% set ns.x = dict(a=ns.x) %}{% endfor %}",
            "{% set ns = namespace(x='x') %}{% for a in range(40) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
            "{% set ns = namespace(x='x') %}{% for a in range(40) %}{% set ns.x = ns.x | replace('x', 'xxxx') %}{% endfor %}",
            "{% for a in range(4000) %}{% set x = namespace() %}{% endfor %}",
            "{{ '%1000000d' | format(1) }}", "{{ '{:1000000}'.format(1) }}", "{{ 'x'.zfill(1000000) }}",
            "{{ 1[::0] }}", "{{ [1][::0] }}", "{{ [1, 2][9223372036854775807::-9223372036854775807] }}",
            "{% for a in range(1000) %}{{ ('a' * 60000) in ('a' * 60000 ~ 'b') }}{% endfor %}",
            String(repeating: "a", count: 20_000), "{% set l = range(4000) | list %}{{ [l, l] | length }}",
            "{{ ('%(a)s' * 5000) % {'a': 'x' * 60000} }}", "{{ ('{0}' * 10000).format('x' * 60000) }}",
            "{{ range(5000) | join('x' * 60000) }}",
            "{% set x = 'x' * 60000 %}{{ x" + String(repeating: " ~ x", count: 900) + " }}",
            "{% set m = 'map' %}{{ 'a' | map(" + String(repeating: "m,", count: 7_000) + "m) | list }}",
            "{% for i in range(5000) %}{% set x = float('1' * 60000, 0) %}{% endfor %}",
            "{% for i in range(5000) %}{% set x = 'a'.strip('b' * 60000) %}{% endfor %}",
            "{{ ('a' * 40) | regex_match('(a+)+$b') }}", "{{ ('a' * 40 ~ 'b') is match('(a|a)*$') }}",
            "{{ ('a' * 60000) is search('(.*)*(.*)*b') }}", "{{ 'a' is search('((a{0,4000}){0,4000}){0,4000}') }}",
            "{{ 'a' is search('(' * 5000) }}", "{{ 'a' is search('" + String(repeating: "(?:", count: 200) + "') }}",
            "{{ ('x' * 60000) | regex_replace('', 'x' * 60000) }}", "{{ ('ab' * 30000) | regex_findall('(a)(b)') }}",
            "{% for i in range(5000) %}{% set x = 'a' is search('a{3000}') %}{% endfor %}",
            "{{ ('a' * 60000) is search('(?=(a*))\\\\1b') }}", "{{ 1 | timestamp_custom('%A' * 20000) }}",
        ])
    func bounded(_ template: String) {
        let clock = ContinuousClock()
        let time = clock.measure { _ = Self.failure(of: template) }
        #expect(time < .seconds(30))
        if template.hasPrefix("{{ 1 if") || template.hasPrefix("((")
            || template.hasPrefix("{% for a in range(4000) %}xx")
        {
            return
        }
        #expect(Self.failure(of: template) != nil)
    }

    @Test(
        "ignores a negative width", arguments: ["{{ 'abc'.zfill(-9223372036854775807) }}", "{{ 'abc'.zfill(-1) }}"])
    func negativeWidth(template: String) throws {
        #expect(try JinjaTemplate(template).render([:]) == "abc")
    }

    @Test("renders a message with many members quickly")
    func manyMembers() throws {
        let text = "{" + (0..<15_000).map { "\"name\($0)\":\($0)" }.joined(separator: ",") + "}"
        let value = JinjaValue(try JSONValue(parsing: text))
        func render(_ template: String) throws -> String { try JinjaTemplate(template).render(["value_json": value]) }
        let start = ContinuousClock.now
        #expect(try render("{{ value_json is mapping }}") == "True")
        #expect(try render("{{ value_json.name14999 }}") == "14999")
        #expect(try render("{{ value_json == value_json }}") == "True")
        #expect(throws: JinjaError.self) { try render("{{ dict(value_json) | length }}") }
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("renders a long message quickly")
    func longMessage() throws {
        let list = JSONValue.array((0..<20_000).map { .integer($0) })
        let value = JinjaValue(.object(["a": list, "state": "ON"]))
        #expect(Self.failure(of: "{{ value_json.state }}", ["value_json": value]) == nil)
        #expect(Self.failure(of: "{{ value_json.a[19999] }}", ["value_json": value]) == nil)
        #expect(Self.failure(of: "{{ value_json.a | unique | list }}", ["value_json": value]) != nil)
        #expect(
            Self.failure(
                of: "{% for x in value_json.a %}{{ value_json == value_json }}{% endfor %}", ["value_json": value])
                != nil)
    }
}
