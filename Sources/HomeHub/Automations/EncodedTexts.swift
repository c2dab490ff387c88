import BoundedJSON
import HomeModel

/// The JSON of the values in the last answer, because encoding them takes longer than comparing them.
struct EncodedTexts<ID: Hashable, Value: HomeMessage> {
    private var known: [ID: (value: Value, json: JSONValue)] = [:]

    /// Returns the JSON of the values, which replace the former ones.
    mutating func json(of values: [Value], by id: (Value) -> ID) -> JSONValue {
        let entries = values.map { value in
            let key = id(value)
            if let entry = known[key], entry.value == value { return (key, entry) }
            return (key, (value: value, json: value.json))
        }
        known = Dictionary(entries) { $1 }
        return .array(entries.map(\.1.json))
    }
}
