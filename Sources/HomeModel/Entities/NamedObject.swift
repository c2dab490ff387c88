/// Something with a name that stands in lists.
public protocol NamedObject: Identifiable where ID: Comparable {
    /// What people call it.
    var name: String { get }
}

extension Home: NamedObject {}
extension Room: NamedObject {}
extension Zone: NamedObject {}
extension Accessory: NamedObject {}
extension Service: NamedObject {}
extension ActionSet: NamedObject {}
extension ServiceGroup: NamedObject {}

extension Sequence where Element: NamedObject {
    /// The objects in the order to show them: by name as people say it, then as it is written, then by id.
    public var sortedForDisplay: [Element] {
        map { (key: NameKey($0.name), object: $0) }
            .sorted { ($0.key, $0.object.name, $0.object.id) < ($1.key, $1.object.name, $1.object.id) }
            .map(\.object)
    }

    /// The objects of that name, whatever case, spaces and apostrophes it was typed with.
    public func named(_ name: String) -> [Element] {
        let key = NameKey(name)
        return filter { NameKey($0.name) == key }
    }
}
