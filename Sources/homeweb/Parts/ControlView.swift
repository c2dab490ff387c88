import HAPModel
import HomeModel
import HomePresentation

/// A control for one value of a service.
///
/// The control is a form with a target value instead of a relative change, so sending it twice does no harm.
struct ControlView {
    let accessory: Accessory
    let service: Service
    let characteristic: Characteristic
    let control: CharacteristicControl

    /// The most important characteristics, in the order of their controls.
    ///
    /// The controls of other characteristics follow in the accessory's order.
    private static let order: [CharacteristicType] = [
        .on, .active, .lockTargetState, .targetDoorState, .targetPosition, .holdPosition, .brightness, .hue,
        .colorTemperature, .targetTemperature, .targetHeatingCoolingState, .targetHeaterCoolerState,
        .targetHumidifierDehumidifierState, .targetAirPurifierState, .targetFanState, .heatingThresholdTemperature,
        .coolingThresholdTemperature, .relativeHumidityHumidifierThreshold, .relativeHumidityDehumidifierThreshold,
        .rotationSpeed, .securitySystemTargetState, .setDuration, .volume, .mute,
    ]

    /// Returns the controls of a service that have an effect in its current mode, the most used first.
    static func all(of service: Service, in accessory: Accessory, isOwner: Bool) -> [ControlView] {
        let ineffective = service.ineffectiveTargets
        let controlled = service.controlledCharacteristics(isOwner: isOwner).filter { !ineffective.contains($0.type) }
        let ranked = controlled.enumerated().map { place, characteristic in
            (order.firstIndex(of: characteristic.type) ?? order.count + place, characteristic)
        }
        return ranked.sorted { $0.0 < $1.0 }.compactMap { _, characteristic in
            let control = service.control(for: characteristic)
            // Hue and saturation share one control.
            if control == .color, characteristic.type == .saturation { return nil }
            return ControlView(
                accessory: accessory, service: service, characteristic: characteristic, control: control)
        }
    }

    var part: String { "c-\(characteristic.id)" }

    private var name: String {
        if control == .color { return "Color" }
        return characteristic.type == .on || characteristic.type == .active
            ? accessory.shownName(of: service) : characteristic.label
    }

    private var value: CharacteristicValue? { characteristic.value }

    private func words(_ value: CharacteristicValue?) -> String {
        value.map { accessory.words(for: $0, of: characteristic) } ?? "unknown"
    }

    var values: Templates.Values {
        var values: Templates.Values = [
            "service": "\(service.id)", "part": part, "field": "\(characteristic.id)", "name": name,
            "words": words(value),
        ]
        switch control {
        case .toggle:
            let isOn = value.flatMap { $0.bool ?? $0.number.map { $0 != 0 } } == true
            values["shape"] = "toggle"
            values["toggle"] = [
                "isOn": isOn ? "true" : "false",
                "next": switchValue(!isOn), "other": switchValue(isOn),
            ]
        case .slider(let range), .colorTemperature(let range):
            let isTemperature = if case .colorTemperature = control { true } else { false }
            let (low, high) = (range.minimum ?? 0, range.maximum ?? 100)
            values["shape"] = isTemperature ? "slider warmth" : "slider"
            values["slider"] = [
                "minimum": low.formText, "maximum": high.formText, "step": range.step.formText,
                "value": min(max(value?.number ?? low, low), high).formText,
                "unit": isTemperature ? "K" : range.unit.map(\.sign) ?? "", "factor": isTemperature ? "kelvin" : "",
            ]
        case .stepper(let range):
            values["shape"] = "stepper"
            values["stepper"] = stepper(range)
        case .choice(let choices):
            let all: [Templates.Values] = choices.map {
                [
                    "value": $0.value.formText, "name": $0.name.capitalizedFirst, "field": "\(characteristic.id)",
                    "chosen": $0.value == value ? "true" : "false", "isChosen": $0.value == value,
                ]
            }
            values["shape"] = choices.count <= 4 ? "choice" : "list"
            values[choices.count <= 4 ? "choice" : "list"] = ["choices": all]
        case .color:
            let shown = service.shownColor ?? RGBColor(red: 255, green: 255, blue: 255)
            values["shape"] = "color"
            values["color"] =
                [
                    "value": shown.text,
                    "swatches": Self.swatches.map { name, color in
                        ["name": name, "value": color, "chosen": color == shown.text ? "true" : "false"]
                    },
                ] as Templates.Values
        case .text(let maximum):
            values["shape"] = "text"
            values["text"] = ["value": value?.string ?? "", "maximumLength": "\(maximum)"]
        case .button(let value):
            values["shape"] = "button"
            values["button"] = ["value": value.formText]
        case .reading: break
        }
        return values
    }

    private func switchValue(_ isOn: Bool) -> String {
        characteristic.metadata.format == .bool ? "\(isOn)" : (isOn ? "1" : "0")
    }

    private func stepper(_ range: CharacteristicControl.NumberRange) -> Templates.Values {
        // The step of a button is noticeable, even if the accessory supports smaller steps.
        let touch = max(range.step, range.unit == .celsius ? 0.5 : range.step)
        let number = value?.number ?? range.minimum ?? 0
        var stepper: Templates.Values = [
            "value": number.formText, "step": range.step.formText, "unit": range.unit.map(\.sign) ?? "",
        ]
        stepper["minimum"] = range.minimum?.formText
        stepper["maximum"] = range.maximum?.formText
        if range.minimum.map({ number > $0 }) ?? true {
            stepper["less"] = max(number - touch, range.minimum ?? -.greatestFiniteMagnitude).formText
        }
        if range.maximum.map({ number < $0 }) ?? true {
            stepper["more"] = min(number + touch, range.maximum ?? .greatestFiniteMagnitude).formText
        }
        return stepper
    }

    private static let swatches: [(String, String)] = [
        ("Warm white", "#ffd9a0"), ("White", "#ffffff"), ("Red", "#ff0000"), ("Orange", "#ff8000"),
        ("Yellow", "#ffff00"), ("Green", "#00ff00"), ("Cyan", "#00ffff"), ("Blue", "#0000ff"), ("Violet", "#8000ff"),
        ("Pink", "#ff00bf"),
    ]
}

extension CharacteristicUnit {
    /// The symbol after a number.
    var sign: String {
        switch self {
        case .celsius: "°C"
        case .percentage: "%"
        case .arcdegrees: "°"
        case .lux: "lx"
        case .seconds: "s"
        }
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
