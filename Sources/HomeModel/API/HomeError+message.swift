import BoundedJSON

// The JSON form of errors, in messages and in the output of `--json`.

extension HomeError: HomeMessage {
    private enum CodingKeys: String, CodingKey {
        case code, name, message, suggestions, detail, remedy, accessory, failures
    }

    /// Decodes an error.
    ///
    /// An unknown code from a newer daemon becomes an unexpected error with the daemon's message.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let code = Code(rawValue: try values.decode(Int.self, forKey: .code))
        let message = try values.decodeIfPresent(String.self, forKey: .message)
        self.init(
            code ?? .unexpectedError,
            detail: try values.decodeIfPresent(String.self, forKey: .detail) ?? (code == nil ? message : nil),
            remedy: try values.decodeIfPresent(String.self, forKey: .remedy),
            accessory: try values.decodeIfPresent(Accessory.ID.self, forKey: .accessory),
            suggestions: try values.decodeIfPresent([String].self, forKey: .suggestions) ?? [])
        failures = try values.decodeIfPresent([Failure].self, forKey: .failures) ?? []
    }

    /// Encodes the error, including the code's name and the message for readers who don't know the codes.
    public func encode(to encoder: any Encoder) throws {
        try code.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(message, forKey: .message)
        try values.encode(suggestions, forKey: .suggestions)
        try values.encodeIfPresent(detail, forKey: .detail)
        try values.encodeIfPresent(remedy, forKey: .remedy)
        try values.encodeIfPresent(accessory, forKey: .accessory)
        if !failures.isEmpty { try values.encode(failures, forKey: .failures) }
    }
}

extension HomeError.Code: Codable {
    private enum CodingKeys: String, CodingKey {
        case code, name
    }

    /// Decodes the code from its number; throws an error if the number is unknown.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard let code = Self(rawValue: try values.decode(Int.self, forKey: .code)) else {
            throw JSONDecodingError(.wrongType, at: "code")
        }
        self = code
    }

    /// Encodes the code as an object with its number and its name.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(rawValue, forKey: .code)
        try values.encode(name, forKey: .name)
    }
}
