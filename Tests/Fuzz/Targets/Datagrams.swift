internal import DeviceKit
internal import LightDrivers

/// Checks the driver of LIFX devices that send arbitrary data.
///
/// Each step is a datagram. Its kind contains the sender's address and the time since the previous datagram.
@Sendable func checkLIFX(_ input: [UInt8]) { checkDatagrams(input, of: LIFXDevice.self) }

/// Checks the driver of WiZ devices that send arbitrary data.
@Sendable func checkWiZ(_ input: [UInt8]) { checkDatagrams(input, of: WiZDevice.self) }

/// Checks the driver of Govee devices that send arbitrary data.
@Sendable func checkGovee(_ input: [UInt8]) { checkDatagrams(input, of: GoveeDevice.self) }

/// Checks the driver of Kasa devices that send arbitrary data.
@Sendable func checkKasa(_ input: [UInt8]) { checkDatagrams(input, of: KasaDevice.self) }

private func checkDatagrams<Device: DatagramDevice>(_ input: [UInt8], of: Device.Type) {
    var home = DatagramDeviceRegistry<Device>(looksFor: LANDevices(), session: 9)
    home.search(on: [], now: .zero)
    var lights: Set<LightID> = []
    var open: Set<Int> = []
    func carryOut() {
        for action in home.takeActions() {
            switch action {
            case .send(let bytes, _, _): promise(bytes.count < 300, "a request is short")
            case .added(let light):
                lights.insert(light.id)
                promise((1...255).contains(light.id.rawValue.utf8.count), "the length of an id is limited")
                promise(!light.name.isEmpty, "a light has a name")
            case .report(let id, let report):
                promise(lights.contains(id), "a light that reports was added before")
                checkReport(report)
            case .finished(let command, _): open.remove(command)
            case .warn, .ignored: break
            }
        }
    }
    var now = Duration.zero
    for step in input.steps {
        now += .milliseconds(Int(step.kind >> 2) * 20)
        home.timePassed(now: now)
        carryOut()
        home.received(
            step.content, from: IPv4Endpoint(address: 0x0A00_0000 | UInt32(step.kind & 3), port: 56700), now: now)
        carryOut()
        for id in lights {
            for command in commands {
                guard let number = try? home.apply(command, to: id, now: now) else { continue }
                open.insert(number)
                carryOut()
                if step.kind & 1 == 0 {
                    home.cancel(number)
                    open.remove(number)
                }
            }
        }
    }
    promise(lights.count <= 1000, "the number of lights is limited by the input")
    for seconds in 1...60 {
        home.timePassed(now: now + .seconds(seconds))
        carryOut()
    }
    promise(open.isEmpty, "each command ends")
}
