/// A position in a YAML document.
struct Mark: Equatable {
    /// The line, counted from 1.
    let line: Int
    /// The column, counted from 1 in Unicode scalars.
    let column: Int
    /// The offset in Unicode scalars from the start of the text.
    var offset = 0
}
