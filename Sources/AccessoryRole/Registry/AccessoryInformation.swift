package import HAPModel

/// The texts of the Accessory Information service, made such that no controller refuses them (HAP 9.5, HAP 12).
public struct AccessoryInformation: Equatable, Sendable {
    /// What users see before they give it a name of their own; 1 to 64 bytes.
    public let name: String
    /// Who made it; 1 to 64 bytes.
    public let manufacturer: String
    /// The maker's name of the model; 1 to 64 bytes.
    public let model: String
    /// The maker's serial number; 2 to 64 bytes.
    public let serialNumber: String
    /// The version of its firmware, `x[.y[.z]]` in digits.
    public let firmwareRevision: String

    /// Takes what the source says and fills in what it leaves out.
    ///
    /// - Parameters:
    ///   - name: a valid accessory name, 1 to 64 bytes (HAP 9.6), such as of `AccessoryName.sanitized(_:fallback:)`.
    ///   - manufacturer: who made it.
    ///   - model: the maker's model name.
    ///   - kind: stands for the model if that is not known.
    ///   - serialNumber: the maker's serial number, at least two characters to be used.
    ///   - firmware: the firmware's version in any form.
    public init(
        name: String, manufacturer: String?, model: String?, kind: String = "Accessory", serialNumber: String?,
        firmware: String?
    ) {
        self.name = name
        self.manufacturer = Self.text(manufacturer, minimum: 1) ?? "Unknown"
        self.model = Self.text(model, minimum: 1) ?? kind
        self.serialNumber = Self.text(serialNumber, minimum: 2) ?? "Unknown"
        firmwareRevision = FirmwareRevision.normalized(firmware)
    }

    private static func text(_ text: String?, minimum: Int) -> String? {
        guard let text else { return nil }
        let printable = String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.map(Character.init))
        let short = printable.prefix(bytes: CharacteristicMetadata.defaultMaximumLength)
        return short.utf8.count >= minimum ? short : nil
    }

    /// The service, with iids that have been given to it before or are given now.
    package func service(_ ids: inout InstanceIDs) -> Service {
        let texts: [(CharacteristicType, String?)] = [
            (.identify, nil), (.manufacturer, manufacturer), (.model, model), (.name, name),
            (.serialNumber, serialNumber), (.firmwareRevision, firmwareRevision),
        ]
        let service = ids.id(of: .accessoryInformation)
        let characteristics = texts.map { type, text in
            guard let definition = CharacteristicDefinition.of(type) else {
                preconditionFailure("the types named here are in the catalogue")
            }
            return Characteristic(
                iid: ids.id(of: type, in: .accessoryInformation), type: type, metadata: definition.metadata,
                value: text.map { .string($0) })
        }
        return Service(iid: service, type: .accessoryInformation, characteristics: characteristics)
    }
}
