/// A peer's violation of the protocol, which ends its connection or its procedure.
package enum ProtocolViolation: Error, Equatable, Sendable {
    /// The bytes aren't TLV8 according to the strict rules of HAP 3.2.
    case malformedTLV
    /// A TLV8 item is missing or has the wrong length.
    case badItem(PairingItem)
    /// The message isn't the next one of its procedure.
    case unexpectedState
    /// The message isn't valid HTTP.
    case malformedHTTP(StaticReason)
    /// The body is longer than its path allows.
    case bodyTooLong
    /// A frame's content is longer than 1024 bytes.
    case frameTooLong
    /// A frame's tag doesn't match.
    case badFrame
    /// All frame numbers of a key are used up.
    case counterExhausted

    /// The reason why a message isn't valid HTTP.
    ///
    /// The raw values are fixed strings, so that no data from a peer reaches a log.
    package enum StaticReason: String, Equatable, Sendable {
        case startLine, header, headTooLong, tooManyHeaders, contentLength, transferEncoding, version, chunk
    }
}
