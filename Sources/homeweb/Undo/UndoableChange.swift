/// A change that was made and that the visitor can undo.
struct UndoableChange: Sendable {
    /// The change, as a sentence.
    let text: String
    /// The sentence that is shown after the change was undone.
    let restored: String
    let reversal: Reversal
    /// The page to continue with.
    let page: String

    init(_ text: String, restored: String, _ reversal: Reversal, page: String) {
        (self.text, self.restored, self.reversal, self.page) = (text, restored, reversal, page)
    }
}
