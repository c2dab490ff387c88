internal import BoundedJSON
internal import DeviceKit
internal import HAPModel
internal import LightPlugins
internal import LineRPC

/// A plugin's standard output, split at arbitrary positions.
@Sendable func checkPlugin(_ input: [UInt8]) {
    var whole = OutputReader()
    var cut = OutputReader()
    let events = whole.received(input)
    promise(events == input.pieces.flatMap { cut.received($0) }, "it does not matter where a line is cut")

    var inbox = PluginInbox()
    for event in events {
        switch event {
        case .violation(let text):
            promise(!text.isEmpty && text.utf8.count <= 1024, "a reason is a short sentence")
            inbox.violated(text)
        case .message(let message):
            check(message)
            inbox.add(message)
        case .ended: promise(false, "bytes do not end a process")
        }
    }
    promise(inbox.takeAll().count <= 514, "the queue is limited")

    // The resulting actions, with a driver's responses in between.
    promise(PluginTrial.actions(for: events) <= 64 + 520 * events.count, "what follows from a message is bounded")
}

private func check(_ message: PluginMessage) {
    switch message {
    case .added(let light):
        promise((1...255).contains(light.id.rawValue.utf8.count), "an id is bounded")
        if let range = light.capabilities.temperature { promise(1 <= range.lowerBound, "a range is one") }
        promise((1...16).contains(light.functions.count), "functions are bounded")
        let parts = light.functions.flatMap(\.parts)
        promise(
            parts.allSatisfy { $0.type == .colorTemperature || $0.metadata?.clamped($0.value) == $0.value },
            "an initial value is in its range")
    case .state(let id, let report, _):
        let values = LightDescription(id: id, name: "").canonical(report.values).values
        promise(values.brightness.map { (1...100).contains($0) } ?? true, "a brightness is in its range")
        promise(report.values.count <= 256, "values are bounded")
    case .event(_, let events): promise(events.allSatisfy { $0.property.type.isMomentary }, "an event is momentary")
    case .removed, .answer, .request, .unknown, .refused: break
    }
}
