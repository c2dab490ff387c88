internal import DeviceKit
import HAPModel
internal import HTTPKit
internal import LightDrivers

/// Checks a session with a WLED device that sends arbitrary data.
///
/// Each line of the input is used both as a response and as a WebSocket message.
@Sendable func checkWLED(_ input: [UInt8]) {
    let host = DeviceHost(host: "10.0.0.7")
    let target = DeviceTarget.configured(host)
    var home = ConnectedDeviceRegistry<WLEDSession>(
        DeviceSelection(discover: false, hosts: [host]),
        options: WLEDOptions(segments: input.first.map { $0 & 1 == 1 } ?? false))
    var lights: Set<LightID> = []
    var requests: [Int] = []
    var now = Duration.zero
    func carryOut(_ actions: [DeviceAction<WLEDSession.Output>]) {
        for action in actions {
            switch action {
            case .added(let light):
                lights.insert(light.id)
                promise((1...255).contains(light.id.rawValue.utf8.count), "the length of an id is limited")
                promise(light.name.count <= 140, "the length of a name is limited")
            case .removed(let id): promise(lights.remove(id) != nil, "a light that is removed was added before")
            case .report(let id, let report):
                promise(lights.contains(id), "a light that reports was added before")
                promise(report.brightness.map { (1...100).contains($0) } ?? true, "the brightness is in percent")
            case .occurred(let id, let events):
                promise(lights.contains(id), "a button belongs to an added light")
                promise(events.allSatisfy { $0.property.type.isMomentary }, "an event is momentary")
            case .output(_, .request(let number, let request)):
                requests.append(number)
                promise(request.body.count < 8192, "a command is short")
            case .output, .connect, .close, .warn, .finished: break
            }
        }
        promise(requests.count <= 1, "at most one request is in flight")
    }
    carryOut(home.started(known: [], now: .zero))
    for line in input.dropFirst().split(separator: 0x0A) {
        now += .seconds(5)
        if let number = requests.popLast() {
            let answer = WLEDSession.Input.answer(number: number, HTTPClientResponse(body: Array(line)))
            carryOut(home.received(answer, from: target, number: 1, now: now, share: 1))
        }
        carryOut(home.received(.message(Array(line)), from: target, number: 1, now: now, share: 1))
        carryOut(home.timePassed(now: now, share: 1))
        for id in lights {
            let command = LightCommand(on: true, brightness: 50, color: .hueSaturation(hue: 30, saturation: 80))
            guard let (_, actions) = try? home.apply(command, to: id, now: now) else { continue }
            carryOut(actions)
        }
    }
    promise(lights.count <= 64, "the number of segments is limited")
}
