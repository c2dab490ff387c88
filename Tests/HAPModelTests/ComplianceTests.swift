import HAPModel
import Testing

@Suite("Compliance")
struct ComplianceTests {
    private static func characteristic(
        _ iid: UInt64, _ type: CharacteristicType, _ value: CharacteristicValue?
    ) -> CharacteristicObject {
        let metadata =
            CharacteristicDefinition.of(type)?.metadata
            ?? CharacteristicMetadata(format: .string, permissions: [.pairedRead])
        return CharacteristicObject(iid: InstanceID(iid), type: type, metadata: metadata, value: value)
    }

    private static func lamp() -> AccessoryObject {
        AccessoryObject(
            aid: AccessoryID(2),
            services: [
                ServiceObject(
                    iid: .accessoryInformation, type: .accessoryInformation,
                    characteristics: [
                        characteristic(2, .identify, nil), characteristic(3, .manufacturer, .string("Lamplighter")),
                        characteristic(4, .model, .string("Lamp")), characteristic(5, .name, .string("Lamp")),
                        characteristic(6, .serialNumber, .string("L1")),
                        characteristic(7, .firmwareRevision, .string("1.0")),
                    ]),
                ServiceObject(
                    iid: InstanceID(8), type: .lightbulb, isPrimary: true,
                    characteristics: [
                        characteristic(9, .on, .bool(true)), characteristic(10, .brightness, .integer(50)),
                    ]),
            ])
    }

