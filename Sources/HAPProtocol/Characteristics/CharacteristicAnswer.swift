package import BoundedJSON
package import HAPModel

/// An accessory's answer for one characteristic, from the response to a read or a write, or from an event (HAP 8.2,
/// 10.1).
package struct CharacteristicAnswer: Equatable, Sendable {
    package let id: CharacteristicID
    /// The status; `nil` if the accessory omitted it, which means success.
    package let status: HAPStatus?
    /// The value; `nil` if the accessory sent none.
    package let value: JSONValue?

    package init(id: CharacteristicID, status: HAPStatus?, value: JSONValue?) {
        self.id = id
        self.status = status
        self.value = value
    }

    /// Parses the entries of a body.
    ///
    /// - Returns: The entries, or `nil` if the body isn't in HAP's format.
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
    /// Parses a status from an accessory.
    ///
    /// An unknown status counts as a failure.
    fileprivate init(parsing json: JSONValue) {
        self = json.int.flatMap { HAPStatus(rawValue: $0) } ?? .unableToCommunicate
    }

    /// Parses the status of a whole request from the body of its response.
    ///
    /// - Returns: The status, or `nil` if the body doesn't contain one.
    package init?(parsing body: [UInt8]) {
        guard let json = try? JSONValue(parsing: body, maximumLength: HTTPLimits.body, allowsTrailingCommas: true),
            let status = json["status"]
        else { return nil }
        self.init(parsing: status)
    }
}
