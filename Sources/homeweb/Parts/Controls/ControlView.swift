import HAPModel
import HomeModel
import HomePresentation
import Texts

/// A control for one value of a service, or for values that are set together.
///
/// The control is a form with a target value instead of a relative change, so sending it twice does no harm. The keys
/// of a remote are the exception.
struct ControlView {
    let accessory: Accessory
    let service: Service
    let characteristic: Characteristic
    let control: CharacteristicControl
    /// The path of the page to which the form returns.
    let back: String

    /// The most important characteristics, in the order of their controls.
    ///
    /// The controls of other characteristics follow in the accessory's order.
    private static let order: [CharacteristicType] = [
        .on, .active, .lockTargetState, .targetDoorState, .targetPosition, .holdPosition, .targetTemperature,
        .heatingThresholdTemperature, .coolingThresholdTemperature, .relativeHumidityHumidifierThreshold,
        .relativeHumidityDehumidifierThreshold, .targetHeatingCoolingState, .targetHeaterCoolerState,
        .targetHumidifierDehumidifierState, .targetAirPurifierState, .brightness, .colorTemperature, .hue,
        .activeIdentifier, .remoteKey, .targetFanState, .rotationSpeed, .rotationDirection, .swingMode,
        .securitySystemTargetState, .setDuration, .volume, .volumeSelector, .mute,
    ]

    /// Returns the controls of a service that have an effect in its current mode, the most used first.
    static func all(
        of service: Service, in accessory: Accessory, isOwner: Bool, back: String? = nil
    ) -> [ControlView] {
        let ineffective = service.ineffectiveTargets
        let controlled = service.controlledCharacteristics(isOwner: isOwner).filter { !ineffective.contains($0.type) }
        let ranked = controlled.enumerated().map { place, characteristic in
            (order.firstIndex(of: characteristic.type) ?? order.count + place, characteristic)
        }
        let dial = service.dialTargets.dropFirst().map(\.id)
        let isCover = service.characteristic(.targetPosition)?.metadata.permissions.contains(.pairedWrite) == true
        return ranked.sorted { $0.0 < $1.0 }.compactMap { _, characteristic in
            let control = accessory.control(for: characteristic, of: service)
            // Some values share one control.
            if control == .color, characteristic.type == .saturation { return nil }
            if characteristic.type == .holdPosition, isCover { return nil }
            if dial.contains(characteristic.id) { return nil }
            return ControlView(
                accessory: accessory, service: service, characteristic: characteristic, control: control,
                back: back ?? "/services/\(service.id)")
        }
    }

    var part: String { "c-\(characteristic.id)" }

    /// The values that the control sets.
    var controlled: [Characteristic] {
        if control == .color { return [characteristic, service.characteristic(.saturation)].compactMap(\.self) }
        return dial ?? [characteristic] + [hold].compactMap(\.self)
    }

    /// The targets on a dial that starts with this characteristic; `nil` if the control isn't a dial.
    var dial: [Characteristic]? {
        let targets = service.dialTargets
        return targets.first?.id == characteristic.id ? targets : nil
    }

    /// The characteristic that stops a cover's motion.
    var hold: Characteristic? {
        guard characteristic.type == .targetPosition, let hold = service.characteristic(.holdPosition),
            hold.metadata.permissions.contains(.pairedWrite)
        else { return nil }
        return hold
    }

    private var name: String {
        if control == .color { return localized("Color") }
        guard characteristic.type == .on || characteristic.type == .active else { return characteristic.label }
        return [.valve, .faucet, .irrigationSystem].contains(service.type)
            ? localized("Run", context: "valve") : accessory.shownName(of: service)
    }

    private var value: CharacteristicValue? { characteristic.value }

    func words(_ characteristic: Characteristic) -> String {
        accessory.shownWords(of: characteristic)
    }

    var html: String { Templates.render("control", values) }

    var values: Templates.Values {
        var values: Templates.Values = [
            "service": "\(service.id)", "part": part, "field": "\(characteristic.id)", "name": name,
            "words": words(characteristic), "back": back,
        ]
        values.merge(made ?? plain) { $1 }
        return values
    }

