import HomeModel

/// An object or an action that a visitor can search for.
struct SearchEntry: Sendable {
    /// A button that sends a form.
    struct Action: Sendable {
        let label: String
        let path: String
        var field: (name: String, value: String)?
    }

    /// The destination of a result.
    enum Target: Sendable {
        case page(String)
        case action(Action)
    }

    /// The identifier of the result's element.
    let id: String
    let name: String
    /// Details after the name, such as the room and the state.
    let about: String
    let icon: String
    let target: Target
    /// A further button, such as the switch of a lamp.
    var side: Action?
    let text: SearchText
    /// The service that the entry shows.
    var service: Service.ID?
    /// Whether the entry is shown before the visitor types anything.
    var isSuggested = false
}
