package import HAPModel

/// The strings of the Accessory Information service, in a form that every controller accepts (HAP 9.5, HAP 12).
public struct AccessoryInformation: Equatable, Sendable {
    /// The name that users see until they choose their own; 1 to 64 bytes.
    public let name: String
    /// The manufacturer; 1 to 64 bytes.
    public let manufacturer: String
    /// The manufacturer's model name; 1 to 64 bytes.
    public let model: String
    /// The manufacturer's serial number; 2 to 64 bytes.
    public let serialNumber: String
    /// The firmware version, in the form `x[.y[.z]]` with decimal numbers.
    public let firmwareRevision: String

    /// Creates the strings from the device's data, with defaults for missing or invalid data.
    ///
    /// - Parameters:
    ///   - name: A valid accessory name, 1 to 64 bytes (HAP 9.6), such as from `AccessoryName.sanitized(_:fallback:)`.
    ///   - manufacturer: The manufacturer.
    ///   - model: The manufacturer's model name.
    ///   - kind: The model name to use if `model` is missing.
    ///   - serialNumber: The manufacturer's serial number; ignored if it has fewer than two characters.
    ///   - firmware: The firmware version in any form.
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

    /// Returns the service with its stored iids; assigns new iids if there are none.
    package func service(_ ids: inout InstanceIDs) -> ServiceObject {
        let texts: [(CharacteristicType, String?)] = [
            (.identify, nil), (.manufacturer, manufacturer), (.model, model), (.name, name),
            (.serialNumber, serialNumber), (.firmwareRevision, firmwareRevision),
        ]
        let service = ids.id(of: .accessoryInformation)
        let characteristics = texts.map { type, text in
            guard let definition = CharacteristicDefinition.of(type) else {
                preconditionFailure("the catalog must contain these types")
            }
            return CharacteristicObject(
                iid: ids.id(of: type, in: .accessoryInformation), type: type, metadata: definition.metadata,
                value: text.map { .string($0) })
        }
        return ServiceObject(iid: service, type: .accessoryInformation, characteristics: characteristics)
    }
}
