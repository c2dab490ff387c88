internal import HAPModel
internal import HAPProtocol

/// Checks TLV8 items, and the pairing messages that consist of TLV8 items.
@Sendable func checkTLV8(_ input: [UInt8]) {
    if let items = try? TLV8.items(in: input) {
        promise(items.reduce(0) { $0 + $1.value.count } <= input.count, "the items aren't longer than the input")
        promise((try? TLV8.items(in: TLV8.encode(items))) == items, "encoded items parse into the original")
    }
    if let body = try? PairingTLV(parsing: input) {
        promise((try? PairingTLV(parsing: body.encoded)) == body, "an encoded body parses into the original")
        promise(body.list.count <= input.count + 1, "the number of records is limited by the input")
        _ = try? body.state()
    }
}

/// Checks requests to `/pairings` and their responses.
@Sendable func checkPairings(_ input: [UInt8]) {
    if let request = try? PairingsRequest(parsing: input) {
        promise(
            (try? PairingsRequest(parsing: request.encoded)) == request, "an encoded request parses into the original")
    }
    for list in [false, true] {
        guard let response = try? PairingsResponse(parsing: input, list: list) else { continue }
        promise(
            (try? PairingsResponse(parsing: response.encoded, list: list)) == response,
            "an encoded response parses into the original")
    }
}

/// Checks adaptive lighting: a hub's writes, a lamp that follows the curve for a day, and the stored state.
@Sendable func checkTransition(_ input: [UInt8]) {
    if let request = try? TransitionControlRequest(parsing: input) {
        promise(
            (try? TransitionControlRequest(parsing: request.encoded)) == request,
            "an encoded request parses into the original")
    }
    if let response = try? TransitionControlResponse(parsing: input) {
        // Hold times that the input omits are encoded as 0.
        let again = try? TransitionControlResponse(parsing: response.encoded)
        promise(again?.encoded == response.encoded, "an encoded response parses into the original")
    }
    let brightness = InstanceID(11)
    let colorTemperature = InstanceID(12)
    let mireds = 153...500
    var lamp = AdaptiveLightingTransition(
        brightness: brightness, colorTemperature: colorTemperature, miredRange: mireds)
    let now = ContinuousClock.now
    guard (try? lamp.controlWritten(input, now: now)) != nil, lamp.activeCount == 1 else { return }
    let today = Duration.seconds(800_000_000)
    guard let saved = lamp.saved(now: now, wallClock: today) else { return }
    promise(saved.count <= 64 + 8 * input.count, "the size of the saved state is limited by the input")
    let resumed = try? AdaptiveLightingTransition(
        resuming: saved, brightness: brightness, colorTemperature: colorTemperature, miredRange: mireds, now: now,
        wallClock: today)
    promise(resumed?.activeCount == 1, "a transition continues after a restart")
    for hour in 0...24 {
        _ = lamp.lampIs(on: true, brightness: hour * 4, now: now + .seconds(hour * 3600))
        _ = lamp.controlValue(now: now + .seconds(hour * 3600))
    }
}
