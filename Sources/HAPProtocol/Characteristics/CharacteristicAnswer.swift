package import BoundedJSON
package import HAPModel

/// What an accessory says of one characteristic: in the answer to a read or a write, or in an event (HAP 8.2, 10.1).
package struct CharacteristicAnswer: Equatable, Sendable {
    package let id: CharacteristicID
    /// What became of it; `nil` where nothing was said, which stands for success.
    package let status: HAPStatus?
    /// Its value, if one was sent.
    package let value: JSONValue?

    package init(id: CharacteristicID, status: HAPStatus?, value: JSONValue?) {
        self.id = id
        self.status = status
        self.value = value
    }

    /// Reads a body's entries.
    ///
    /// - Returns: `nil` for a body that is not of HAP's form.
    package static func list(parsing body: [UInt8]) -> [CharacteristicAnswer]? {
        guard let json = try? JSONValue(parsing: body, maximumLength: HTTPLimits.body, allowsTrailingCommas: true),
            let list = json["characteristics"]?.array
        else { return nil }
        var answers: [CharacteristicAnswer] = []
        answers.reserveCapacity(list.count)
        for element in list {
            guard let aid = element["aid"]?.unsignedInteger, let iid = element["iid"]?.unsignedInteger else {
                return nil
            }
            answers.append(
                CharacteristicAnswer(
                    id: CharacteristicID(AccessoryID(aid), InstanceID(iid)),
                    status: element["status"].map { HAPStatus(parsing: $0) }, value: element["value"]))
        }
        return answers
    }
}

extension HAPStatus {
    /// A status as an accessory sends it; an unknown one counts as failure.
    fileprivate init(parsing json: JSONValue) {
        self = json.int.flatMap { HAPStatus(rawValue: $0) } ?? .unableToCommunicate
    }

    /// The status that a body tells for the request as a whole.
    ///
    /// - Returns: `nil` if it tells none.
    package init?(parsing body: [UInt8]) {
        guard let json = try? JSONValue(parsing: body, maximumLength: HTTPLimits.body, allowsTrailingCommas: true),
            let status = json["status"]
        else { return nil }
        self.init(parsing: status)
    }
}
