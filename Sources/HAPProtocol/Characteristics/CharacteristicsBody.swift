package import BoundedJSON
package import HAPModel

/// A writer for `{"characteristics":[...]}`, the body of reads, writes and events.
package struct CharacteristicsBody {
    private var json: JSONWriter
    private var isEmpty = true

    package init(reserving entries: Int = 1) {
        json = JSONWriter(reserving: 32 + entries * 48)
        json.raw("{\"characteristics\":[")
    }

    /// Appends an entry.
    ///
    /// The `more` closure appends additional members, each preceded by a comma.
    package mutating func append(
        _ id: CharacteristicID, status: HAPStatus? = nil, value: CharacteristicValue? = nil,
        more: (inout JSONWriter) -> Void = { _ in }
    ) {
        json.raw(isEmpty ? "{\"aid\":" : ",{\"aid\":")
        isEmpty = false
        json.integer(id.aid.rawValue)
        json.raw(",\"iid\":")
        json.integer(id.iid.rawValue)
        if let status {
            json.raw(",\"status\":")
            json.integer(Int64(status.rawValue))
        }
        if let value {
            json.raw(",\"value\":")
            json.characteristicValue(value)
        }
        more(&json)
        json.raw("}")
    }

    /// Returns the complete body.
    package consuming func finished() -> [UInt8] {
        json.raw("]}")
        return json.bytes
    }
}
