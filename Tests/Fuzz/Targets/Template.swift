internal import BoundedJSON
internal import Jinja

/// Checks a template from an announcement.
///
/// The first line of the input is the template, and the remaining lines are the message that the template reads.
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
        promise(text.utf8.count <= JinjaLimits.text, "the length of the rendered text is limited")
        let again = try template.render(variables)
        promise(again == text, "a template renders the same text for the same variables")
    } catch {
        promise(!error.text.isEmpty && error.text.utf8.count <= 400, "a reason is a short sentence")
    }
}