    /// The template values of a control that is made for the kind of the service; `nil` for others.
    private var made: Templates.Values? {
        if let dial { return ["shape": "climate", "dial": Dial(service, dial, accessory).values] }
        switch (characteristic.type, control) {
        case (.lockTargetState, .toggle), (.lockTargetState, .choice), (.targetDoorState, .toggle),
            (.targetDoorState, .choice):
            return latch.map { ["shape": "entrance", "latch": $0] }
        case (.targetPosition, .slider(let range)): return ["shape": "cover alone", "cover": cover(range)]
        case (.remoteKey, .choice(let choices)): return ["shape": "presses remote", "remote": remote(choices)]
        case (.volumeSelector, .choice(let choices)):
            return ["shape": "presses choice", "choice": ["choices": options(choices, isPressable: true)]]
        case (.securitySystemTargetState, .choice(let choices)):
            return ["shape": "choice large", "choice": ["choices": options(choices)]]
        case (.activeIdentifier, .choice(let choices)) where choices.count <= 8:
            return ["shape": "choice", "choice": ["choices": options(choices)]]
        case (_, .color): return wheel.map { ["shape": "wheel alone", "wheel": $0] }
        default: return nil
        }
    }

    /// The template values of a control that depends only on the format of the value.
    private var plain: Templates.Values {
        switch control {
        case .toggle:
            let isOn = value.flatMap { $0.bool ?? $0.number.map { $0 != 0 } } == true
            let toggle = ["isOn": isOn ? "true" : "false", "next": switchValue(!isOn), "other": switchValue(isOn)]
            return ["shape": "toggle", "toggle": toggle]
        case .slider(let range):
            let isMain = service.level?.id == characteristic.id
            let isOff = isMain && service.toggle?.isOn == false
            return ["shape": "slider" + (isMain ? " main" : "") + (isOff ? " off" : ""), "slider": slider(range)]
        case .colorTemperature(let range):
            var slider = slider(range)
            slider["presets"] = options(characteristic.colorTemperaturePresets)
            return ["shape": "slider warmth", "slider": slider]
        case .stepper(let range): return ["shape": "stepper", "stepper": stepper(range)]
        case .choice(let choices):
            let shape = choices.count <= 4 ? "choice" : "list"
            return ["shape": shape, shape: ["choices": options(choices)]]
        case .text(let maximum):
            return ["shape": "text", "text": ["value": value?.string ?? "", "maximumLength": "\(maximum)"]]
        case .button(let value): return ["shape": "button", "button": ["value": value.formText]]
        default: return ["shape": ""]
        }
    }

    func slider(_ range: CharacteristicControl.NumberRange) -> Templates.Values {
        let isTemperature = if case .colorTemperature = control { true } else { false }
        let (low, high) = (range.minimum ?? 0, range.maximum ?? 100)
        let number = min(max(value?.number ?? low, low), high)
        return [
            "minimum": low.formText, "maximum": high.formText, "step": range.step.formText, "value": number.formText,
            "length": (high - low).formText, "fill": (number - low).formText,
            "unit": isTemperature ? "K" : range.unit.map(\.sign) ?? "", "factor": isTemperature ? "kelvin" : "",
            "hasFill": !isTemperature,
        ]
    }

    private func options(
        _ choices: [CharacteristicControl.Choice], isPressable: Bool = false
    ) -> [Templates.Values] {
        choices.map { choice in
            var option: Templates.Values = [
                "value": choice.value.formText, "name": choice.name.capitalizedFirst, "field": "\(characteristic.id)",
                "isChosen": choice.value == value,
            ]
            // A key that is pressed has no lasting state.
            if !isPressable { option["state"] = ["chosen": choice.value == value ? "true" : "false"] }
            return option
        }
    }

    func switchValue(_ isOn: Bool) -> String {
        characteristic.metadata.format == .bool ? "\(isOn)" : (isOn ? "1" : "0")
    }

    private func stepper(_ range: CharacteristicControl.NumberRange) -> Templates.Values {
        var stepper: Templates.Values = [
            "value": (value?.number ?? range.minimum ?? 0).formText, "step": range.step.formText,
            "unit": range.unit.map(\.sign) ?? "",
        ]
        stepper["minimum"] = range.minimum?.formText
        stepper["maximum"] = range.maximum?.formText
        stepper.merge(Steps(value?.number, range).values) { $1 }
        return stepper
    }
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

extension Accessory {
    /// Returns a value in words, as a line: capitalized, unless it's a text of the manufacturer or a person.
    func shownWords(of characteristic: Characteristic) -> String {
        guard let value = characteristic.value else { return localized("unknown").capitalizedFirst }
        let words = words(for: value, of: characteristic)
        return value.string == nil ? words.capitalizedFirst : words
    }
}
