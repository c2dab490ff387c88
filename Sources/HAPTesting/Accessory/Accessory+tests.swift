internal import AccessoryRole
package import HAPModel

extension AccessoryObject {
    /// An accessory with aid 100, whose service with iid 10 has a characteristic for each rule of HAP 11.
    package static let gadget = AccessoryObject(
        aid: AccessoryID(100),
        services: [
            AccessoryInformation(
                name: "Gadget", manufacturer: nil, model: nil, serialNumber: nil, firmware: nil
            ).service,
            ServiceObject(
                iid: InstanceID(10), type: ServiceType(custom(0x10)),
                characteristics: [
                    part(InstanceID(11), .uint8, [.pairedRead, .pairedWrite, .notify, .timedWrite], .integer(0)),
                    part(InstanceID(12), .tlv8, [.pairedRead, .pairedWrite, .writeResponse], .data([])),
                    part(InstanceID(13), .bool, [.pairedRead, .notify], .bool(false)),
                    part(InstanceID(14), .bool, [.pairedRead, .pairedWrite], .bool(false)),
                    part(InstanceID(15), .uint8, [.pairedRead, .pairedWrite, .notify], .integer(0)) {
                        $0.validValues = [0, 1, 3]
                    },
                    part(InstanceID(16), .string, [.pairedRead, .pairedWrite, .notify], .string("")) {
                        $0.maximumLength = 8
                    },
                    part(InstanceID(17), .float, [.pairedRead, .pairedWrite, .notify], .float(0)) {
                        $0.minimum = -10
                        $0.maximum = 10
                        $0.step = 0.5
                    },
                    part(InstanceID(18), .data, [.pairedRead, .pairedWrite], .data([])) { $0.maximumDataLength = 4 },
                    part(InstanceID(19), .bool, [.pairedWrite], nil),
                ]),
        ])

    private static func custom(_ number: UInt64) -> HAPType {
        let bits = UUIDBits(high: 0x1111_2222, low: 0x3333 << 48 | number)
        guard let type = HAPType(bits.description) else { preconditionFailure("32 digits are a valid type") }
        return type
    }

    private static func part(
        _ iid: InstanceID, _ format: CharacteristicFormat, _ permissions: CharacteristicPermissions,
        _ value: CharacteristicValue?, _ limit: (inout CharacteristicMetadata) -> Void = { _ in }
    ) -> CharacteristicObject {
        var metadata = CharacteristicMetadata(format: format, permissions: permissions)
        limit(&metadata)
        return CharacteristicObject(
            iid: iid, type: CharacteristicType(custom(iid.rawValue)), metadata: metadata, value: value)
    }

    /// A fan with aid 2.
    ///
    /// The iids are 9 for On, 10 for the rotation speed, 11 for the rotation direction, 12 for the swing mode, and 13
    /// for the lock of the device's buttons.
    package static let fan = device(
        2, "Fan", .fan,
        [
            (.on, .bool(false)), (.rotationSpeed, .float(0)), (.rotationDirection, .integer(0)),
            (.swingMode, .integer(0)), (.lockPhysicalControls, .integer(0)),
        ])

    /// A door lock with aid 3; the target state has iid 9, and the current state has iid 10.
    package static let lock = device(
        3, "Lock", .lockMechanism, [(.lockTargetState, .integer(0)), (.lockCurrentState, .integer(0))])

    /// Returns a device with one service, whose iid is 8.
    private static func device(
        _ aid: UInt64, _ name: String, _ type: ServiceType, _ values: [(CharacteristicType, CharacteristicValue)]
    ) -> AccessoryObject {
        let characteristics = values.enumerated().map { index, value in
            guard let definition = CharacteristicDefinition.of(value.0) else {
                preconditionFailure("the catalog must contain these types")
            }
            return CharacteristicObject(
                iid: InstanceID(UInt64(9 + index)), type: value.0, metadata: definition.metadata, value: value.1)
        }
        return AccessoryObject(
            aid: AccessoryID(aid),
            services: [
                AccessoryInformation(
                    name: name, manufacturer: "Example", model: "One", serialNumber: "4711", firmware: "1.2"
                ).service,
                ServiceObject(iid: InstanceID(8), type: type, isPrimary: true, characteristics: characteristics),
            ])
    }
}

extension AccessoryInformation {
    /// The service for the function, with iids that aren't stored.
    fileprivate var service: ServiceObject {
        var ids = InstanceIDs()
        return service(&ids)
    }
}
