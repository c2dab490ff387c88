internal import Jinja
internal import LightKit

/// A template of an announcement: it picks a value out of a message, or makes a message of a command.
package struct MessageTemplate: Equatable, Sendable {
    private let template: JinjaTemplate

    /// Reads a template.
    ///
    /// - Throws: ``MQTTProblem`` that names what is not understood.
    init(_ text: String) throws(MQTTProblem) {
        do throws(JinjaError) {
            template = try JinjaTemplate(text)
        } catch {
            throw MQTTProblem(error.text)
        }
    }

    /// Picks the value out of a message.
    ///
    /// - Parameter payload: the message.
    /// - Returns: the value as text, or `nil` if the message does not have it.
    func value(of payload: MQTTPayload) -> String? {
        guard let text = payload.text else { return nil }
        var variables: [String: JinjaValue] = ["value": .string(text)]
        if let json = payload.json { variables["value_json"] = JinjaValue(json) }
        return try? template.render(variables)
    }

    /// The message for a command that says so; throws `LightError.refused` with what the template stumbles over.
    func message(_ variables: [String: JinjaValue]) throws(LightError) -> String {
        do throws(JinjaError) {
            return try template.render(variables)
        } catch {
            throw .refused("its template cannot make the message: \(error.text)")
        }
    }
}
