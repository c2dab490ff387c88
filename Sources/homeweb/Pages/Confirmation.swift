import Hummingbird
import HummingbirdCore

extension Response {
    /// Returns a page that asks before something is removed or opened.
    ///
    /// - Parameters:
    ///   - question: The heading, such as `Remove Hallway?`.
    ///   - about: The consequences.
    ///   - button: The text of the button.
    ///   - action: The path that the form is sent to.
    ///   - fields: Hidden fields of the form.
    ///   - back: The page to return to without a change.
    ///   - place: The page that the navigation bar marks as current.
    ///   - visitor: The visitor.
    /// - Returns: The page.
    static func confirmation(
        of question: String, about: String, button: String, action: String,
        fields: [(name: String, value: String)] = [],
        back: (path: String, name: String), place: String = "/more", _ visitor: Visitor
    ) -> Response {
        let values: Templates.Values = [
            "question": question, "about": about, "button": button, "action": action, "back": back.path.localPath,
            "backName": back.name, "fields": fields.map { ["name": $0.name, "value": $0.value] as Templates.Values },
        ]
        return .page(
            Layout(title: question, content: Templates.render("confirm", values), visitor: visitor, place: place))
    }
}
