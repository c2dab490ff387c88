import BoundedJSON
import ConfigurationKit

/// The template for the JSON body of a webhook's requests, with placeholders in its strings.
struct WebhookBody: Equatable, Sendable {
    /// The maximum size of the template, in bytes of JSON.
    static let maximumSize = 4096
    /// The maximum depth of objects and lists.
    fileprivate static let maximumDepth = 8

    /// The default body, with the keys `home`, `automation`, `text` and `time`.
    static let standard: WebhookBody = {
        var object = JSONObject()
        for name in ["home", "automation", "text", "time"] { object[name] = .string("{\(name)}") }
        return WebhookBody(.object(object))
    }()

    private let template: JSONValue

    init(_ template: JSONValue) { self.template = template }

    /// Returns the body for a message.
    func json(for message: OutgoingMessage) -> [UInt8] { fill(template, message).encoded }

    private func fill(_ value: JSONValue, _ message: OutgoingMessage) -> JSONValue {
        switch value {
        case .string(let text): return .string(message.fill(text))
        case .array(let elements): return .array(elements.map { fill($0, message) })
        case .object(let object):
            var filled = JSONObject()
            for member in object.members { filled[member.name] = fill(member.value, message) }
            return .object(filled)
        case .null, .bool, .integer, .unsigned, .number: return value
        }
    }
}

extension WebhookBody: Decodable {
    init(from decoder: any Decoder) throws {
        let depth = decoder.codingPath.count
        template = try TemplateValue(from: decoder, maximumPath: depth + Self.maximumDepth).json
        guard template.object != nil else {
            throw ConfigurationProblem(
                "must consist of keys with values", remedy: #"use keys with values, such as {message: "{text}"}"#,
                at: decoder.codingPath)
        }
        guard template.encoded.count <= Self.maximumSize else {
            throw ConfigurationProblem(
                "longer than \(Self.maximumSize) bytes", remedy: "shorten it", at: decoder.codingPath)
        }
    }
}

/// A value in the template, as it's written in YAML.
private struct TemplateValue: Decodable {
    let json: JSONValue

    init(from decoder: any Decoder) throws {
        // The coding path of the template itself has two keys: the section's and the template's.
        try self.init(from: decoder, maximumPath: 2 + WebhookBody.maximumDepth)
    }

    init(from decoder: any Decoder, maximumPath: Int) throws {
        guard decoder.codingPath.count <= maximumPath else {
            throw ConfigurationProblem(
                "more than \(WebhookBody.maximumDepth) levels", remedy: "remove inner levels", at: decoder.codingPath)
        }
        if let container = try? decoder.container(keyedBy: ConfigurationKey.self) {
            var object = JSONObject()
            for key in container.allKeys {
                object[key.stringValue] = try container.decode(TemplateValue.self, forKey: key).json
            }
            json = .object(object)
        } else if var list = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !list.isAtEnd { elements.append(try list.decode(TemplateValue.self).json) }
            json = .array(elements)
        } else {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int64.self) {
                json = .integer(number)
            } else if let number = try? container.decode(Double.self) {
                json = .number(number)
            } else if let bool = try? container.decode(Bool.self) {
                json = .bool(bool)
            } else {
                json = .string(try container.decode(String.self))
            }
        }
    }
}
