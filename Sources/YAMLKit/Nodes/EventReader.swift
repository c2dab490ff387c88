internal import CYAML

/// Reads the events of a document with libyaml.
struct EventReader: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>

    /// Creates a reader of UTF-8 text, which must exist as long as the reader.
    init(_ text: UnsafeBufferPointer<UInt8>) throws(SyntaxError) {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            throw .outOfMemory
        }
        self.parser = parser
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, text.baseAddress, text.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    /// Returns the next event.
    ///
    /// - Throws: ``SyntaxError``.
    func next() throws(SyntaxError) -> ParserEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw failure }
        defer { yaml_event_delete(&event) }
        var result = ParserEvent(kind: .other, mark: Mark(event.start_mark), end: Mark(event.end_mark))
        switch event.type {
        case YAML_STREAM_END_EVENT: result.kind = .streamEnd
        case YAML_DOCUMENT_END_EVENT: result.kind = .documentEnd
        case YAML_ALIAS_EVENT: result.kind = .alias(Self.text(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            result.kind = .scalar(
                Node.Scalar(
                    string: String(decoding: bytes, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE))
            result.isFlow = ![YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE].contains(scalar.style)
            (result.anchor, result.tag) = (Self.text(scalar.anchor), Self.text(scalar.tag))
        case YAML_SEQUENCE_START_EVENT:
            result.kind = .sequenceStart
            let start = event.data.sequence_start
            result.isFlow = start.style == YAML_FLOW_SEQUENCE_STYLE
            (result.anchor, result.tag) = (Self.text(start.anchor), Self.text(start.tag))
        case YAML_SEQUENCE_END_EVENT: result.kind = .sequenceEnd
        case YAML_MAPPING_START_EVENT:
            result.kind = .mappingStart
            let start = event.data.mapping_start
            result.isFlow = start.style == YAML_FLOW_MAPPING_STYLE
            (result.anchor, result.tag) = (Self.text(start.anchor), Self.text(start.tag))
        case YAML_MAPPING_END_EVENT: result.kind = .mappingEnd
        default: break
        }
        return result
    }

    private var failure: SyntaxError {
        switch parser.pointee.error {
        case YAML_MEMORY_ERROR: .outOfMemory
        case YAML_READER_ERROR: .forbiddenByte(offset: parser.pointee.problem_offset)
        default:
            .invalid(
                parser.pointee.problem.map { String(cString: $0) } ?? "unknown problem",
                Mark(parser.pointee.problem_mark))
        }
    }

    private static func text(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        bytes.map { String(cString: $0) }
    }
}

extension Mark {
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: mark.line + 1, column: mark.column + 1, offset: mark.index)
    }
}