    @Test("accepts a valid lamp")
    func lampIsCompliant() throws {
        try Self.lamp().checkCompliance()
    }

    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let plant: @Sendable (inout AccessoryObject) -> Void
        init(_ name: String, _ plant: @escaping @Sendable (inout AccessoryObject) -> Void) {
            testDescription = name
            self.plant = plant
        }
    }

    private static let faults: [Fault] = [
        Fault("aid 0") { $0.aid = AccessoryID(0) },
        Fault("no services") { $0.services = [] },
        Fault("no Accessory Information") { $0.services.removeFirst() },
        Fault("Accessory Information not first") { $0.services.swapAt(0, 1) },
        Fault("Accessory Information not iid 1") { $0.services[0].iid = InstanceID(99) },
        Fault("101 services") { accessory in
            for iid in 0..<99 {
                var service = accessory.services[1]
                service.isPrimary = false
                service.iid = InstanceID(UInt64(1000 + 10 * iid))
                service.characteristics = [characteristic(UInt64(1001 + 10 * iid), .on, .bool(true))]
                accessory.services.append(service)
            }
        },
        Fault("101 characteristics") { accessory in
            for number in 0..<99 {
                accessory.services[1].characteristics.append(
                    characteristic(
                        UInt64(100 + number), CharacteristicType(HAPType(apple: UInt32(0xF000 + number))),
                        .string("")))
            }
        },
        Fault("service with iid 0") { $0.services[1].iid = InstanceID(0) },
        Fault("characteristic with iid 0") { $0.services[1].characteristics[0].iid = InstanceID(0) },
        Fault("iid of two characteristics") { $0.services[1].characteristics[1].iid = InstanceID(9) },
        Fault("iid of service and characteristic") { $0.services[1].characteristics[1].iid = InstanceID(8) },
        Fault("iid across services") { $0.services[1].characteristics[1].iid = InstanceID(2) },
        Fault("characteristic twice") {
            $0.services[1].characteristics.append(characteristic(11, .on, .bool(false)))
        },
        Fault("required characteristic missing") { $0.services[1].characteristics.removeFirst() },
        Fault("readable without value") { $0.services[1].characteristics[0].value = nil },
        Fault("value that cannot be read") { $0.services[0].characteristics[0].value = .bool(true) },
        Fault("value beyond its limits") { $0.services[1].characteristics[1].value = .integer(101) },
        Fault("minimum above maximum") {
            ($0.services[1].characteristics[1].metadata.minimum, $0.services[1].characteristics[1].metadata.maximum) =
                (60, 40)
            $0.services[1].characteristics[1].value = .integer(60)
        },
        Fault("minimum above maximum, without a value") {
            var metadata = CharacteristicMetadata(format: .int, permissions: [.pairedWrite], minimum: 2, maximum: 1)
            metadata.step = 1
            $0.services[1].characteristics.append(
                CharacteristicObject(
                    iid: InstanceID(60), type: CharacteristicType(HAPType(apple: 0xABCDE0)), metadata: metadata,
                    value: nil))
        },
        Fault("negative step") { $0.services[1].characteristics[1].metadata.step = -1 },
        Fault("value of another kind") { $0.services[1].characteristics[1].value = .string("50") },
        Fault("float for an integer") { $0.services[1].characteristics[1].value = .float(50) },
        Fault("two primary services") { $0.services[0].isPrimary = true },
        Fault("linked to itself") { $0.services[1].linked = [InstanceID(8)] },
        Fault("linked to nothing") { $0.services[1].linked = [InstanceID(77)] },
        Fault("linked to a characteristic") { $0.services[1].linked = [InstanceID(9)] },
        Fault("all hidden but the service") { accessory in
            for index in accessory.services[1].characteristics.indices {
                accessory.services[1].characteristics[index].metadata.permissions.insert(.hidden)
            }
        },
        Fault("empty manufacturer") { $0.services[0].characteristics[1].value = .string("") },
        Fault("empty model") { $0.services[0].characteristics[2].value = .string("") },
        Fault("empty name") { $0.services[0].characteristics[3].value = .string("") },
        Fault("serial of one character") { $0.services[0].characteristics[4].value = .string("1") },
        Fault("serial of 65 bytes") {
            $0.services[0].characteristics[4].value = .string(String(repeating: "1", count: 65))
        },
        Fault("empty firmware revision") { $0.services[0].characteristics[5].value = .string("") },
        Fault("firmware revision of letters") { $0.services[0].characteristics[5].value = .string("v1") },
    ]

    @Test("rejects an accessory with a single fault", arguments: faults)
    func fault(fault: Fault) {
        var accessory = Self.lamp()
        fault.plant(&accessory)
        #expect(throws: ComplianceError.self) { try accessory.checkCompliance() }
    }

    @Test(
        "uses the catalog's names for services and characteristics in errors",
        arguments: [
            Fault("service 8 (Lightbulb) of accessory 2 lacks the characteristic On") {
                $0.services[1].characteristics.removeFirst()
            },
            Fault("service 8 (Lightbulb) of accessory 2 has the characteristic Brightness twice") {
                $0.services[1].characteristics.append(characteristic(11, .brightness, .integer(1)))
            },
            Fault("characteristic 2.10 (Brightness) has a value outside its format or limits") {
                $0.services[1].characteristics[1].value = .integer(101)
            },
            Fault("the Serial Number of accessory 2 is shorter than 2 bytes") {
                $0.services[0].characteristics[4].value = .string("1")
            },
        ])
    func names(fault: Fault) {
        var accessory = Self.lamp()
        fault.plant(&accessory)
        let error = #expect(throws: ComplianceError.self) { try accessory.checkCompliance() }
        #expect(error?.description == fault.testDescription)
    }

    @Test("accepts links, and hidden services and characteristics")
    func allowed() throws {
        var accessory = Self.lamp()
        accessory.services[1].linked = [.accessoryInformation]
        accessory.services[1].characteristics[0].metadata.permissions.insert(.hidden)
        accessory.services.append(
            ServiceObject(
                iid: InstanceID(50), type: ServiceType(HAPType(apple: 0xABCDEF)), isHidden: true,
                characteristics: [
                    CharacteristicObject(
                        iid: InstanceID(51), type: CharacteristicType(HAPType(apple: 0xABCDE0)),
                        metadata: CharacteristicMetadata(format: .data, permissions: [.pairedWrite, .hidden]),
                        value: nil)
                ]))
        try accessory.checkCompliance()
    }
}
