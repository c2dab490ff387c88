internal import BoundedJSON
internal import Discovery
internal import Doctor
internal import HAPController
internal import HAPModel
internal import LightDrivers

/// Checks an accessory's mDNS advertisement.
///
/// Each line of the input is one string of the TXT record.
@Sendable func checkTXT(_ input: [UInt8]) {
    let txt = TXTRecord(strings: input.lines)
    promise(
        txt.entries.count <= 64 && txt.entries.allSatisfy { !$0.key.isEmpty },
        "the number of entries is limited, and every key has a name")
    let bytes = Array(repeating: 0 as UInt8, count: 16) + input
    let addresses = [Array(bytes.suffix(4)), Array(bytes.suffix(16))].compactMap {
        ServiceAddress(bytes: $0, interface: 2, interfaceName: "eth0")
    }
    let service = DiscoveredService(
        id: DiscoveredService.ID(name: "Lamp", host: "lamp.local"), port: 1, txt: txt,
        addresses: addresses)
    checkAnnouncedDevices([service])
    guard let accessory = try? AdvertisedAccessory(service) else { return }
    promise(DeviceID(accessory.id.description) == accessory.id, "the text of an id parses into the same id")
    promise(accessory.model.utf8.count <= 64, "the length of the model name is limited")
    promise(!accessory.endpoints.isEmpty && accessory.endpoints.count <= 2, "each valid address becomes an endpoint")
}

/// Checks the handling of announced devices in the drivers that discover devices.
private func checkAnnouncedDevices(_ services: [DiscoveredService]) {
    for service in services {
        let source = ESPHomeDriverConfiguration.source(service)
        promise(!source.address.isEmpty, "a device has an address")
        // The device's name becomes a key of the suggested entry and part of a file name.
        promise(
            source.entry?["devices"]?.object?.members.allSatisfy {
                $0.value["key-file"]?.string?.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ?? false
            } ?? true, "a suggested file name has only printable ASCII characters")
    }
    let configuration = ESPHomeDriverConfiguration()
    var devices = ConnectedDeviceRegistry<ESPHomeSession>(configuration.selection, options: configuration)
    _ = devices.started(known: [], now: .zero)
    _ = devices.found(services, now: .seconds(1))
    _ = devices.found([], now: .seconds(2))
}

/// Checks the DNS responses of untrusted peers to the doctor's queries.
@Sendable func checkDNS(_ input: [UInt8]) {
    guard let message = try? DNSMessage(input) else { return }
    // A record's name, type, class, TTL and length take at least eleven bytes.
    promise(message.records.count * 11 <= input.count, "the number of records is limited by the input")
    for record in message.records {
        promise(record.name.labels.reduce(1) { $0 + 1 + $1.utf8.count } <= 3 * 255, "the length of a name is limited")
    }
}
