import HTTPTypes
import HomeModel
import Hummingbird
import HummingbirdCore

/// The changes that visitors can undo, and the messages about them.
///
/// A cookie refers to the latest message of a browser for 10 seconds, so that the next pages show it.
actor Undos {
    static let cookie = "undo"

    private var log = UndoLog()

    /// Stores a change that the visitor can undo, and returns the message about it.
    func add(_ change: UndoableChange, of visitor: Visitor) -> Toast {
        add(change.text, of: visitor, restored: change.restored, change.reversal)
    }

    /// Stores a message, and the inverse of the change that it's about.
    func add(
        _ text: String, of visitor: Visitor, restored: String = "", _ reversal: Reversal? = nil, isLasting: Bool = false
    ) -> Toast {
        let now = ContinuousClock.now
        let entry = UndoLog.Entry(
            id: Self.newID(), visitor: visitor, time: now, text: text, restored: restored,
            reversal: reversal.flatMap { $0.steps.isEmpty ? nil : $0 }, isLasting: isLasting)
        log.add(entry)
        return Toast(entry, at: now)
    }

    /// Returns the message that a page shows to a browser.
    func toast(for request: Request, _ visitor: Visitor) -> Toast? {
        guard let id = request.cookies[Self.cookie]?.value else { return nil }
        return log.entry(id, of: visitor, at: .now).map { Toast($0, at: .now) }
    }

    func take(_ id: String, of visitor: Visitor) -> UndoLog.Entry? { log.take(id, of: visitor, at: .now) }

    private static func newID() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in String(generator.next() as UInt64, radix: 36) }.joined()
    }
}

extension Response {
    /// Adds the cookie with which the next pages show a message.
    func showing(_ toast: Toast, _ context: WebContext) -> Response {
        var response = self
        response.setCookie(
            Cookie(
                name: Undos.cookie, value: toast.id, maxAge: Int(UndoLog.shownFor.components.seconds), path: "/",
                secure: context.isEncrypted == true, httpOnly: true, sameSite: .strict))
        return response
    }
}
