package import BoundedJSON

/// A message that travels as JSON, with the keys that `--json` prints.
///
/// Members that are not known are ignored, so that a newer side may say more; what is `nil` is left out.
package protocol BridgeMessage: Codable, Sendable, Equatable {}

extension BridgeMessage {
    /// Reads the message.
    ///
    /// - Throws: ``BridgeControlError`` with code 76 if a key is missing or of the wrong type.
    package init(json: JSONValue) throws(BridgeControlError) { self = try json.bridgeMessage() }

    package var json: JSONValue { JSONValue(encoding: self) }
}

extension Array where Element: BridgeMessage {
    /// Reads the messages.
    ///
    /// - Throws: ``BridgeControlError`` with code 76 if they are no list, or one of them is wrong.
    package init(json: JSONValue) throws(BridgeControlError) { self = try json.bridgeMessage() }

    package var json: JSONValue { JSONValue(encoding: self) }
}

extension JSONValue {
    fileprivate func bridgeMessage<Message: Decodable>() throws(BridgeControlError) -> Message {
        do { return try decoded(as: Message.self) } catch { throw BridgeControlError(decoding: error) }
    }
}

extension BridgeControlError {
    /// Names what is wrong with a message; never what stands in it.
    init(decoding error: any Error) {
        switch error {
        case let error as BridgeControlError: self = error
        case let error as JSONDecodingError:
            switch error.reason {
            case .missing: self = .protocolViolation("the key \"\(error.path)\" is missing")
            case .wrongType where error.path.isEmpty: self = .protocolViolation("the message has the wrong type")
            case .wrongType: self = .protocolViolation("the key \"\(error.path)\" has a value of the wrong type")
            case .unknownKind: self = .protocolViolation(error.description)
            }
        default: self = .protocolViolation("the message cannot be read")
        }
    }
}
