/// An object with a name that appears in lists.
public protocol NamedObject: Identifiable where ID: Comparable {
    /// The object's name.
    var name: String { get }
}

extension Home: NamedObject {}
extension Room: NamedObject {}
extension Zone: NamedObject {}
extension Accessory: NamedObject {}
extension Service: NamedObject {}
extension ActionSet: NamedObject {}
extension ServiceGroup: NamedObject {}
extension Trigger: NamedObject {}
extension Resident: NamedObject {}

extension Sequence where Element: NamedObject {
    /// The objects in display order: by name, ignoring case, spaces and apostrophes, then by exact spelling, then by
    /// ID.
    public var sortedForDisplay: [Element] {
        map { (key: NameKey($0.name), object: $0) }
            .sorted { ($0.key, $0.object.name, $0.object.id) < ($1.key, $1.object.name, $1.object.id) }
            .map(\.object)
    }

    /// Returns the objects with the given name, ignoring case, spaces and apostrophes.
    public func named(_ name: String) -> [Element] {
        let key = NameKey(name)
        return filter { NameKey($0.name) == key }
    }
}
