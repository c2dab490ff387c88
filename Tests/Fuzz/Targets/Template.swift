internal import BoundedJSON
internal import Jinja

/// A template from an announcement; the first line is the template, and the rest is its input message.
@Sendable func checkTemplate(_ input: [UInt8]) {
    let lines = input.lines
    let source = String(decoding: lines[0], as: UTF8.self)
    let message = Array(input.dropFirst(lines[0].count + 1))
    var variables: [String: JinjaValue] = [
        "value": .string(String(decoding: message, as: UTF8.self)), "red": .int(255), "brightness": .int(128),
        "state": .string("on"), "transition": .float(1.5),
    ]
    if let json = try? JSONValue(parsing: message) { variables["value_json"] = JinjaValue(json) }
    do throws(JinjaError) {
        let template = try JinjaTemplate(source)
        let text = try template.render(variables)
        promise(text.utf8.count <= JinjaLimits.text, "a text is bounded")
        let again = try template.render(variables)
        promise(again == text, "the same makes the same")
    } catch {
        promise(!error.text.isEmpty && error.text.utf8.count <= 400, "a reason is a short sentence")
    }
}
