import HAPModel
import HAPTesting
import HomeModel
import HomeTesting
import Testing

typealias Values = [CharacteristicType: CharacteristicValue]

/// Homes with accessories of given services and values.
enum ProductHomes {
    /// A service with the given values.
    static func service(
        _ type: ServiceType, iid: UInt64 = 10, _ values: Values, isHidden: Bool = false
    ) -> ServiceObject {
        let required = Set(ServiceDefinition.of(type)?.required ?? [])
        let types = required.union(values.keys).sorted { $0.description < $1.description }
        let characteristics = types.enumerated().compactMap { index, type in
            CharacteristicDefinition.of(type).map {
                CharacteristicObject(
                    iid: InstanceID(iid + 1 + UInt64(index)), type: type, metadata: $0.metadata, value: values[type])
            }
        }
        var service = ServiceObject(iid: InstanceID(iid), type: type, characteristics: characteristics)
        service.isHidden = isHidden
        return service
    }

    /// Returns a home with one accessory for each list of services, all in the default room.
    static func home(_ devices: [(name: String, services: [ServiceObject])]) throws -> (TestHub, Home.ID) {
        var hub = TestHub()
        let home = try hub.home()
        for (index, device) in devices.enumerated() {
            let accessory = AccessoryObject(
                aid: AccessoryID(1), services: [Devices.information(name: device.name)] + device.services)
            var descriptions: [CharacteristicID: String] = [:]
            for characteristic in accessory.services.flatMap(\.characteristics) {
                descriptions[CharacteristicID(accessory.aid, characteristic.iid)] =
                    characteristic.manufacturerDescription
            }
            let addition = AccessoryAddition(
                home: home, deviceID: Devices.id(index + 1), category: .lightbulb, accessories: [accessory],
                descriptions: descriptions)
            _ = try hub.graph.add(addition, using: &hub.random)
            // Values are reported after the accessory was added.
            let added = try #require(hub.graph.home(home)?.accessories.last)
            for (told, kept) in zip(accessory.services, added.services) {
                for (told, kept) in zip(told.characteristics, kept.characteristics) {
                    if let value = told.value {
                        hub.graph.apply(.valueUpdated(kept.id, value, time: .init(millisecondsSince1970: 1)))
                    }
                }
            }
        }
        return (hub, home)
    }
}
