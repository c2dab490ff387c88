package import HAPModel

/// Simple devices, described as accessory objects.
package enum TestDevices {
    /// Returns a lamp, or a device with another type of service that can be switched on and off.
    package static func lamp(aid: UInt64 = 1, type: ServiceType = .lightbulb) -> AccessoryObject {
        AccessoryObject(
            aid: AccessoryID(aid),
            services: [
                information,
                service(type, characteristic(11, .on, .bool, [.pairedRead, .pairedWrite, .notify], .bool(false))),
            ])
    }

    package static func button(aid: UInt64 = 1) -> AccessoryObject {
        AccessoryObject(
            aid: AccessoryID(aid),
            services: [
                information,
                service(
                    .statelessProgrammableSwitch,
                    characteristic(12, .programmableSwitchEvent, .uint8, [.pairedRead, .notify], .integer(0))),
            ])
    }

    package static func bridge(_ devices: [AccessoryObject]) -> [AccessoryObject] {
        [AccessoryObject(aid: .bridge, services: [information])] + devices
    }

    package static func id(_ number: Int) -> DeviceID {
        guard let id = DeviceID(octets: [2, 0, 0, 0, 0, UInt8(number & 255)]) else {
            preconditionFailure("six octets are a valid device id")
        }
        return id
    }

    private static var information: ServiceObject {
        ServiceObject(
            iid: .accessoryInformation, type: .accessoryInformation,
            characteristics: [characteristic(2, .name, .string, .pairedRead, .string("Device"))])
    }

    private static func service(
        _ type: ServiceType, _ characteristic: CharacteristicObject
    ) -> ServiceObject {
        ServiceObject(iid: InstanceID(10), type: type, isPrimary: true, characteristics: [characteristic])
    }

    private static func characteristic(
        _ iid: UInt64, _ type: CharacteristicType, _ format: CharacteristicFormat,
        _ permissions: CharacteristicPermissions, _ value: CharacteristicValue
    ) -> CharacteristicObject {
        CharacteristicObject(
            iid: InstanceID(iid), type: type,
            metadata: CharacteristicMetadata(format: format, permissions: permissions),
            value: value)
    }
}
