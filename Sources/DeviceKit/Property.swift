public import HAPModel

/// A property of a device: a characteristic of one of its functions.
public struct Property: Hashable, Sendable {
    /// The characteristic.
    public let type: CharacteristicType
    /// The `AccessoryFunction.id` of the function, or `nil` for functions without one.
    public let function: String?

    /// Creates a property.
    ///
    /// - Parameters:
    ///   - type: The characteristic.
    ///   - function: The id of the function, if it has one.
    public init(_ type: CharacteristicType, of function: String? = nil) {
        self.type = type
        self.function = function
    }

    /// The property that represents all properties that are replaced together with this property.
    ///
    /// A lamp shows a color or a white, so hue, saturation and color temperature form one group. A cover moves to a
    /// position or stops. The current state of a lock changes together with its target.
    package var group: Property {
        switch type {
        case .saturation, .colorTemperature: Property(.hue, of: function)
        case .holdPosition: Property(.targetPosition, of: function)
        case .lockCurrentState, .currentDoorState, .securitySystemCurrentState:
            Property(type.targetState ?? type, of: function)
        default: self
        }
    }
}

/// The values of a command, a report or a device's state, by property.
///
/// Each property has a value, is marked as currently unknown, or is missing.
///
/// ```swift
/// report.values[.currentTemperature] = 21.5
/// ```
public struct PropertyValues: Sendable {
    /// A property and its value, or `nil` if the value is currently unknown.
    public typealias Element = (property: Property, value: CharacteristicValue?)

    // A device has few properties, so an array is faster than a hash table. Entries are accessed in place, because a
    // copy changes reference counts.
    private var entries: [Element] = []

    /// Creates a collection without values.
    public init() {}

    /// A Boolean value that indicates whether the collection is empty.
    public var isEmpty: Bool { entries.isEmpty }

    /// The number of properties.
    package var count: Int { entries.count }

    /// The value of a property.
    ///
    /// Assigning `nil` removes the property.
    public subscript(property: Property) -> CharacteristicValue? {
        get { index(of: property).flatMap { entries[$0].value } }
        set {
            if let newValue { set(newValue, for: property) } else { remove(property) }
        }
    }

    /// The value of a property of a function without an id, as a Swift type.
    public subscript<Value>(key: CharacteristicKey<Value>) -> Value? {
        get { self[Property(key.type)].flatMap(Value.init) }
        set { self[Property(key.type)] = newValue?.characteristicValue }
    }

    /// Returns whether a property is present, with or without a value.
    public func contains(_ property: Property) -> Bool { index(of: property) != nil }

    /// Marks the value of a property as currently unknown.
    public mutating func setUnknown(_ property: Property) { set(nil, for: property) }

    /// Removes a property.
    public mutating func remove(_ property: Property) {
        guard let index = index(of: property) else { return }
        // Removing the only entry in place would first copy shared storage.
        if entries.count == 1 { entries = [] } else { entries.remove(at: index) }
    }

    /// Merges newer values and keeps the others.
    ///
    /// A newer color replaces a white, and a newer white replaces a color.
    public mutating func merge(_ newer: PropertyValues) {
        guard !entries.isEmpty else { return self = newer }
        for (property, value) in newer.entries {
            let group = property.group
            if group.type == .hue || group.type == .targetPosition {
                entries.removeAll { $0.property.group == group && !newer.contains($0.property) }
            }
            set(value, for: property)
        }
    }

    /// Sets or adds the value of a property; `nil` marks the property as currently unknown.
    ///
    /// - Returns: Whether the collection has changed.
    @discardableResult
    package mutating func set(_ value: CharacteristicValue?, for property: Property) -> Bool {
        guard let index = index(of: property) else {
            entries.append((property, value))
            return true
        }
        // Assigning an equal value would copy shared storage unnecessarily.
        guard entries[index].value != value else { return false }
        entries[index].value = value
        return true
    }

    private func index(of property: Property) -> Int? {
        for index in entries.indices
        where entries[index].property.type == property.type && entries[index].property.function == property.function {
            return index
        }
        return nil
    }
}

/// A command, a report, or another collection of a device's values.
///
/// Common values can be read and set by name: `report.brightness = 40`.
public protocol PropertyContainer {
    /// The values, by property.
    var values: PropertyValues { get set }
}

extension PropertyValues: PropertyContainer {
    /// The collection itself.
    public var values: PropertyValues {
        get { self }
        set { self = newValue }
    }
}

extension PropertyValues: Sequence {
    /// Returns the properties with their values, in order of insertion.
    public func makeIterator() -> IndexingIterator<[Element]> { entries.makeIterator() }
}

extension PropertyValues: Equatable {
    /// Returns whether two collections have the same properties with the same values, in any order.
    public static func == (a: PropertyValues, b: PropertyValues) -> Bool {
        guard a.entries.count == b.entries.count else { return false }
        for index in a.entries.indices {
            guard let other = b.index(of: a.entries[index].property), b.entries[other].value == a.entries[index].value
            else { return false }
        }
        return true
    }
}

extension PropertyValues {
    /// Returns the properties of a group, with their values.
    package func members(of group: Property) -> PropertyValues {
        var members = PropertyValues()
        for entry in entries where entry.property.group == group { members.entries.append(entry) }
        return members
    }

    /// Returns the values of all groups that don't occur in another collection.
    package func removing(_ others: PropertyValues) -> PropertyValues {
        guard !isEmpty, !others.isEmpty else { return self }
        var left = self
        left.entries.removeAll { entry in others.entries.contains { $0.property.group == entry.property.group } }
        return left
    }

    /// Returns the value of a characteristic from the first function that has it.
    package func first(_ type: CharacteristicType) -> CharacteristicValue? {
        for index in entries.indices where entries[index].property.type == type { return entries[index].value }
        return nil
    }
}
