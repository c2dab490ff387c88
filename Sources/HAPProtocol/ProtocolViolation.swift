/// What a peer did that the protocol does not allow; its connection or its procedure ends.
package enum ProtocolViolation: Error, Equatable, Sendable {
    /// Bytes that are no TLV8 by the strict rules of HAP 3.2.
    case malformedTLV
    /// A TLV8 that lacks an item, or has one of a wrong length.
    case badItem(PairingItem)
    /// A message that is not the next one of its procedure.
    case unexpectedState
    /// A message that is no HTTP, with what was wrong.
    case malformedHTTP(StaticReason)
    /// A body longer than its path takes.
    case bodyTooLong
    /// A frame that announces more than 1024 bytes.
    case frameTooLong
    /// A frame whose tag does not fit.
    case badFrame
    /// More frames than one key may seal.
    case counterExhausted

    /// Why HTTP was refused; fixed texts, so that nothing a peer sent reaches a log.
    package enum StaticReason: String, Equatable, Sendable {
        case startLine, header, headTooLong, tooManyHeaders, contentLength, transferEncoding, version, chunk
    }
}
