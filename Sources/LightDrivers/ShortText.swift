import BoundedJSON

extension JSONValue {
    /// A name or a version from a device: the first 128 characters of the text.
    var shortText: String? { string.map { String($0.prefix(128)) } }
}
