import BoundedJSON

extension JSONValue {
    /// The first 128 characters of the text, for names and versions that a device reports; `nil` if the value isn't
    /// text.
    var shortText: String? { string.map { String($0.prefix(128)) } }
}
