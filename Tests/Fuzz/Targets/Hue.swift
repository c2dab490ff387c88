internal import LightDrivers
internal import LightKit

/// A Hue bridge that answers anything: each line is an answer, or a line of the event stream if it is empty or begins with
/// `data:`.
@Sendable func checkHue(_ input: [UInt8]) {
    var home = DeviceHome<HueSession>(
        DeviceSelection(discover: false, hosts: [DeviceHost(host: "10.0.0.5")]), options: HueOptions(groups: true))
    let target = DeviceTarget.configured(DeviceHost(host: "10.0.0.5"))
    _ = home.started(known: [], now: .zero)
    let certificate = [UInt8](repeating: 1, count: 32)
    let identity = #"{"bridgeid": "001788FFFE123456"}"#
    var lights: Set<LightID> = []
    var requests: [(lane: Int, number: Int)] = []
    var now = Duration.zero
    func carryOut(_ actions: [DeviceAction<HueSession.Output>]) {
        for action in actions {
            switch action {
            case .added(let light):
                lights.insert(light.id)
                promise((1...255).contains(light.id.rawValue.utf8.count), "an id is bounded")
                promise(light.name.count <= 128, "a name is bounded")
            case .removed(let id): promise(lights.remove(id) != nil, "a light that goes was there")
            case .report(let id, let report):
                promise(lights.contains(id), "who reports was added")
                promise(report.brightness.map { (1...100).contains($0) } ?? true, "brightness is in percent")
            case .output(_, .request(let lane, let number, _)): requests.append((lane, number))
            case .output, .connect, .close, .warn, .finished: break
            }
        }
        promise(requests.count <= 2, "two requests are under way at most")
    }
    func receive(_ input: HueSession.Input) {
        carryOut(home.received(input, from: target, number: 1, now: now, share: 1))
    }
    receive(.identity(HTTPResponse(body: Array(identity.utf8)), certificate: certificate))
    receive(.credentials(HueCredentials(certificate: certificate, key: "key")))
    receive(.stream(status: 200))
    var parser = EventStreamParser()
    for line in input.lines {
        now += .milliseconds(500)
        if line.isEmpty || line.starts(with: "data:".utf8) {
            for event in (try? parser.received(line + [0x0A])) ?? [] { receive(.event(event, id: parser.lastID)) }
        } else if !requests.isEmpty {
            let (lane, number) = requests.removeFirst()
            receive(.answer(lane: lane, number: number, HTTPResponse(body: Array(line))))
        }
        carryOut(home.timePassed(now: now, share: 1))
        for id in lights {
            let command = LightCommand(on: true, brightness: 50, color: .hueSaturation(hue: 30, saturation: 80))
            guard let (_, actions) = try? home.apply(command, to: id, now: now) else { continue }
            carryOut(actions)
        }
    }
}
