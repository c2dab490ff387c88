internal import Discovery
internal import Doctor
internal import HAPController
internal import HAPModel

/// What an accessory says of itself in mDNS: each line of the input is one string of the TXT record.
@Sendable func checkTXT(_ input: [UInt8]) {
    let pairs = input.lines.map { line in
        let key = line.prefix { $0 != UInt8(ascii: "=") }
        return (
            String(decoding: key, as: UTF8.self), String(decoding: line.dropFirst(key.count + 1), as: UTF8.self)
        )
    }
    let bytes = Array(repeating: 0 as UInt8, count: 16) + input
    let addresses = [Array(bytes.suffix(4)), Array(bytes.suffix(16))].compactMap {
        ServiceAddress(bytes: $0, interface: 2, interfaceName: "eth0")
    }
    let service = DiscoveredService(
        id: DiscoveredService.ID(name: "Lamp", host: "lamp.local"), port: 1, txt: TXTRecord(pairs),
        addresses: addresses)
    guard let accessory = try? DiscoveredAccessory(service) else { return }
    promise(DeviceID(accessory.id.description) == accessory.id, "an id is read as it is shown")
    promise(accessory.model.utf8.count <= 64, "a model's name is bounded")
    promise(!accessory.endpoints.isEmpty && accessory.endpoints.count <= 2, "there is an address for each that came")
}

/// What untrusted peers answer to the doctor's questions.
@Sendable func checkDNS(_ input: [UInt8]) {
    guard let message = try? DNSMessage(input) else { return }
    // Its name, type, class, life and length take eleven bytes.
    promise(message.records.count * 11 <= input.count, "records take bytes")
    for record in message.records {
        promise(record.name.labels.reduce(1) { $0 + 1 + $1.utf8.count } <= 3 * 255, "names are bounded")
    }
}
