internal import BoundedJSON
internal import DeviceKit
internal import HAPModel
internal import LightPlugins
internal import LineRPC

/// Checks a plugin's standard output, split at arbitrary positions.
@Sendable func checkPlugin(_ input: [UInt8]) {
    var whole = OutputReader()
    var cut = OutputReader()
    let events = whole.received(input)
    promise(events == input.pieces.flatMap { cut.received($0) }, "the position at which a line is split doesn't matter")

    var inbox = PluginInbox()
    for event in events {
        switch event {
        case .violation(let text):
            promise(!text.isEmpty && text.utf8.count <= 1024, "a reason is a short sentence")
            inbox.violated(text)
        case .message(let message):
            check(message)
            inbox.add(message)
        case .ended: promise(false, "received bytes don't mean that the process ended")
        }
    }
    promise(inbox.takeAll().count <= 514, "the queue is limited")

    // Count the resulting actions, with a driver's requests between the messages.
    promise(PluginTrial.actions(for: events) <= 64 + 520 * events.count, "the number of actions per message is limited")
}

private func check(_ message: PluginMessage) {
    switch message {
    case .added(let light):
        promise((1...255).contains(light.id.rawValue.utf8.count), "the length of an id is limited")
        if let range = light.capabilities.temperature {
            promise(1 <= range.lowerBound, "a color temperature range is positive")
        }
        promise((1...16).contains(light.functions.count), "the number of functions is limited")
        let parts = light.functions.flatMap(\.parts)
        promise(
            parts.allSatisfy { $0.type == .colorTemperature || $0.metadata?.clamped($0.value) == $0.value },
            "an initial value is within its limits")
    case .state(let id, let report, _):
        let values = LightDescription(id: id, name: "").canonical(report.values).values
        promise(values.brightness.map { (1...100).contains($0) } ?? true, "a brightness is in percent")
        promise(report.values.count <= 256, "the number of values is limited")
    case .event(_, let events):
        promise(events.allSatisfy { $0.property.type.isMomentary }, "an event has only momentary values")
    case .removed, .answer, .request, .unknown, .refused: break
    }
}
