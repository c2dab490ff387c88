internal import DeviceKit
import HAPModel
internal import HTTPKit
internal import LightDrivers

/// Checks a session with a Shelly device that sends arbitrary data.
///
/// Each line is used as a response, a WebSocket message or an HTTP body, depending on the pending request.
@Sendable func checkShelly(_ input: [UInt8]) {
    let switches = input.first.map { $0 & 1 == 1 } ?? false
    let options = ShellyOptions(switches: switches, passwordFile: "/etc/shelly")
    check(ShellySession.self, options, input) { line, output in
        switch output {
        case .identify?: [.identity(HTTPClientResponse(body: line))]
        case .open?: [.opened]
        case .call(let call)?:
            [.message(Array(#"{"id": \#(call.number), "result": "#.utf8) + line + [0x7D]), .message(line)]
        case nil: [.message(line)]
        }
    } isShort: { output in
        guard case .call(let call) = output else { return true }
        return call.encoded(password: "secret", clientNonce: "nonce").count < 8192
    }
}

/// Checks a session with a first-generation Shelly device that sends arbitrary data.
///
/// Each line is used as the response to the pending request, and a packet arrives after each line.
@Sendable func checkShellyGen1(_ input: [UInt8]) {
    let switches = input.first.map { $0 & 1 == 1 } ?? false
    let options = ShellyOptions(switches: switches, passwordFile: "/etc/shelly")
    check(ShellyGen1Session.self, options, input) { line, output in
        guard case .request(let number, _, _)? = output else { return [.pushed] }
        return [.answer(number: number, HTTPClientResponse(body: line)), .pushed]
    } isShort: { output in
        guard case .request(_, let request, _) = output else { return true }
        return request.path.utf8.count < 256
    }
}

/// Checks a session with a Yeelight device that sends arbitrary data.
///
/// Each line is used as a search response, a response or a notification, depending on the pending request.
@Sendable func checkYeelight(_ input: [UInt8]) {
    let place = IPv4Endpoint(address: 0x0A00_0007, port: 1982)
    var neighbours = YeelightNeighbours()
    let usual = YeelightIdentity(
        Array(
            "HTTP/1.1 200 OK\r\nLocation: yeelight://10.0.0.7:55443\r\nid: 0x1\r\nsupport: set_hsv set_bright\r\n".utf8),
        from: place)
    check(YeelightSession.self, YeelightOptions(), input) { line, output in
        let head = line.map { $0 == 0x7C ? 0x0A : $0 }
        neighbours.received(head, from: place)
        return switch output {
        case .identify?: [.identity(YeelightIdentity(head, from: place) ?? usual)]
        case .send(let bytes)?:
            [.line(Array(bytes.prefix { $0 != 0x2C }) + Array(#","result":"#.utf8) + line + [0x7D]), .line(line)]
        case nil: [.line(line)]
        }
    } isShort: { output in
        guard case .send(let bytes) = output else { return true }
        return bytes.count < 1024
    }
    promise(neighbours.services.count <= 128, "the number of devices is limited")
}

/// Checks the state machine of a driver with a device that sends arbitrary data.
private func check<Session: DeviceSession>(
    _: Session.Type, _ options: Session.Options, _ input: [UInt8],
    answer: ([UInt8], Session.Output?) -> [Session.Input], isShort: (Session.Output) -> Bool
) {
    let host = DeviceHost(host: "10.0.0.7")
    let target = DeviceTarget.configured(host)
    var home = ConnectedDeviceRegistry<Session>(DeviceSelection(discover: false, hosts: [host]), options: options)
    var lights: Set<LightID> = []
    var outputs: [Session.Output] = []
    var connection = 0
    var now = Duration.zero
    func carryOut(_ actions: [DeviceAction<Session.Output>]) {
        for action in actions {
            switch action {
            case .connect(_, let number):
                connection = number
                outputs = []
            case .added(let light):
                lights.insert(light.id)
                let device = light.id.rawValue.prefix { $0 != "/" }
                promise(
                    lights.count { $0.rawValue.hasPrefix(device) } <= 16, "the number of a device's lights is limited")
                checkDescription(light)
                // A name has up to 128 characters, plus a suffix that distinguishes the parts of a device.
                promise(light.name.count <= 160, "the length of a name is limited")
            case .removed(let id): promise(lights.remove(id) != nil, "a light that is removed was added before")
            case .report(let id, let report):
                promise(lights.contains(id), "a light that reports was added before")
                checkReport(report)
            case .occurred(let id, let events):
                promise(lights.contains(id), "a button belongs to an added light")
                promise(events.allSatisfy { $0.property.type.isMomentary }, "an event is momentary")
            case .output(_, let output):
                promise(isShort(output), "a message is short")
                outputs.append(output)
            case .close, .warn, .finished: break
            }
        }
        promise(outputs.count <= 2, "at most one call is in flight")
    }
    carryOut(home.started(known: [], now: .zero))
    for (index, line) in input.dropFirst().split(separator: 0x0A).enumerated() {
        now += .seconds(4)
        for message in answer(Array(line), outputs.popLast()) {
            carryOut(home.received(message, from: target, number: connection, now: now, share: 1))
        }
        carryOut(home.timePassed(now: now, share: 1))
        for id in lights {
            let light = LightCommand(on: true, brightness: 50, color: .hueSaturation(hue: 30, saturation: 80))
            let command = index.isMultiple(of: 2) ? light : kindCommands[index / 2 % kindCommands.count]
            guard let (_, actions) = try? home.apply(command, to: id, now: now) else { continue }
            carryOut(actions)
        }
    }
}
