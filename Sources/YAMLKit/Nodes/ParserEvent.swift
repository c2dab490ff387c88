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
    /// The anchor of a node.
    var anchor: String?
    /// The tag of a node.
    var tag: String?
}
