public import HAPModel

/// One thing that an accessory can do: a service with its characteristics (HAP 9.1).
///
/// ```swift
/// AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(21.5)])
/// ```
public struct AccessoryFunction: Equatable, Sendable {
    /// A characteristic, and what it has for a value at the start.
    public struct Part: Equatable, Sendable {
        /// What it is.
        public let type: CharacteristicType
        /// Its format, permissions and limits; of a type of the catalogue those of the catalogue unless they are narrowed.
        public internal(set) var metadata: CharacteristicMetadata?
        /// Its value at the start; left out of what controllers cannot read.
        public let value: CharacteristicValue
        /// What users see instead of the type's name, for types of your own.
        public let manufacturerDescription: String?
    }

    /// The service's type.
    public let type: ServiceType
    /// What tells it from other functions of the same type and accessory; `nil` for the only one.
    public let id: String?
    /// Its characteristics.
    public private(set) var parts: [Part]

    /// Describes a function by types of Apple's catalogue.
    ///
    /// Its iids are given once and kept, by type and id: what you add later gets new ones, and the rest keeps its own
    /// (HAP 9.2).
    ///
    /// - Parameters:
    ///   - type: the service's type.
    ///   - id: what tells it from other functions of the same type and accessory, such as `left`; never to be changed.
    ///   - characteristics: types of the catalogue, and what they have for a value at the start.
    public init(
        _ type: ServiceType, id: String? = nil,
        _ characteristics: KeyValuePairs<CharacteristicType, CharacteristicValue>
    ) {
        self.type = type
        self.id = id
        parts = characteristics.map {
            Part(
                type: $0.key, metadata: CharacteristicDefinition.of($0.key)?.metadata, value: $0.value,
                manufacturerDescription: nil)
        }
    }

    /// Narrows what a characteristic takes, such as the range of a thermostat.
    ///
    /// - Parameters:
    ///   - type: a characteristic of the function; nothing happens if it has none of that type.
    ///   - change: changes limits, step, valid values or permissions.
    /// - Returns: the function with the change.
    public func with(
        _ type: CharacteristicType, _ change: (inout CharacteristicMetadata) -> Void
    ) -> AccessoryFunction {
        var function = self
        for index in function.parts.indices where function.parts[index].type == type {
            guard var metadata = function.parts[index].metadata else { continue }
            change(&metadata)
            function.parts[index].metadata = metadata
        }
        return function
    }

    /// Adds a characteristic that is not of Apple's catalogue.
    ///
    /// - Parameters:
    ///   - type: a type with a UUID of your own.
    ///   - metadata: its format, permissions and limits.
    ///   - value: its value at the start.
    ///   - description: what users see as its name, at most 64 bytes.
    /// - Returns: the function with the characteristic.
    public func adding(
        _ type: CharacteristicType, _ metadata: CharacteristicMetadata, value: CharacteristicValue, description: String
    ) -> AccessoryFunction {
        var function = self
        function.parts.append(
            Part(type: type, metadata: metadata, value: value, manufacturerDescription: description))
        return function
    }

    /// Makes the service.
    ///
    /// - Throws: ``ComplianceError`` for a characteristic that the catalogue lacks and nothing describes.
    package func service(isPrimary: Bool, _ ids: inout InstanceIDs) throws(ComplianceError) -> Service {
        let iid = ids.id(of: type, id)
        var characteristics: [Characteristic] = []
        for part in parts {
            guard let metadata = part.metadata else {
                throw ComplianceError("characteristic \(part.type) is not of the catalogue; describe it by adding it")
            }
            let isReadable = metadata.permissions.contains(.pairedRead)
            characteristics.append(
                Characteristic(
                    iid: ids.id(of: part.type, in: type, id), type: part.type, metadata: metadata,
                    value: isReadable ? part.value : nil, manufacturerDescription: part.manufacturerDescription))
        }
        return Service(iid: iid, type: type, isPrimary: isPrimary, characteristics: characteristics)
    }
}
