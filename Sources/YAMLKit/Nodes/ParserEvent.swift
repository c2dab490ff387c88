/// An event of libyaml's parser.
struct ParserEvent {
    enum Kind {
        case streamEnd
        case documentEnd
        case alias(String)
        case scalar(Node.Scalar)
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
        /// The start of the stream or of a document.
        case other
    }

    var kind: Kind
    let mark: Mark
    /// The position after the event.
    let end: Mark
    /// A Boolean value that indicates whether a collection is in brackets, or a scalar isn't a block of lines.
    var isFlow = false
    /// The anchor of a node.
    var anchor: String?
    /// The tag of a node.
    var tag: String?
}
