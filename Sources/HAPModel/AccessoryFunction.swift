/// A function of an accessory: a service with its characteristics (HAP 9.1).
///
/// ```swift
/// AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(21.5)])
/// ```
public struct AccessoryFunction: Equatable, Sendable {
    /// A characteristic with its initial value.
    public struct Part: Equatable, Sendable {
        /// The characteristic's type.
        public let type: CharacteristicType
        /// The format, permissions and limits.
        ///
        /// A type in the catalog has the catalog's metadata, unless ``AccessoryFunction/with(_:_:)`` has narrowed it.
        public fileprivate(set) var metadata: CharacteristicMetadata?
        /// The initial value; ignored if controllers can't read the characteristic.
        public let value: CharacteristicValue
        /// The name that users see; `nil` for types in the catalog.
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
    /// An id that distinguishes functions of the same type in one accessory; `nil` if there is only one.
    public let id: String?
    /// A Boolean value that indicates whether this is the primary function.
    ///
    /// If no function is marked, the first one is primary.
    public let isPrimary: Bool
    /// A Boolean value that indicates whether controllers hide the function from users.
    public let isHidden: Bool
    /// The ids of functions of the same accessory that belong to this function, such as the inputs of a TV (HAP 9.1).
    public let linked: [String]
    /// The characteristics.
    public private(set) var parts: [Part]

    /// Creates a function with characteristics from Apple's catalog.
    ///
    /// The iids are assigned once, by type and id, and don't change after that. Characteristics that you add later get
    /// new iids, and the others keep theirs (HAP 9.2).
    ///
    /// - Parameters:
    ///   - type: The service's type.
    ///   - id: An id that distinguishes functions of the same type in one accessory, such as `left`, and identifies the
    ///     function for links. Never change it.
    ///   - isPrimary: Whether this is the primary function. If no function is marked, the first one is primary.
    ///   - isHidden: Whether controllers hide the function from users.
    ///   - linked: The ids of functions of the same accessory that belong to this function, such as the filter of an
    ///     air purifier.
    ///   - characteristics: Types of the catalog with their initial values.
    public init(
        _ type: ServiceType, id: String? = nil, isPrimary: Bool = false, isHidden: Bool = false,
        linked: [String] = [], _ characteristics: KeyValuePairs<CharacteristicType, CharacteristicValue>
    ) {
        self.init(
            type, id: id, isPrimary: isPrimary, isHidden: isHidden, linked: linked,
            characteristics.map { ($0.key, $0.value) })
    }

    /// Creates a function from a list of types of Apple's catalog.
    ///
    /// - Parameters:
    ///   - type: The service's type.
    ///   - id: An id that distinguishes functions of the same type in one accessory, and identifies the function for
    ///     links. Never change it.
    ///   - isPrimary: Whether this is the primary function. If no function is marked, the first one is primary.
    ///   - isHidden: Whether controllers hide the function from users.
    ///   - linked: The ids of functions of the same accessory that belong to this function.
    ///   - characteristics: Types of the catalog with their initial values.
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

    /// Returns whether the function has a characteristic of the given type.
    public func has(_ type: CharacteristicType) -> Bool { parts.contains { $0.type == type } }

    /// Returns the format, permissions and limits of the characteristic with the given type, or `nil` if the function
    /// doesn't have it.
    public func metadata(of type: CharacteristicType) -> CharacteristicMetadata? {
        // Use the index to avoid copying the part.
        for index in parts.indices where parts[index].type == type { return parts[index].metadata }
        return nil
    }

    /// Inserts a characteristic from Apple's catalog, by default at the end.
    package mutating func add(_ type: CharacteristicType, _ value: CharacteristicValue, at place: Int? = nil) {
        parts.insert(Part(type, value), at: place ?? parts.count)
    }

    /// Removes the characteristic with the given type, if the function has it.
    package mutating func remove(_ type: CharacteristicType) { parts.removeAll { $0.type == type } }

    /// Returns a copy with narrower metadata for one characteristic, such as the temperature range of a thermostat.
    ///
    /// - Parameters:
    ///   - type: The characteristic's type. If the function has no such characteristic, the copy is unchanged.
    ///   - change: A closure that changes the limits, the step, the valid values or the permissions.
    /// - Returns: The changed copy.
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

    /// Returns a copy with an additional characteristic that isn't in Apple's catalog.
    ///
    /// - Parameters:
    ///   - type: A type with a custom UUID.
    ///   - metadata: The format, permissions and limits.
    ///   - value: The initial value.
    ///   - description: The name that users see, at most 64 bytes.
    /// - Returns: The copy with the characteristic.
    public func adding(
        _ type: CharacteristicType, _ metadata: CharacteristicMetadata, value: CharacteristicValue, description: String
    ) -> AccessoryFunction {
        var function = self
        function.parts.append(Part(type, metadata, value, description))
        return function
    }
}
