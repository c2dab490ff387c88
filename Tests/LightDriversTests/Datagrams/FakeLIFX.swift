import DeviceKit
import Synchronization

@testable import LightDrivers

/// LIFX devices on one socket of the loopback interface.
///
/// On request, they lose messages, don't answer, or disappear.
final class FakeLIFX: Sendable {
    struct Device {
        var color = LIFXColor()
        var power: UInt16 = 0
        var label = "Den"
        var product: UInt32 = 27
        /// Whether the device has stopped responding.
        var isGone = false
        /// Whether the device answers queries but not commands.
        var isDeaf = false
    }

    fileprivate struct World {
        var devices: [String: Device]
        var seen = 0
        /// Every message with a multiple of this number is lost; 0 to lose none.
        var loses = 0
        var socket: DatagramSocket?
        var commands: [UInt16] = []
    }

    private let world: Mutex<World>

    init(_ devices: [String: Device]) throws {
        world = Mutex(World(devices: devices))
        try restart()
    }

    /// Restarts on another port with the same devices.
    func restart() throws {
        let socket = try DatagramSocket(port: 0) { [weak self] in self?.serve() }
        world.withLock { $0.socket = socket }
    }

    var host: String { "127.0.0.1:\(world.withLock { $0.socket?.port ?? 0 })" }
    var commands: [UInt16] { world.withLock { $0.commands } }

    func change(_ id: String, _ body: (inout Device) -> Void) {
        world.withLock { body(&$0.devices[id, default: Device()]) }
    }
    func lose(every count: Int) { world.withLock { $0.loses = count } }
    subscript(id: String) -> Device { world.withLock { $0.devices[id, default: Device()] } }

    private func serve() {
        guard let socket = world.withLock({ $0.socket }) else { return }
        for datagram in socket.takeDatagrams() {
            for answer in world.withLock({ $0.answers(to: datagram.bytes, port: socket.port) }) {
                try? socket.send(answer, to: datagram.source)
            }
        }
    }
}

extension FakeLIFX.World {
    fileprivate mutating func answers(to bytes: [UInt8], port: UInt16) -> [[UInt8]] {
        guard bytes.count >= 36 else { return [] }
        seen += 1
        if loses > 0, seen.isMultiple(of: loses) { return [] }
        func number(_ place: Int, _ count: Int) -> UInt32 {
            bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        let type = UInt16(number(32, 2))
        let isTagged = bytes[3] & 0x20 != 0
        let target = bytes[8..<14].map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        var answers: [[UInt8]] = []
        for id in devices.keys.sorted() where isTagged || id == target {
            guard var device = devices[id], !device.isGone, !device.isDeaf || type < 102 else { continue }
            let payload = bytes[36...]
            func word(_ index: Int) -> UInt16 { UInt16(number(36 + index, 2)) }
            func le(_ values: [UInt16]) -> [UInt8] { values.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } }
            let text = Array(device.label.utf8) + [UInt8](repeating: 0, count: 32 - device.label.utf8.count)
            let answer: (UInt16, [UInt8])
            switch type {
            case 2: answer = (3, [1] + le([port, 0]))
            case 14: answer = (15, [UInt8](repeating: 0, count: 16) + le([70, 3]))
            case 32: answer = (33, le([1, 0, UInt16(device.product), 0, 0, 0]))
            case 51:
                answer = (53, [UInt8](repeating: 7, count: 16) + Array("Study".utf8) + [UInt8](repeating: 0, count: 35))
            case 101:
                let color = device.color
                answer = (
                    107,
                    le([color.hue, color.saturation, color.brightness, color.kelvin, 0, device.power]) + text
                        + [UInt8](repeating: 0, count: 8)
                )
            case 102 where payload.count == 13:
                device.color = LIFXColor(hue: word(1), saturation: word(3), brightness: word(5), kelvin: word(7))
                answer = (45, [])
            case 103: answer = (45, [])
            case 117 where payload.count == 6:
                device.power = word(0)
                answer = (45, [])
            case 119 where payload.count == 25:
                device.color.brightness = word(6)
                answer = (45, [])
            default: answer = (223, le([type]))
            }
            if type >= 102 { commands.append(type) }
            devices[id] = device
            answers.append(
                LIFXMessage.bytes(
                    type: answer.0, payload: answer.1, target: LightID(id), source: number(4, 4), number: bytes[23],
                    answer: 0))
        }
        return answers
    }
}
