import Mustache

/// The pages' templates, which are part of the program.
enum Templates {
    /// Every value that a template is given is escaped, except what stands in three braces: rendered before.
    typealias Values = [String: Any]

    private static let library = makeLibrary()

    private static func makeLibrary() -> MustacheLibrary {
        var library = MustacheLibrary()
        for (name, bytes) in sources {
            do {
                try library.register(String(decoding: bytes, as: UTF8.self), named: name)
            } catch {
                preconditionFailure("The template \(name) is none: \(error)")
            }
        }
        return library
    }

    /// Renders a template.
    ///
    /// - Parameters:
    ///   - name: which; there is a test that renders all.
    ///   - values: what it shows.
    /// - Returns: HTML.
    static func render(_ name: String, _ values: Values) -> String {
        guard let text = library.render(marked(values), withTemplate: name) else {
            preconditionFailure("There is no template \(name).")
        }
        return text
    }

    /// Adds `any`, which holds the names of the lists that have something in them: a heading stands above these alone.
    private static func marked(_ values: Values) -> Values {
        var marked = values
        var any: [String: Bool]?
        for (name, value) in values {
            switch value {
            case let list as [String]: any = (any ?? [:]).merging(list.isEmpty ? [:] : [name: true]) { $1 }
            case let list as [Values]:
                any = (any ?? [:]).merging(list.isEmpty ? [:] : [name: true]) { $1 }
                marked[name] = list.map(Self.marked)
            case let inner as Values: marked[name] = Self.marked(inner)
            default: break
            }
        }
        if let any { marked["any"] = any }
        return marked
    }

    static let sources: [(name: String, bytes: [UInt8])] = [
        ("page", PackageResources.page_mustache), ("problem", PackageResources.problem_mustache),
        ("empty", PackageResources.empty_mustache), ("tile", PackageResources.tile_mustache),
        ("home", PackageResources.home_mustache), ("room", PackageResources.room_mustache),
        ("service", PackageResources.service_mustache), ("control", PackageResources.control_mustache),
        ("accessory", PackageResources.accessory_mustache), ("scenes", PackageResources.scenes_mustache),
        ("history", PackageResources.history_mustache), ("more", PackageResources.more_mustache),
        ("rooms", PackageResources.rooms_mustache), ("names", PackageResources.names_mustache),
        ("add", PackageResources.add_mustache), ("privacy", PackageResources.privacy_mustache),
        ("bridge", PackageResources.bridge_mustache), ("enter", PackageResources.enter_mustache),
        ("summary", PackageResources.summary_mustache), ("name-form", PackageResources.name_form_mustache),
        ("remove", PackageResources.remove_mustache),
    ]
}
