package import BoundedJSON
internal import HAPCrypto
package import HAPModel

/// `PUT /characteristics` (HAP 8.5).
package struct WriteRequest: Equatable, Sendable {
    /// The entry of a request for one characteristic.
    package struct Entry: Equatable, Sendable {
        package var id: CharacteristicID
        /// The value to write; `nil` if the entry only changes a subscription.
        package var value: JSONValue?
        /// Whether to subscribe or unsubscribe; `nil` to do neither.
        package var events: Bool?
        /// A Boolean value that indicates whether the controller requests a write response.
        package var wantsResponse: Bool
        /// Opaque data that authorizes the write.
        ///
        /// Only the accessory and its app interpret it.
        package var authorizationData: [UInt8]?
        /// A Boolean value that indicates whether a member has an invalid type, so that the entry fails with -70410.
        package var isMalformed: Bool

        package init(
            id: CharacteristicID, value: JSONValue? = nil, events: Bool? = nil, wantsResponse: Bool = false,
            authorizationData: [UInt8]? = nil, isMalformed: Bool = false
        ) {
            self.id = id
            self.value = value
            self.events = events
            self.wantsResponse = wantsResponse
            self.authorizationData = authorizationData
            self.isMalformed = isMalformed
        }
    }

    package var entries: [Entry]
    /// The id that the controller announced with `PUT /prepare`; `nil` if the write isn't timed.
    package var preparedID: UInt64?

    package init(entries: [Entry], preparedID: UInt64? = nil) {
        self.entries = entries
        self.preparedID = preparedID
    }

    /// Parses a body.
    ///
    /// - Returns: `nil` if the request must be answered with status 400, without executing any part of it.
    package init?(parsing body: [UInt8]) {
        guard let json = try? JSONValue(parsing: body, maximumLength: HTTPLimits.body), let request = json.object,
            let list = request["characteristics"]?.array, !list.isEmpty
        else { return nil }
        if let pid = request["pid"] {
            guard let number = pid.unsignedInteger else { return nil }
            preparedID = number
        }
        entries = []
        entries.reserveCapacity(list.count)
        for element in list {
            guard let object = element.object, let entry = Entry(members: object) else { return nil }
            entries.append(entry)
        }
    }

    package var encoded: [UInt8] {
        var list: [JSONValue] = []
        for entry in entries {
            var object: JSONObject = [
                "aid": .unsigned(entry.id.aid.rawValue), "iid": .unsigned(entry.id.iid.rawValue),
            ]
            object["value"] = entry.value
            object["ev"] = entry.events.map { .bool($0) }
            if entry.wantsResponse { object["r"] = true }
            object["authData"] = entry.authorizationData.map { .string(Base64.encode($0)) }
            list.append(.object(object))
        }
        var object: JSONObject = ["characteristics": .array(list)]
        object["pid"] = preparedID.map { .unsigned($0) }
        return JSONValue.object(object).encoded
    }
}

extension WriteRequest.Entry {
    /// Parses an entry, or returns `nil` if it doesn't identify a characteristic.
    fileprivate init?(members: JSONObject) {
        wantsResponse = false
        isMalformed = false
        var aid: UInt64?
        var iid: UInt64?
        // If several members have the same name, the last one counts.
        for member in members.members {
            switch member.name {
            case "aid": aid = member.value.unsignedInteger
            case "iid": iid = member.value.unsignedInteger
            case "value": value = member.value
            case "ev":
                events = member.value.flag
                if events == nil, !member.value.isNull { isMalformed = true }
            case "r": wantsResponse = member.value.flag ?? false
            case "authData":
                // No characteristic of this server requires authorization data, but it must be valid Base64 (HAP 8.5).
                authorizationData = member.value.string.flatMap(Base64.decode)
                if !member.value.isNull, authorizationData == nil { isMalformed = true }
            default: break
            }
        }
        guard let aid, let iid else { return nil }
        id = CharacteristicID(AccessoryID(aid), InstanceID(iid))
        switch value {
        case .null?:
            // Together with `ev`, a `null` means that there is no value. Without `ev`, it is invalid.
            if events != nil { value = nil } else { isMalformed = true }
        case .array?, .object?: isMalformed = true
        case .bool?, .integer?, .unsigned?, .number?, .string?, nil: break
        }
    }
}

extension JSONValue {
    /// The Boolean value; 0 and 1 count as `false` and `true`.
    fileprivate var flag: Bool? {
        switch self {
        case .bool(let flag): flag
        case .integer(0): false
        case .integer(1): true
        case .null, .integer, .unsigned, .number, .string, .array, .object: nil
        }
    }
}
