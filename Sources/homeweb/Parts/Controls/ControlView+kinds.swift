import Glibc
import HAPModel
import HomeModel
import HomePresentation
import Texts

/// The controls that are made for a kind of device.
extension ControlView {
    /// A large button that locks or unlocks, or opens or closes a garage door, with the current state.
    var latch: Templates.Values? {
        guard let toggle = service.toggle, toggle.characteristic == characteristic.id else { return nil }
        let state = accessory.state(of: service)
        let kind = service.type
        let isOpen = toggle.isOn == true
        var values: Templates.Values = [
            "icon": kind.icon, "state": state.words.capitalizedFirst + (state.isChanging ? "…" : ""),
            "action": kind.touchWords(isOn: isOpen), "next": toggle.next.formText,
            "classes": (state.isAlert ? " alert" : state.isActive ? " on" : "") + (state.isChanging ? " busy" : ""),
        ]
        let current = service.characteristic(.lockCurrentState)?.value?.number
        if current == 2 || current == 3 {
            // The target may already be set, so a jammed lock needs a way to try the same again.
            values["retry"] = [
                "action": kind.touchWords(isOn: !isOpen), "value": (isOpen ? toggle.on : toggle.off).formText,
            ]
            values["about"] = current == 2 ? localized("The lock is jammed. Check the door, then try again.") : nil
        }
        return values
    }

    /// A slider for the position of a cover, with buttons that open, stop and close it.
    func cover(_ range: CharacteristicControl.NumberRange) -> Templates.Values {
        var values = slider(range)
        let current = service.characteristic(.currentPosition) ?? characteristic
        if let position = current.value?.number {
            let (low, high) = (range.minimum ?? 0, range.maximum ?? 100)
            values["fill"] = (min(max(position, low), high) - low).formText
        }
        values["current"] = words(current)
        if let hold { values["stop"] = ["field": "\(hold.id)"] }
        return values
    }

    /// A wheel of all hues and saturations, and their two sliders.
    var wheel: Templates.Values? {
        guard let hue = service.characteristic(.hue), let saturation = service.characteristic(.saturation) else {
            return nil
        }
        let (angle, radius) = (hue.value?.number ?? 0, saturation.value?.number ?? 0)
        let color = RGBColor(hue: angle, saturation: radius)
        let shown = service.shownColor ?? color
        return [
            "x": (radius * cos(angle * .pi / 180)).formText, "y": (radius * sin(angle * .pi / 180)).formText,
            "color": color.text,
            "sliders": [slider(hue, "hue"), slider(saturation, "saturation")],
            "swatches": Self.swatches.map { name, color in
                ["name": name.localized, "value": color, "chosen": color == shown.text ? "true" : "false"]
            },
        ]
    }

    private func slider(_ characteristic: Characteristic, _ kind: String) -> Templates.Values {
        let metadata = characteristic.metadata
        return [
            "field": "\(characteristic.id)", "name": characteristic.label, "words": words(characteristic),
            "minimum": (metadata.minimum ?? 0).formText,
            "maximum": (metadata.maximum ?? (kind == "hue" ? 360 : 100)).formText,
            "step": (metadata.step ?? 1).formText, "value": (characteristic.value?.number ?? 0).formText, "kind": kind,
            "unit": kind == "hue" ? "°" : "%",
        ]
    }

    private static let swatches: [(LocalizableText, String)] = [
        ("Warm white", "#ffd9a0"), ("White", "#ffffff"), ("Red", "#ff0000"), ("Orange", "#ff8000"),
        ("Yellow", "#ffff00"), ("Green", "#00ff00"), ("Cyan", "#00ffff"), ("Blue", "#0000ff"), ("Violet", "#8000ff"),
        ("Pink", "#ff00bf"),
    ]

    /// The keys of a remote: a pad of directions, and rows of other keys.
    func remote(_ choices: [CharacteristicControl.Choice]) -> Templates.Values {
        func keys(_ layout: [RemoteKey]) -> [Templates.Values] {
            layout.compactMap { key in
                guard let choice = choices.first(where: { $0.value == .integer(key.number) }) else { return nil }
                var values: Templates.Values = [
                    "field": "\(characteristic.id)", "value": choice.value.formText, "name": key.name,
                    "place": key.place, "arrow": key.arrow ?? "",
                ]
                if let icon = key.icon { values["icon"] = icon } else { values["text"] = key.name }
                return values
            }
        }
        return ["directions": keys(RemoteKey.directions), "media": keys(RemoteKey.media)]
    }
}

/// A key of a television's remote.
private struct RemoteKey {
    let number: Int64
    let name: String
    /// The class that determines the key's position.
    let place: String
    /// The symbol, or `nil` if the key shows its name.
    var icon: String?
    /// The key of a keyboard that presses this key while the remote has the focus.
    var arrow: String?

    static var directions: [RemoteKey] {
        [
            RemoteKey(number: 4, name: localized("Up"), place: "up", icon: "back", arrow: "ArrowUp"),
            RemoteKey(number: 6, name: localized("Left"), place: "left", icon: "back", arrow: "ArrowLeft"),
            RemoteKey(number: 8, name: localized("OK"), place: "ok"),
            RemoteKey(number: 7, name: localized("Right"), place: "right", icon: "back", arrow: "ArrowRight"),
            RemoteKey(number: 5, name: localized("Down"), place: "down", icon: "back", arrow: "ArrowDown"),
            RemoteKey(number: 9, name: localized("Back"), place: "return"),
            RemoteKey(number: 15, name: localized("Info"), place: "info"),
            RemoteKey(number: 10, name: localized("Exit"), place: "exit"),
        ]
    }

    static var media: [RemoteKey] {
        [
            RemoteKey(number: 3, name: localized("Previous track"), place: "media", icon: "media-previous"),
            RemoteKey(number: 0, name: localized("Rewind"), place: "media", icon: "media-rewind"),
            RemoteKey(number: 11, name: localized("Play or pause"), place: "media", icon: "media-play"),
            RemoteKey(number: 1, name: localized("Fast forward"), place: "media", icon: "media-forward"),
            RemoteKey(number: 2, name: localized("Next track"), place: "media", icon: "media-next"),
        ]
    }
}
