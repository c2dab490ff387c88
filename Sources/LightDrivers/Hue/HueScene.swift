import BoundedJSON
import DeviceKit
import HAPModel

/// A scene of a room or a zone (Lights 9.3).
struct HueScene: Sendable {
    static let type = "scene"
    /// The body of the request that activates a scene.
    static let recall: JSONObject = ["recall": ["action": "active"]]

    let id: String
    let name: String
    /// The id of the room or zone.
    let room: String

    /// Parses a complete resource; `nil` if it is invalid.
    init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, HueSession.isID(id), let name = json["metadata"]?["name"]?.shortText,
            let room = json["group"]?["rid"]?.string, HueSession.isID(room)
        else { return nil }
        (self.id, self.name, self.room) = (id, name, room)
    }

    /// The suffix of the id of an accessory that contains a room's scenes.
    private static let suffix = "/scenes"

    /// Returns the id of the accessory that contains a room's scenes.
    static func lightID(_ room: String, _ bridge: String) -> LightID { LightID("\(bridge)/\(room)\(suffix)") }

    /// Returns the room of an accessory with scenes, or `nil` for another accessory.
    static func room(of id: LightID, _ bridge: String) -> String? {
        guard id.rawValue.hasPrefix("\(bridge)/"), id.rawValue.hasSuffix(suffix) else { return nil }
        return String(id.rawValue.dropFirst(bridge.utf8.count + 1).dropLast(suffix.utf8.count))
    }

    private var function: AccessoryFunction { .scene(id, name: name) }

    /// Returns whether switching the given property on activates the scene.
    func isActivated(by property: Property) -> Bool { property == Property(.on, of: function.id) }

    /// Returns the accessory that contains a room's scenes, which are sorted by id.
    static func accessory(_ scenes: [HueScene], of room: String, named name: String, _ bridge: String)
        -> LightDescription
    {
        LightDescription(
            id: lightID(room, bridge), name: "\(name.prefix(120)) Scenes", kind: .scene,
            functions: scenes.prefix(AccessoryFunction.maximumScenes).map(\.function), manufacturer: "Signify",
            model: "Hue scenes")
    }
}
