import BoundedJSON
import HAPModel
import HomeModel
import Hummingbird
import HummingbirdCore
import Texts

/// A change that unlocks, opens or disarms something.
///
/// The change is made only after the visitor has confirmed it, so that an accidental tap doesn't open a home.
struct OpeningQuestion: Sendable, Equatable {
    /// The name of the form field that confirms the change.
    static let field = "confirmed"

    let question: String
    var about = ""
    let button: String
    /// Whether the visitor must confirm the change; `false` if everything is already open.
    var isAsked = true

    /// Creates a question about changes to a service.
    ///
    /// Returns `nil` if no change opens anything. Moving a door or window to a lower position doesn't open it.
    init?(_ values: [Characteristic.ID: CharacteristicValue], _ service: Service, name: String) {
        let type = service.type
        let openings = service.characteristics.filter { characteristic in
            guard let value = values[characteristic.id], characteristic.type.isOpening(value, of: type) == true else {
                return false
            }
            guard characteristic.type == .targetPosition, let new = value.number, let old = characteristic.value?.number
            else { return true }
            return new > old
        }
        guard let first = openings.first else { return nil }
        isAsked = openings.contains { characteristic in
            characteristic.value.flatMap { characteristic.type.isOpening($0, of: type) } != true
        }
        button = first.type.openingVerb
        question = first.type.openingQuestion(name)
    }

    /// Creates a question about the actions of a scene; returns `nil` if none of them opens anything.
    init?(_ scene: ActionSet, _ home: Home) {
        self.init(
            scene.actions.filter { home.isOpening($0) == true }, home, running: scene.name,
            button: localized("Run scene"))
    }

    /// Creates a question about the actions of an automation, including those at its end; returns `nil` if none of them
    /// opens anything.
    init?(_ trigger: Trigger, _ home: Home) {
        self.init(
            home.openings(of: trigger.definition).sorted { $0.characteristic < $1.characteristic }, home,
            running: trigger.name, button: localized("Run automation"))
    }

    private init?(_ actions: [CharacteristicWriteAction], _ home: Home, running name: String, button: String) {
        let openings = actions.compactMap { action -> String? in
            guard let characteristic = home.characteristic(action.characteristic),
                let accessory = home.accessory(of: characteristic.service),
                let service = accessory.service(characteristic.service)
            else { return nil }
            return characteristic.type.openingPhrase(accessory.shownName(of: service))
        }
        guard !openings.isEmpty else { return nil }
        question = localized("Run \(name)?")
        about = localized("This will \(openings.joined(separator: ", ")).")
        self.button = button
    }

    /// Checks that the visitor has permission to unlock, open and disarm.
    static func check(_ visitor: Visitor) throws(WebError) {
        guard visitor.access.mayOpen else {
            throw WebError(
                .forbidden,
                localized("You can't unlock, open or disarm anything here. Ask the owner of this home for permission.")
            )
        }
    }

    /// Checks the visitor's permission and confirmation.
    ///
    /// - Returns: The page with the question if the visitor must still confirm the change, or else `nil`.
    /// - Throws: `WebError` if the visitor may not make the change.
    func response(
        to request: Request, _ form: Query, back: String, unlessConfirmedBy visitor: Visitor
    ) throws(WebError) -> Response? {
        try Self.check(visitor)
        return isAsked && form[Self.field] != "1" ? response(to: request, form, back: back, visitor) : nil
    }

    /// Returns the page with the question, whose form sends the change again with a confirmation.
    private func response(to request: Request, _ form: Query, back: String, _ visitor: Visitor) -> Response {
        if request.isFromScript {
            let json: JSONObject = [
                "question": .string(question.sanitizedForPage), "about": .string(about.sanitizedForPage),
                "button": .string(button),
            ]
            return .json(["confirm": .object(json)], status: .conflict)
        }
        return .confirmation(
            of: question, about: about, button: button, action: request.uri.path,
            fields: form.fields + [(Self.field, "1")], back: (back, localized("Back")), place: "/", visitor)
    }
}

extension CharacteristicType {
    fileprivate var openingVerb: String {
        switch self {
        case .lockTargetState: localized("Unlock")
        case .securitySystemTargetState: localized("Disarm")
        default: localized("Open", context: "command")
        }
    }

    fileprivate func openingQuestion(_ name: String) -> String {
        switch self {
        case .lockTargetState: localized("Unlock \(name)?")
        case .securitySystemTargetState: localized("Disarm \(name)?")
        default: localized("Open \(name)?")
        }
    }

    fileprivate func openingPhrase(_ name: String) -> String {
        switch self {
        case .lockTargetState: localized("unlock \(name)")
        case .securitySystemTargetState: localized("disarm \(name)")
        default: localized("open \(name)")
        }
    }
}
