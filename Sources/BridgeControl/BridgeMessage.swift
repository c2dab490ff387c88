package import BoundedJSON

/// A message that is sent as JSON.
///
/// Its keys are those that `--json` prints.
///
/// Unknown members are ignored, so that a newer version may add members. `nil` values are omitted.
package protocol BridgeMessage: Codable, Sendable, Equatable {}

extension BridgeMessage {
    /// Decodes the message.
    ///
    /// - Throws: ``BridgeControlError`` with code 76 if a key is missing or its value has the wrong type.
    package init(json: JSONValue) throws(BridgeControlError) { self = try json.bridgeMessage() }

    package var json: JSONValue { JSONValue(encoding: self) }
}

extension Array where Element: BridgeMessage {
    /// Decodes the messages.
    ///
    /// - Throws: ``BridgeControlError`` with code 76 if the JSON isn't an array or an element is invalid.
    package init(json: JSONValue) throws(BridgeControlError) { self = try json.bridgeMessage() }

    package var json: JSONValue { JSONValue(encoding: self) }
}

extension JSONValue {
    fileprivate func bridgeMessage<Message: Decodable>() throws(BridgeControlError) -> Message {
        do { return try decoded(as: Message.self) } catch { throw BridgeControlError(decoding: error) }
    }
}

extension BridgeControlError {
    /// Creates an error that describes what's wrong with a message, without revealing the message's values.
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
        default: self = .protocolViolation("the message can't be read")
        }
    }
}
