import BoundedJSON

extension JSONValue {
    /// A name or a version as devices have them: text of which no more than 128 characters are kept.
    var shortText: String? { string.map { String($0.prefix(128)) } }
}
