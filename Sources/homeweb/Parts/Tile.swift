import HAPModel
import HomeModel
import HomePresentation
import Texts

/// The tile of a service: its kind, its state, and the action of a tap.
struct Tile {
    /// The location on a page.
    ///
    /// A favorite has a tile in its section and among the favorites. The page of a service, with tiles of the same
    /// accessory's other services, can be open over Home.
    enum Place: String {
        case section = "s"
        case accessory = "o"
        case favorites = "f"
        case status = "t"
    }

    let row: ServiceRow
    let home: Home
    let place: Place
    /// The page to which a form returns.
    let back: String
    /// Whether the service's values are current.
    let isCurrent: Bool
    /// The age of the oldest value that isn't current, if it matters.
    let age: String?
    /// Whether the tile is twice as wide as others.
    var isWide = false

    var id: String { "\(place.rawValue)-\(row.id)" }

    var values: Templates.Values {
        var values: Templates.Values = [
            "id": "\(row.id)", "part": id, "name": row.name, "state": state.capitalizedFirst, "icon": row.kind.icon,
            "classes": classes, "back": back,
        ]
        if let name = row.accessoryName { values["place"] = name }
        if row.problem == nil {
            if let toggle = row.toggle { values["toggle"] = self.values(of: toggle) }
            if let level { values["level"] = level }
        }
        return values
    }

    var html: String { Templates.render("tile", values) }
    var part: PageContent.Part { PageContent.Part(id: id, html: html) }

    private var state: String {
        if let problem = row.problem { return problem.words }
        let words = age.map { "\(row.state.words), \($0)" } ?? row.state.words
        return row.battery?.isAlert == true ? words + ", " + localized("battery low") : words
    }

    private var classes: String {
        var classes = isWide ? " wide" : ""
        if row.problem != nil { return classes + " away" }
        if row.state.isActive { classes += " on" }
        if row.state.isAlert { classes += " alert" }
        if !isCurrent { classes += " stale" }
        return classes
    }

    private func values(of toggle: ServiceToggle) -> Templates.Values {
        let isOn = toggle.isOn == true
        var values: Templates.Values = [
            "value": toggle.next.formText, "other": (isOn ? toggle.on : toggle.off).formText,
            "pressed": isOn ? "true" : "false",
            "label": "\(row.name), \(state). \(row.kind.touchWords(isOn: isOn))",
        ]
        if isOn, let color = home.service(row.id)?.shownColor {
            values["color"] = color.text
            values["ink"] = color.ink.text
        }
        return values
    }

    private var level: Templates.Values? {
        guard let characteristic = row.level.flatMap(home.characteristic), let number = characteristic.value?.number
        else { return nil }
        let metadata = characteristic.metadata
        let (low, high) = (metadata.minimum ?? 0, metadata.maximum ?? 100)
        guard low < high else { return nil }
        let isPosition = characteristic.type == .targetPosition
        let isOff = row.toggle?.isOn == false && !isPosition
        // A moving device shows its current position, while the slider sets its target.
        let present =
            isPosition ? home.service(row.id)?.characteristic(.currentPosition)?.value?.number ?? number : number
        let target = isOff ? low : min(max(number, low), high)
        return [
            "minimum": low.formText, "maximum": high.formText,
            "step": (metadata.step ?? 1).formText, "fill": (isOff ? low : min(max(present, low), high)).formText,
            "value": target.formText,
            "label": "\(row.name), \(characteristic.labelInSentence)",
            "words": characteristic.words(for: .float(target)),
        ]
    }
}

extension ServiceType {
    /// Returns a description of a tap's action.
    func touchWords(isOn: Bool) -> String {
        switch self {
        case .door, .garageDoorOpener, .window, .windowCovering:
            isOn ? localized("Close", context: "command") : localized("Open", context: "command")
        case .lockMechanism: isOn ? localized("Lock", context: "command") : localized("Unlock")
        default: isOn ? localized("Turn off") : localized("Turn on")
        }
    }
}

extension Double {
    /// The number for a form, with as few digits as necessary and a decimal point.
    var formText: String {
        let rounded = (self * 1000).rounded() / 1000
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int64(rounded))" : "\(rounded)"
    }
}

extension CharacteristicValue {
    /// The value for a form.
    var formText: String {
        switch self {
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .float(let number): number.formText
        case .string(let text): text
        default: ""
        }
    }

    /// Parses a form's value for a characteristic.
    ///
    /// Returns `nil` if it isn't valid for the format.
    init?(formText text: String, as format: CharacteristicFormat) {
        switch format {
        case .bool:
            switch text {
            case "true", "1": self = .bool(true)
            case "false", "0": self = .bool(false)
            default: return nil
            }
        case .string: self = .string(text)
        case .float:
            guard let number = Double(text), number.isFinite else { return nil }
            self = .float(number)
        case .uint8, .uint16, .uint32, .int, .uint64:
            if let number = Int64(text) {
                self = .integer(number)
            } else if let number = UInt64(text) {
                self = .unsigned(number)
            } else if let number = Double(text), number.isFinite {
                // A slider may send 50.0. A number that isn't an integer is rejected by the receiver.
                self = .float(number)
            } else {
                return nil
            }
        default: return nil
        }
    }
}
