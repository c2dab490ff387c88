import HomeModel
import Texts

/// A change of all selected accessories: their names, rooms, favorites, and whether Home shows them.
struct BulkEdit: Sendable, Equatable {
    /// The new room's name; empty to keep the rooms.
    var room = ""
    /// Whether the accessories are favorites; `nil` to keep their state.
    var isFavorite: Bool?
    /// Whether Home hides the accessories; `nil` to keep their state.
    var isHidden: Bool?
    /// The pattern of the new names, such as `Lamp {n}`; empty to keep the names.
    ///
    /// `{n}` is the number of the accessory, and `{name}` its former name.
    var pattern = ""
    /// The number of the first accessory.
    var start = 1
    /// The text to replace in names; empty to keep the names.
    var find = ""
    var replacement = ""

    private static let number = "{n}"
    private static let name = "{name}"
    private static let maximumStart = 9999

    init() {}

    /// Reads the fields of a form.
    init(_ form: Query) {
        room = (form["set-room"] ?? "").trimmed
        isFavorite = Self.choice(form["set-favorite"])
        isHidden = Self.choice(form["set-hidden"])
        pattern = (form["pattern"] ?? "").trimmed
        start = min(max(form["start"].flatMap { Int($0) } ?? 1, 0), Self.maximumStart)
        find = form["find"] ?? ""
        replacement = form["replacement"] ?? ""
    }

    private static func choice(_ text: String?) -> Bool? { text.flatMap { ["1": true, "0": false][$0] } }

    /// The reason why the change can't be made, or `nil` if it can.
    func refusal(count: Int) -> String? {
        guard [pattern, find, replacement].allSatisfy({ $0.utf8.count <= NameRules.maximumBytes }) else {
            return localized("The text is longer than a name can be. Shorten it.")
        }
        guard !pattern.isEmpty, count > 1, !pattern.contains(Self.number), !pattern.contains(Self.name) else {
            return nil
        }
        return
            localized(
                "All accessories would get the name \(pattern). Add {n} where the number belongs, such as \(pattern) {n}."
            )
    }

    /// Changes the rows of a table, without checking the names.
    func apply(to arrangement: inout Arrangement) {
        arrangement.edit { index, row in
            row.name = name(from: row.name, index)
            if !room.isEmpty { row.room = room }
            if let isFavorite { row.isFavorite = isFavorite }
            if let isHidden { (row.isHidden, row.affectsAllTiles) = (isHidden, true) }
        }
    }

    /// Returns the new name of the accessory at an index.
    ///
    /// A name that is too long doesn't change, because the naming rules refuse it anyway.
    func name(from former: String, _ index: Int) -> String {
        guard former.utf8.count <= NameRules.maximumBytes else { return former }
        var name = former
        if !pattern.isEmpty {
            name = pattern.replacing(Self.number, with: "\(start + index)").replacing(Self.name, with: former)
        }
        if !find.isEmpty { name = name.replacingIgnoringCase(find, with: replacement) }
        return name.spacedOnce
    }
}

extension String {
    /// Returns the text with another text in place of each occurrence of `text`, regardless of its case.
    fileprivate func replacingIgnoringCase(_ text: String, with other: String) -> String {
        let wanted = text.map { $0.lowercased() }
        var result = ""
        var rest = self[...]
        while let first = rest.first {
            if rest.prefix(wanted.count).map({ $0.lowercased() }) == wanted {
                result += other
                rest = rest.dropFirst(wanted.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    /// The text with single spaces between its words, because removing a word leaves two.
    fileprivate var spacedOnce: String { split(separator: " ").joined(separator: " ") }
}
