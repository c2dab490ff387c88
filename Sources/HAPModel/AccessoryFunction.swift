/// One thing that an accessory can do: a service with its characteristics (HAP 9.1).
///
/// ```swift
/// AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(21.5)])
/// ```
public struct AccessoryFunction: Equatable, Sendable {
    /// A characteristic with its initial value.
    public struct Part: Equatable, Sendable {
        /// Its type.
        public let type: CharacteristicType
        /// Its format, permissions and limits; of a type of the catalogue those of the catalogue unless they are narrowed.
        public fileprivate(set) var metadata: CharacteristicMetadata?
        /// Its value at the start; left out of what controllers cannot read.
        public let value: CharacteristicValue
        /// The name that users see for a type outside of the catalogue.
        public let manufacturerDescription: String?

        fileprivate init(_ type: CharacteristicType, _ value: CharacteristicValue) {
            let metadata = CharacteristicDefinition.of(type)?.metadata
            self.init(type, metadata, metadata?.clamped(value) ?? value, nil)
        }

        package init(
            _ type: CharacteristicType, _ metadata: CharacteristicMetadata?, _ value: CharacteristicValue,
            _ description: String?
        ) {
            self.type = type
            self.metadata = metadata
            self.value = value
            manufacturerDescription = description
        }
    }

    /// The service's type.
    public let type: ServiceType
    /// Distinguishes functions of the same type in one accessory; `nil` for the only one.
    public let id: String?
    /// A Boolean value that indicates whether it is the accessory's primary function; the first one is if none is.
    public let isPrimary: Bool
    /// A Boolean value that indicates whether controllers hide it from users.
    public let isHidden: Bool
    /// The ids of functions of the same accessory that belong to it, such as the inputs of a TV (HAP 9.1).
    public let linked: [String]
    /// Its characteristics.
    public private(set) var parts: [Part]

    /// Describes a function by types of Apple's catalogue.
    ///
    /// Its iids are given once and kept, by type and id: what you add later gets new ones, and the rest keeps its own
    /// (HAP 9.2).
    ///
    /// - Parameters:
    ///   - type: the service's type.
    ///   - id: Distinguishes functions of the same type in one accessory, such as `left`, and names it for links; never
    ///     change it.
    ///   - isPrimary: Whether it is the primary function; the first one is if none is.
    ///   - isHidden: Whether controllers hide it from users.
    ///   - linked: The ids of functions of the same accessory that belong to it, such as the filter of an air purifier.
    ///   - characteristics: Types of the catalogue with their initial values.
    public init(
        _ type: ServiceType, id: String? = nil, isPrimary: Bool = false, isHidden: Bool = false,
        linked: [String] = [], _ characteristics: KeyValuePairs<CharacteristicType, CharacteristicValue>
    ) {
        self.init(
            type, id: id, isPrimary: isPrimary, isHidden: isHidden, linked: linked,
            characteristics.map { ($0.key, $0.value) })
    }

    /// Describes a function by a list of types of Apple's catalogue.
    ///
    /// - Parameters:
    ///   - type: the service's type.
    ///   - id: Distinguishes functions of the same type in one accessory, and names it for links; never change it.
    ///   - isPrimary: Whether it is the primary function; the first one is if none is.
    ///   - isHidden: Whether controllers hide it from users.
    ///   - linked: The ids of functions of the same accessory that belong to it.
    ///   - characteristics: Types of the catalogue with their initial values.
    public init(
        _ type: ServiceType, id: String? = nil, isPrimary: Bool = false, isHidden: Bool = false,
        linked: [String] = [], _ characteristics: [(CharacteristicType, CharacteristicValue)]
    ) {
        self.init(
            type, id: id, isPrimary: isPrimary, isHidden: isHidden, linked: linked,
            parts: characteristics.map { Part($0, $1) })
    }

    package init(
        _ type: ServiceType, id: String?, isPrimary: Bool = false, isHidden: Bool = false, linked: [String] = [],
        parts: [Part]
    ) {
        self.type = type
        self.id = id
        self.isPrimary = isPrimary
        self.isHidden = isHidden
        self.linked = linked
        self.parts = parts
    }

    /// Returns whether it has a characteristic.
    public func has(_ type: CharacteristicType) -> Bool { parts.contains { $0.type == type } }

    /// The format, permissions and limits of a characteristic; `nil` if it has none of that type.
    public func metadata(of type: CharacteristicType) -> CharacteristicMetadata? {
        // Without a copy of the part.
        for index in parts.indices where parts[index].type == type { return parts[index].metadata }
        return nil
    }

    /// Adds a characteristic of the catalogue, at the end unless a place is given.
    package mutating func add(_ type: CharacteristicType, _ value: CharacteristicValue, at place: Int? = nil) {
        parts.insert(Part(type, value), at: place ?? parts.count)
    }

    /// Removes a characteristic.
    package mutating func remove(_ type: CharacteristicType) { parts.removeAll { $0.type == type } }

    /// Narrows the metadata of a characteristic, such as the range of a thermostat.
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
    ///   - type: a type with a custom UUID.
    ///   - metadata: its format, permissions and limits.
    ///   - value: its value at the start.
    ///   - description: what users see as its name, at most 64 bytes.
    /// - Returns: the function with the characteristic.
    public func adding(
        _ type: CharacteristicType, _ metadata: CharacteristicMetadata, value: CharacteristicValue, description: String
    ) -> AccessoryFunction {
        var function = self
        function.parts.append(Part(type, metadata, value, description))
        return function
    }
}
