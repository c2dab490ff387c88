internal import HAPCrypto
internal import HAPProtocol

/// Checks the parsing of HTTP messages by an accessory and by a controller.
@Sendable func checkHTTP(_ input: [UInt8]) {
    for role in [MessageStream.Role.accessory, .controller] {
        let whole = messages(of: [input[...]], role)
        promise(whole == messages(of: input.pieces, role), "the position at which a message is split doesn't matter")
        promise(whole.messages.count <= input.count, "the number of messages is limited by the input")
        for message in whole.messages where survivesWriting(message) {
            let again = messages(of: [HTTPSerializer.bytes(of: message)[...]], role)
            promise(again == Reading(messages: [message]), "an encoded message parses into the original")
        }
    }
}

/// Checks encrypted frames.
///
/// First, a controller encrypts the input. Then an untrusted peer modifies the frames. Finally, the input is sent
/// without encryption.
@Sendable func checkFrames(_ input: [UInt8]) {
    let keys = SessionKeys(
        read: SecretBytes([UInt8](repeating: 1, count: 32)), write: SecretBytes([UInt8](repeating: 2, count: 32)))
    var controller = MessageStream(role: .controller)
    controller.secure(with: keys)
    guard let sealed = try? controller.carried(input) else { return }
    let clear = messages(of: [input[...]], .accessory)
    promise(messages(of: sealed.pieces, .accessory, keys) == clear, "decryption returns the encrypted messages")
    guard !sealed.isEmpty else { return }
    var forged = sealed
    forged[Int(input.reduce(0 as UInt) { $0 &* 31 &+ UInt($1) } % UInt(sealed.count))] ^= 0x40
    let opened = messages(of: forged.pieces, .accessory, keys)
    promise(clear.messages.starts(with: opened.messages), "a forged frame has no content")
    // Send bytes that were never encrypted.
    promise(
        messages(of: input.pieces, .accessory, keys).messages.isEmpty, "unencrypted bytes are rejected")
}

/// The result of parsing the input.
private struct Reading: Equatable {
    var messages: [HTTPMessage] = []
    var violation: ProtocolViolation?
}

private func messages(
    of pieces: [ArraySlice<UInt8>], _ role: MessageStream.Role, _ keys: SessionKeys? = nil
) -> Reading {
    var stream = MessageStream(role: role)
    if let keys { stream.secure(with: keys) }
    var reading = Reading()
    var came = 0
    for piece in pieces {
        came += piece.count
        stream.received(piece)
        do throws(ProtocolViolation) {
            while let message = try stream.next() { reading.messages.append(message) }
        } catch {
            reading.violation = error
            return reading
        }
        promise(stream.bufferedBytes <= came, "the buffer isn't longer than the input")
    }
    return reading
}

/// Returns whether the serializer can represent a message completely.
///
/// The serializer supports only messages that our own code sends.
private func survivesWriting(_ message: HTTPMessage) -> Bool {
    switch message {
    case .request(let request):
        [.put, .post].contains(request.method) && request.contentType != nil && !request.wantsClose
            && !request.isFromBrowser
    case .response(let response): [200, 207, 400, 404, 405, 413, 470, 503].contains(response.status)
    case .event: true
    }
}
