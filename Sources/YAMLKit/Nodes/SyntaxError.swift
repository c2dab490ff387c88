/// An error in the syntax of a YAML document.
enum SyntaxError: Error, Equatable {
    /// libyaml's description of the problem.
    case invalid(String, Mark)
    /// A byte that YAML doesn't allow.
    case forbiddenByte(offset: Int)
    case undefinedAlias(Mark)
    case duplicateKey(String, first: Mark, second: Mark)
    case secondDocument(Mark)
    case outOfMemory
}
