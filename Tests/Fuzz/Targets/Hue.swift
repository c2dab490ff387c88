internal import DeviceKit
import HAPModel
internal import HTTPKit
internal import LightDrivers

/// Checks a session with a Hue bridge that sends arbitrary data.
///
/// A line of the input belongs to the event stream if it is empty or starts with `data:`. Otherwise it is a response.
@Sendable func checkHue(_ input: [UInt8]) {
    var home = ConnectedDeviceRegistry<HueSession>(
        DeviceSelection(discover: false, hosts: [DeviceHost(host: "10.0.0.5")]), options: HueOptions(groups: true))
    let target = DeviceTarget.configured(DeviceHost(host: "10.0.0.5"))
    _ = home.started(known: [], now: .zero)
    let certificate = [UInt8](repeating: 1, count: 32)
    let identity = #"{"bridgeid": "001788FFFE123456"}"#
    var lights: [LightID: LightDescription] = [:]
    var requests: [(lane: Int, number: Int)] = []
    var now = Duration.zero
    func carryOut(_ actions: [DeviceAction<HueSession.Output>]) {
        for action in actions {
            switch action {
            case .added(let light):
                lights[light.id] = light
                checkDescription(light)
                promise(light.name.count <= 128, "the length of a name is limited")
            case .removed(let id):
                promise(lights.removeValue(forKey: id) != nil, "a light that is removed was added before")
            case .report(let id, let report):
                promise(lights[id] != nil, "a light that reports was added before")
                checkReport(report)
            case .occurred(let id, let events):
                promise(lights[id] != nil, "a button belongs to an added light")
                promise(events.allSatisfy { $0.property.type.isMomentary }, "an event is momentary")
            case .output(_, .request(let lane, let number, _)): requests.append((lane, number))
            case .output, .connect, .close, .warn, .finished: break
            }
        }
        promise(requests.count <= 2, "at most two requests are in flight")
    }
    func receive(_ input: HueSession.Input) {
        carryOut(home.received(input, from: target, number: 1, now: now, share: 1))
    }
    receive(.identity(HTTPClientResponse(body: Array(identity.utf8)), certificate: certificate))
    receive(.credentials(HueCredentials(certificate: certificate, key: "key")))
    receive(.stream(status: 200))
    var parser = EventStreamParser()
    for line in input.lines {
        now += .milliseconds(500)
        if line.isEmpty || line.starts(with: "data:".utf8) {
            for event in (try? parser.received(line + [0x0A])) ?? [] { receive(.event(event, id: parser.lastID)) }
        } else if !requests.isEmpty {
            let (lane, number) = requests.removeFirst()
            receive(.answer(lane: lane, number: number, HTTPClientResponse(body: Array(line))))
        }
        carryOut(home.timePassed(now: now, share: 1))
        for (id, light) in lights {
            let command = LightCommand(on: true, brightness: 50, color: .hueSaturation(hue: 30, saturation: 80))
            for command in [command] + sceneCommands(of: light) {
                guard let (_, actions) = try? home.apply(command, to: id, now: now) else { continue }
                carryOut(actions)
            }
        }
    }
}

/// Checks the pairing with an unknown bridge.
///
/// The first line is the bridge's description, and the other lines are responses to pairing requests.
@Sendable func checkHuePairing(_ input: [UInt8]) {
    var home = ConnectedDeviceRegistry<HueSession>(
        DeviceSelection(discover: false, hosts: [DeviceHost(host: "10.0.0.5")]), options: HueOptions(groups: true))
    let target = DeviceTarget.configured(DeviceHost(host: "10.0.0.5"))
    _ = home.started(known: [], now: .zero)
    var now = Duration.zero
    func receive(_ input: HueSession.Input) {
        let actions =
            home.received(input, from: target, number: 1, now: now, share: 1) + home.timePassed(now: now, share: 1)
        for case .output(_, let output) in actions {
            switch output {
            case .load(let bridge):
                promise(
                    (12...16).contains(bridge.utf8.count)
                        && bridge.allSatisfy { $0.isASCII && $0.isHexDigit && !$0.isUppercase },
                    "an id that becomes a file name consists of hexadecimal digits")
            case .store(let credentials, _):
                promise(HueCredentials.isKey(credentials.key), "the stored key is a valid application key")
            default: break
            }
        }
    }
    let lines = input.lines
    receive(
        .identity(HTTPClientResponse(body: Array(lines.first ?? [])), certificate: [UInt8](repeating: 1, count: 32)))
    receive(.credentials(nil))
    for line in lines.dropFirst() {
        now += .seconds(2)
        receive(.paired(HTTPClientResponse(body: Array(line))))
    }
}

/// Checks a stream of server-sent events that is split at arbitrary positions.
@Sendable func checkEventStream(_ input: [UInt8]) {
    let limit = 256
    func events(_ pieces: [ArraySlice<UInt8>]) -> (events: [[UInt8]], id: String?, isWhole: Bool) {
        var parser = EventStreamParser(limit: limit)
        var events: [[UInt8]] = []
        for piece in pieces {
            guard let more = try? parser.received(piece) else { return (events, parser.lastID, false) }
            events += more
        }
        return (events, parser.lastID, true)
    }
    let (whole, cut) = (events([input[...]]), events(input.map { [$0] }))
    promise(whole.isWhole == cut.isWhole && whole.id == cut.id, "the positions at which a stream is split don't matter")
    promise(
        !whole.isWhole || whole.events == cut.events, "the positions at which a stream is split don't change an event")
    promise(whole.events.allSatisfy { $0.count <= limit }, "the length of an event is limited")
    promise(whole.id.map { $0.utf8.count <= 128 } ?? true, "the length of an id is limited")
}
