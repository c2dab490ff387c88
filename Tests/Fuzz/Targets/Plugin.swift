internal import BoundedJSON
internal import LightKit
internal import LightPlugins
internal import LineRPC

/// What a plugin writes to its standard output, cut as its pipe may cut it.
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
    promise(inbox.takeAll().count <= 514, "what waits is bounded")

    // What is made of it, with a driver's answers in between.
    promise(PluginTrial.actions(for: events) <= 64 + 520 * events.count, "what follows from a message is bounded")
}

private func check(_ message: PluginMessage) {
    switch message {
    case .added(let light):
        promise((1...255).contains(light.id.rawValue.utf8.count), "an id is bounded")
        if let range = light.capabilities.temperature { promise(1 <= range.lowerBound, "a range is one") }
    case .state(_, let report, _):
        promise(report.brightness.map { (1...100).contains($0) } ?? true, "a brightness is in its range")
        if case .hueSaturation(let hue, let saturation) = report.color {
            promise(hue >= 0 && hue < 360 && saturation >= 0 && saturation <= 100, "a colour is in its range")
        }
    case .removed, .answer, .request, .unknown, .refused: break
    }
}
