internal import DeviceKit
import HAPModel
internal import LightDrivers

/// Checks a session with an ESPHome device that sends arbitrary data.
///
/// The first byte selects whether there is an encryption key. The device sends the remaining bytes.
@Sendable func checkESPHome(_ input: [UInt8]) {
    let host = ESPHomeHost(host: "10.0.0.5")
    let configuration = ESPHomeDriverConfiguration(discover: false, hosts: [host], switches: true)
    var home = ConnectedDeviceRegistry<ESPHomeSession>(configuration.selection, options: configuration)
    let target = DeviceTarget.configured(host.address)
    _ = home.started(known: [], kinds: Set(LightKind.allCases), now: .zero)
    let key = input.first.map { $0 & 1 == 1 ? [UInt8](repeating: 1, count: 32) : nil } ?? nil
    let ephemeral = [UInt8](repeating: 2, count: 32)
    _ = home.received(.opened(key: key, ephemeral: ephemeral), from: target, number: 1, now: .zero, share: 1)
    var lights: [LightID: LightDescription] = [:]
    for (number, piece) in Array(input.dropFirst()).pieces.enumerated() {
        let now = Duration.milliseconds(number)
        for action in home.received(.bytes(Array(piece)), from: target, number: 1, now: now, share: 1) {
            switch action {
            case .added(let light):
                lights[light.id] = light
                checkDescription(light)
                promise(light.name.utf8.count <= 1024, "the length of a name is limited")
            case .removed(let id):
                promise(lights.removeValue(forKey: id) != nil, "a light that is removed was added before")
            case .report(let id, let report):
                promise(lights[id] != nil, "a light that reports was added before")
                checkReport(report)
            case .occurred(let id, let events):
                promise(lights[id] != nil, "a button belongs to an added light")
                promise(events.allSatisfy { $0.property.type.isMomentary }, "an event is momentary")
            case .connect, .output, .close, .warn, .finished: break
            }
        }
        for (id, light) in lights {
            let color = LightCommand(on: true, brightness: 50, color: .temperature(mired: 300))
            let command = number.isMultiple(of: 2) ? color : kindCommands[number / 2 % kindCommands.count]
            for command in [command] + sceneCommands(of: light) {
                let actions = (try? home.apply(command, to: id, now: now).actions) ?? []
                for case .output(_, .command(let bytes, _)) in actions {
                    promise(bytes.count < 200, "a command is short")
                }
            }
        }
    }
    promise(lights.count <= 128, "the number of lights is limited")
    _ = home.timePassed(now: .seconds(1000), share: 1)
}
