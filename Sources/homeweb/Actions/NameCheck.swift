import BoundedJSON
import HAPModel
import HomeClient
import HomeModel

/// Checks a name by the home hub's rules while the visitor types it.
///
/// The check doesn't change the home.
struct NameCheck {
    /// The reason why the name can't be used; empty if it can.
    private(set) var refusal = ""
    private(set) var suggestions: [String] = []

    /// Checks the name in a query.
    ///
    /// The `name` field is the name, `kind` the kind of object, and `self` the ID of the object to rename. Without
    /// `self`, the name is for a new object in the home with the ID `in`.
    init(_ query: Query, _ moment: Moment) {
        let name = (query["name"] ?? "").trimmed
        guard !name.isEmpty, let write = Self.write(name, query, moment) else { return }
        var graph = HomeGraph(homes: moment.homes)
        var generator = SystemRandomNumberGenerator()
        do throws(HomeError) { _ = try graph.perform(write, using: &generator) } catch {
            // The current name remains valid.
            guard error.code != .renameWithSimilarName else { return }
            refusal = WebError(error).message
            suggestions = error.suggestions
        }
    }

    /// Returns the change to check; `nil` if the object to rename doesn't exist.
    private static func write(_ name: String, _ query: Query, _ moment: Moment) -> HomeWrite? {
        let home = query["in"].flatMap { Home.ID($0) } ?? moment.home?.id
        let own = query["self"]
        switch query["kind"] {
        case "accessory": return own.flatMap { Accessory.ID($0) }.map { .renameAccessory($0, name: name) }
        case "service":
            guard let id = own.flatMap({ Service.ID($0) }), let owner = moment.homes.nameOwner(of: id) else {
                return nil
            }
            return switch owner {
            case .accessory(let id): .renameAccessory(id, name: name)
            case .service(let id): .renameService(id, name: name)
            }
        case "room":
            return own.flatMap { Room.ID($0) }.map { .renameRoom($0, name: name) }
                ?? home.map { .addRoom($0, name: name) }
        case "zone":
            return own.flatMap { Zone.ID($0) }.map { .renameZone($0, name: name) }
                ?? home.map { .addZone($0, name: name) }
        case "scene":
            return own.flatMap { ActionSet.ID($0) }.map { .renameActionSet($0, name: name) }
                ?? home.map { .addActionSet($0, name: name, kind: .userDefined) }
        case "person":
            return own.flatMap { Resident.ID($0) }.map { .renamePerson($0, name: name) }
                ?? home.map { .addPerson($0, name: name) }
        default: return own.flatMap { Home.ID($0) }.map { .renameHome($0, name: name) } ?? .addHome(name: name)
        }
    }

    var json: JSONValue {
        [
            "refusal": .string(refusal.sanitizedForPage),
            "suggestions": .array(suggestions.prefix(3).map { .string($0.sanitizedForPage) }),
        ]
    }
}

/// The object that has the name shown for a service.
enum NameOwner {
    case accessory(Accessory.ID)
    case service(Service.ID)
}

extension [Home] {
    /// Returns the object to rename to change a service's shown name, or `nil` if the service doesn't exist.
    ///
    /// See `Accessory.shownName(of:)`.
    func nameOwner(of id: Service.ID) -> NameOwner? {
        guard let accessory = lazy.compactMap({ $0.accessory(of: id) }).first, let service = accessory.service(id)
        else { return nil }
        let isOfAccessory = accessory.shownName(of: service) == accessory.name && accessory.primaryService?.id == id
        return isOfAccessory ? .accessory(accessory.id) : .service(id)
    }
}
