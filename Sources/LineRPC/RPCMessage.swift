package import BoundedJSON

/// A JSON-RPC 2.0 message.
///
/// Batches aren't supported and are rejected as invalid requests.
package enum RPCMessage: Equatable, Sendable {
    /// The identifier that an answer has in common with its request.
    ///
    /// The requester chooses it.
    package enum ID: Hashable, Sendable {
        case integer(Int64)
        case string(String)
    }

    case request(id: ID, method: String, params: JSONValue)
    case notification(method: String, params: JSONValue)
    case response(id: ID, result: JSONValue)
    /// An error response.
    ///
    /// Its identifier is `nil` if the identifier of the request couldn't be read.
    case failure(id: ID?, RPCFailure)
}

extension RPCMessage {
    /// The error for an invalid line: the failure to send, and the identifier of the request, if it is readable.
    package struct Refusal: Error, Equatable {
        package var id: ID?
        package var failure: RPCFailure
    }

    package init(parsing line: [UInt8]) throws(Refusal) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: line, maximumLength: line.count)
        } catch {
            switch error {
            case .malformed(let offset):
                throw Refusal(failure: .parseError("not valid JSON at byte \(offset) of the line"))
            case .tooDeep: throw Refusal(failure: .parseError("nested too deeply"))
            case .tooLong: throw Refusal(failure: .parseError("too long"))
            }
        }
        guard case .object(let object) = value else {
            throw Refusal(failure: .invalidRequest("each line must be one JSON object"))
        }
        var id: ID?
        switch object["id"] {
        case nil, .null?: id = nil
        case let value:
            id = ID(value)
            if id == nil { throw Refusal(failure: .invalidRequest("an id must be an integer or a string")) }
        }
        guard object["jsonrpc"] == "2.0" else {
            throw Refusal(id: id, failure: .invalidRequest("\"jsonrpc\" must be \"2.0\""))
        }
        if let method = object["method"] {
            self = try Self.call(method, object["params"], id: id, hasID: object["id"] != nil)
        } else if let error = object["error"] {
            self = .failure(
                id: id,
                RPCFailure(
                    code: error["code"]?.int ?? RPCFailure.internalError.code,
                    message: error["message"]?.string ?? "no reason given", data: error["data"]))
        } else if let id, let result = object["result"] {
            self = .response(id: id, result: result)
        } else {
            throw Refusal(id: id, failure: .invalidRequest("the object is neither a request nor a response"))
        }
    }

    private static func call(
        _ method: JSONValue, _ params: JSONValue?, id: ID?, hasID: Bool
    ) throws(Refusal) -> RPCMessage {
        guard case .string(let method) = method else {
            throw Refusal(id: id, failure: .invalidRequest("\"method\" must be a string"))
        }
        switch params {
        case nil, .object?, .array?: break
        default: throw Refusal(id: id, failure: .invalidRequest("\"params\" must be an object or an array"))
        }
        let params = params ?? [:]
        if let id { return .request(id: id, method: method, params: params) }
        guard !hasID else { throw Refusal(failure: .invalidRequest("an id must be an integer or a string")) }
        return .notification(method: method, params: params)
    }

    /// The encoded message, including the line feed.
    package var line: [UInt8] {
        var object: JSONObject = ["jsonrpc": "2.0"]
        switch self {
        case .request(let id, let method, let params):
            object["id"] = id.json
            object["method"] = .string(method)
            object["params"] = params
        case .notification(let method, let params):
            object["method"] = .string(method)
            object["params"] = params
        case .response(let id, let result):
            object["id"] = id.json
            object["result"] = result
        case .failure(let id, let failure):
            object["id"] = id?.json ?? .null
            var error: JSONObject = ["code": .integer(Int64(failure.code)), "message": .string(failure.message)]
            if let data = failure.data { error["data"] = data }
            object["error"] = .object(error)
        }
        return JSONValue.object(object).encoded + [UInt8(ascii: "\n")]
    }
}

extension RPCMessage.ID {
    /// Creates an identifier from JSON; `nil` if the value isn't a valid identifier.
    init?(_ json: JSONValue?) {
        switch json {
        case .integer(let value)?: self = .integer(value)
        case .string(let value)?: self = .string(value)
        default: return nil
        }
    }

    var json: JSONValue {
        switch self {
        case .integer(let value): .integer(value)
        case .string(let value): .string(value)
        }
    }
}
