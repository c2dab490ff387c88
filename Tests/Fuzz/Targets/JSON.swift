internal import BoundedJSON
internal import HAPModel
internal import HAPProtocol

/// Checks the JSON parser.
@Sendable func checkJSON(_ input: [UInt8]) {
    guard let value = try? JSONValue(parsing: input) else { return }
    let text = value.encoded
    // A number of five bytes, such as 1e308, can have 309 digits.
    promise(text.count <= 64 + 80 * input.count, "the length of the output is limited by the input")
    let again = try? JSONValue(parsing: text, maximumLength: text.count)
    promise(again?.encoded == text, "the output parses, and serializes to itself")
    promise(depth(of: value) <= JSONValue.maximumDepth, "the nesting is limited")
}

private func depth(of value: JSONValue) -> Int {
    switch value {
    case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
    case .object(let object): 1 + (object.members.map { depth(of: $0.value) }.max() ?? 0)
    case .null, .bool, .integer, .unsigned, .number, .string: 0
    }
}

/// Checks the parsing of the bodies and queries of `/characteristics` and `/prepare` by both ends.
@Sendable func checkCharacteristics(_ input: [UInt8]) {
    if let request = WriteRequest(parsing: input) {
        promise(request.entries.count <= input.count, "the number of entries is limited by the input")
        if request.entries.allSatisfy({ !$0.isMalformed }) {
            let text = request.encoded
            promise(WriteRequest(parsing: text)?.encoded == text, "an encoded write parses into the original")
        }
        for entry in request.entries {
            guard let value = entry.value else { continue }
            for format in CharacteristicFormat.allCases { checkValue(value, as: format) }
        }
    }
    if let request = PrepareRequest(parsing: input) {
        promise(
            PrepareRequest(parsing: request.encoded) == request, "an encoded prepare request parses into the original")
    }
    if let request = ReadRequest(query: String(decoding: input, as: UTF8.self)) {
        promise(request.ids.count <= input.count, "the number of ids is limited by the input")
        promise(ReadRequest(query: request.query) == request, "an encoded query parses into the original")
    }
    if let answers = CharacteristicAnswer.list(parsing: input) {
        promise(answers.count <= input.count, "the number of answers is limited by the input")
    }
    _ = HAPStatus(parsing: input)
}

private func checkValue(_ json: JSONValue, as format: CharacteristicFormat) {
    let metadata = CharacteristicMetadata(
        format: format, permissions: [.pairedRead, .pairedWrite], minimum: 0, maximum: 100,
        step: format == .float ? 0.1 : 1)
    guard let value = metadata.value(from: json), let accepted = metadata.accepted(value) else { return }
    promise(metadata.accepted(accepted) == accepted, "an accepted value is accepted again")
    var writer = JSONWriter()
    writer.characteristicValue(accepted)
    promise(
        (try? JSONValue(parsing: writer.bytes, maximumLength: writer.bytes.count)) != nil,
        "an encoded value is valid JSON")
}

/// Checks the parsing of an accessory's attribute database by a controller.
@Sendable func checkDatabase(_ input: [UInt8]) {
    guard let database = try? AccessoryDatabase(parsing: input) else { return }
    promise(database.accessories.count <= AccessoryDatabase.maximumAccessories, "the number of accessories is limited")
    for (id, characteristic) in database.characteristics {
        promise(database[id] == characteristic, "a characteristic is found by its id")
    }
    // The first encoding may round limits that our own accessories never have. Later encodings must change nothing.
    guard let second = reread(database), let third = reread(second) else { return }
    promise(text(of: third) == text(of: second), "an encoded database parses into the original")
}

private func reread(_ database: AccessoryDatabase) -> AccessoryDatabase? {
    let written = text(of: database)
    let again = try? AccessoryDatabase(parsing: written)
    promise(again != nil || written.count > AccessoryDatabase.maximumLength, "an encoded database parses")
    return again
}

private func text(of database: AccessoryDatabase) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw("{\"accessories\":[")
    for (index, accessory) in database.accessories.enumerated() {
        if index > 0 { writer.raw(",") }
        writer.accessory(accessory)
    }
    writer.raw("]}")
    return writer.bytes
}
