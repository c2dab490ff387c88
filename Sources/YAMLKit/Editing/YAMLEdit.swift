package import BoundedJSON

/// A change of the values in a YAML document.
///
/// A path leads from the document's root to a value. Mappings that a path lacks are created.
package enum YAMLEdit: Equatable, Sendable {
    /// A step of a path.
    package enum Step: Equatable, Sendable {
        case key(String)
        case index(Int)
    }

    /// Sets a value.
    case set([Step], JSONValue)
    /// Adds an element to the end of a list, which is created if it doesn't exist.
    case append([Step], JSONValue)
    /// Removes an element of a list, or a key with its value.
    case remove([Step])
}

/// The reason why a document can't be edited.
package struct YAMLEditError: Error, Equatable, Sendable {
    /// The line, counted from 1.
    package var line: Int
    package var problem: String
}
