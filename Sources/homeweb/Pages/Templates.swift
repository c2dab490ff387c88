import Mustache
import Texts

/// The pages' templates, which are part of the program.
enum Templates {
    /// The values that a template inserts.
    ///
    /// Text is sanitized and escaped. HTML in three braces is only sanitized.
    typealias Values = [String: Any]

    /// The compiled templates by language.
    private static let libraries = Languages.catalogs.mapValues(makeLibrary).merging(["en": makeLibrary(nil)]) { $1 }

    private static func makeLibrary(_ catalog: TextCatalog?) -> MustacheLibrary {
        var library = MustacheLibrary()
        for (name, bytes) in sources {
            do {
                let source = MarkedTexts.template(String(decoding: bytes, as: UTF8.self), in: catalog)
                try library.register(source, named: name)
            } catch {
                preconditionFailure("Invalid template \(name): \(error)")
            }
        }
        return library
    }

    /// Renders a template to HTML.
    ///
    /// A test renders all templates, so a missing template can't go unnoticed.
    static func render(_ name: String, _ values: Values) -> String {
        guard let text = libraries[Languages.current]?.render(marked(values), withTemplate: name) else {
            preconditionFailure("Missing template \(name).")
        }
        return text
    }

    /// Sanitizes text, and adds the names of all nonempty lists as `any`, because empty lists have no heading.
    private static func marked(_ values: Values) -> Values {
        var marked = values
        var any: [String: Bool]?
        for (name, value) in values {
            switch value {
            case let text as String: marked[name] = text.sanitizedForPage
            case let list as [String]:
                marked[name] = list.map(\.sanitizedForPage)
                any = (any ?? [:]).merging(list.isEmpty ? [:] : [name: true]) { $1 }
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
        ("page-begin", PackageResources.page_begin_mustache), ("page-end", PackageResources.page_end_mustache),
        ("message", PackageResources.message_mustache),
        ("problem", PackageResources.problem_mustache),
        ("empty", PackageResources.empty_mustache), ("offline", PackageResources.offline_mustache),
        ("tile", PackageResources.tile_mustache),
        ("home", PackageResources.home_mustache), ("room", PackageResources.room_mustache),
        ("service", PackageResources.service_mustache), ("control", PackageResources.control_mustache),
        ("service-state", PackageResources.service_state_mustache), ("reading", PackageResources.reading_mustache),
        ("accessory", PackageResources.accessory_mustache), ("scenes", PackageResources.scenes_mustache),
        ("characteristic", PackageResources.characteristic_mustache), ("scene", PackageResources.scene_mustache),
        ("scene-device", PackageResources.scene_device_mustache),
        ("scene-service", PackageResources.scene_service_mustache),
        ("scene-tile", PackageResources.scene_tile_mustache),
        ("activity", PackageResources.activity_mustache), ("activity-row", PackageResources.activity_row_mustache),
        ("more", PackageResources.more_mustache),
        ("rooms", PackageResources.rooms_mustache), ("names", PackageResources.names_mustache),
        ("add", PackageResources.add_mustache), ("arrange", PackageResources.arrange_mustache),
        ("privacy", PackageResources.privacy_mustache), ("privacy-history", PackageResources.privacy_history_mustache),
        ("bridge", PackageResources.bridge_mustache),
        ("bridge-backup", PackageResources.bridge_backup_mustache),
        ("bridge-change", PackageResources.bridge_change_mustache),
        ("bridge-device", PackageResources.bridge_device_mustache),
        ("bridge-fields", PackageResources.bridge_fields_mustache),
        ("bridge-warning", PackageResources.bridge_warning_mustache),
        ("bridge-warning-row", PackageResources.bridge_warning_row_mustache),
        ("bridge-warnings", PackageResources.bridge_warnings_mustache),
        ("bridge-pairings", PackageResources.bridge_pairings_mustache),
        ("bridge-systems", PackageResources.bridge_systems_mustache), ("enter", PackageResources.enter_mustache),
        ("status", PackageResources.status_mustache), ("status-chips", PackageResources.status_chips_mustache),
        ("strip", PackageResources.strip_mustache), ("order", PackageResources.order_mustache),
        ("order-buttons", PackageResources.order_buttons_mustache),
        ("name-form", PackageResources.name_form_mustache), ("offer", PackageResources.offer_mustache),
        ("confirm", PackageResources.confirm_mustache), ("options", PackageResources.options_mustache),
        ("automations", PackageResources.automations_mustache), ("automation", PackageResources.automation_mustache),
        ("automation-buttons", PackageResources.automation_buttons_mustache),
        ("automation-form", PackageResources.automation_form_mustache),
        ("automation-row", PackageResources.automation_row_mustache), ("people", PackageResources.people_mustache),
        ("toast", PackageResources.toast_mustache), ("search", PackageResources.search_mustache),
        ("search-box", PackageResources.search_box_mustache),
        ("search-result", PackageResources.search_result_mustache),
        ("selection", PackageResources.selection_mustache),
        ("graphs", PackageResources.graphs_mustache),
        ("access", PackageResources.access_mustache), ("access-link", PackageResources.access_link_mustache),
        ("access-fields", PackageResources.access_fields_mustache),
    ]
}

extension String {
    /// The text without invisible characters that devices and apps have no reason to send: control characters such as
    /// escape, and overrides of the text direction.
    ///
    /// Line breaks and tabs are kept, and so are joiners and variation selectors, because they are parts of emoji.
    var sanitizedForPage: String {
        guard !utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x0A }) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.filter(\.isForPage)))
    }
}

extension Unicode.Scalar {
    fileprivate var isForPage: Bool {
        switch self {
        case "\n", "\t", "\u{200C}", "\u{200D}", "\u{FE00}"..."\u{FE0F}": true
        default: properties.generalCategory != .control && !properties.isDefaultIgnorableCodePoint
        }
    }
}
