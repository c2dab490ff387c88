internal import HAPModel
internal import HomeModel

/// Checks names that users enter or devices report.
///
/// The first line is a name, the second line the manufacturer, and the third line the model. The other lines are,
/// alternately, rooms and names in use.
@Sendable func checkNames(_ input: [UInt8]) {
    let texts = input.lines.prefix(40).map { String(decoding: $0, as: UTF8.self) }
    var rooms: [NameLocation] = []
    var taken: Set<NameKey> = []
    for (index, text) in texts.dropFirst(3).enumerated() {
        if index.isMultiple(of: 2), let id = Room.ID("00000000-0000-4000-8000-0000000000\(10 + index)") {
            rooms.append(NameLocation(name: text, place: .room(id)))
        } else {
            taken.insert(NameKey(text))
        }
    }
    let maker = NameMaker(
        manufacturer: texts.dropFirst().first, model: texts.dropFirst(2).first, serialNumber: texts.first)
    for maker in [NameMaker(), maker] {
        for isFromDevice in [false, true] {
            let context = NameContext(
                serviceType: .lightbulb, maker: maker, locations: rooms, taken: taken, isFromDevice: isFromDevice)
            checkSuggestions(context.suggestions(for: texts[0]), in: context)
        }
    }
    for text in texts {
        let violations = NameRules.violations(of: text)
        promise(violations == violations.sorted(), "violations are sorted")
        promise(!violations.isEmpty || !NameKey(text).isEmpty, "a valid name has a comparison key")
    }
}

private func checkSuggestions(_ names: [String], in context: NameContext) {
    promise((1...3).contains(names.count), "there are one to three suggestions")
    promise(Set(names.map { NameKey($0) }).count == names.count, "suggestions differ")
    let detector = LocationDetector(context.locations, serviceType: context.serviceType)
    for name in names {
        promise(NameRules.isValid(name), "a suggestion is valid")
        promise(!context.taken.contains(NameKey(name)), "a suggestion isn't in use")
        promise(!context.maker.occurs(in: name), "a suggestion doesn't contain the manufacturer")
        promise(detector.hits(in: name).locations.isEmpty, "a suggestion doesn't contain a location")
    }
}

/// Checks scanned and typed setup codes.
@Sendable func checkSetup(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    if let payload = try? SetupPayload(uri: text) {
        promise((try? SetupPayload(uri: payload.uri)) == payload, "an encoded payload parses into the original")
    }
    if let payload = AccessorySetupPayload(url: text) {
        promise(payload.category != nil, "a payload contains a category")
        _ = try? payload.validate()
    }
    for code in [SetupCode(text), SetupCode(typed: text)] {
        guard let code else { continue }
        promise(SetupCode(code.text) == code, "the text of a code parses into the same code")
        promise(!"\(code)".contains(code.text), "the description of a setup code doesn't reveal it")
    }
}
