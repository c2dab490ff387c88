package import BoundedJSON

/// A message that is sent as JSON.
///
/// Its keys are those that `--json` prints.
///
/// Unknown members are ignored, so that a newer version may add members. `nil` values are omitted.
package protocol OperatorMessage: Codable, Sendable, Equatable {}

extension OperatorMessage {
    /// Decodes the message.
    ///
    /// - Throws: ``OperatorError`` with code 76 if a key is missing or its value has the wrong type.
    package init(json: JSONValue) throws(OperatorError) { self = try json.operatorMessage() }

    package var json: JSONValue { JSONValue(encoding: self) }
}

/// A request or a notification on a control socket.
package protocol OperatorCall: MethodCall, Sendable, Equatable {}

extension OperatorCall {
    /// Decodes a call, or returns `nil` if the method is unknown.
    ///
    /// - Throws: ``OperatorError`` with code 76 if a parameter is missing or has the wrong type.
    package init?(method: String, params: JSONValue) throws(OperatorError) {
        do {
            guard let call = try Self.decoded(method: method, params: params) else { return nil }
            self = call
        } catch { throw OperatorError(decoding: error) }
    }
}

extension Array where Element: OperatorMessage {
    /// Decodes the messages.
    ///
    /// - Throws: ``OperatorError`` with code 76 if the JSON isn't an array or an element is invalid.
    package init(json: JSONValue) throws(OperatorError) { self = try json.operatorMessage() }

    package var json: JSONValue { JSONValue(encoding: self) }
}

extension JSONValue {
    fileprivate func operatorMessage<Message: Decodable>() throws(OperatorError) -> Message {
        do { return try decoded(as: Message.self) } catch { throw OperatorError(decoding: error) }
    }
}

extension OperatorError {
    /// Creates an error that describes what's wrong with a message, without revealing the message's values.
    package init(decoding error: any Error) {
        switch error {
        case let error as OperatorError: self = error
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
