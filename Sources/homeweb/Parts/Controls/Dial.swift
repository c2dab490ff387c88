import HAPModel
import HomeModel
import HomePresentation
import Texts

/// A dial with the current value and one or two targets.
///
/// The dial is a picture of the sliders below it. A script moves the sliders when the visitor drags on the dial.
struct Dial {
    /// The angle in degrees at which the scale starts, clockwise from the right, and its length.
    private static let (start, length) = (135.0, 270.0)

    let service: Service
    let targets: [Characteristic]
    let accessory: Accessory

    init(_ service: Service, _ targets: [Characteristic], _ accessory: Accessory) {
        (self.service, self.targets, self.accessory) = (service, targets, accessory)
    }

    /// The smallest and the largest number on the scale.
    private var scale: (low: Double, high: Double) {
        (
            targets.compactMap(\.metadata.minimum).min() ?? 0, targets.compactMap(\.metadata.maximum).max() ?? 100
        )
    }

    private func share(_ number: Double) -> Double {
        let (low, high) = scale
        return min(max((number - low) / (high - low), 0), 1)
    }

    private func angle(_ number: Double) -> Double { Self.start + Self.length * share(number) }

    private func number(_ target: Characteristic) -> Double {
        target.value?.number ?? target.metadata.minimum ?? scale.low
    }

    private func words(_ characteristic: Characteristic) -> String {
        characteristic.value.map { accessory.words(for: $0, of: characteristic) } ?? localized("unknown")
    }

    /// A Boolean value that indicates whether the device is off, so that the targets have no effect.
    private var isOff: Bool {
        switch service.type {
        case .thermostat: service.characteristic(.targetHeatingCoolingState)?.value?.number == 0
        default: service.toggle?.isOn == false
        }
    }

    var values: Templates.Values {
        let (low, high) = scale
        let numbers = targets.map(number)
        // One target: everything up to it. Two targets: the range between them.
        let from = numbers.count > 1 ? numbers.min() ?? low : low
        let to = numbers.max() ?? low
        var values: Templates.Values = [
            "low": low.formText, "high": high.formText, "off": isOff ? " off" : "",
            "arc": (Self.length * (share(to) - share(from))).formText,
            "offset": (-Self.length * share(from)).formText,
            "knobs": targets.map { ["angle": angle(number($0)).formText] as Templates.Values },
            "aim": targets.map(words).joined(separator: " – "),
            "targets": targets.map(values),
        ]
        if let reading = service.dialReading, let number = reading.value?.number {
            values["current"] = ["words": localized("Now \(words(reading))"), "angle": angle(number).formText]
        }
        return values
    }

    private func values(_ target: Characteristic) -> Templates.Values {
        guard let range = service.dialRange(of: target) else { return [:] }
        let number = number(target)
        var values: Templates.Values = [
            "field": "\(target.id)", "name": target.label, "words": words(target), "value": number.formText,
            "minimum": (range.minimum ?? 0).formText, "maximum": (range.maximum ?? 0).formText,
            "step": range.step.formText, "unit": range.unit.map(\.sign) ?? "",
        ]
        values.merge(Steps(number, range).values) { $1 }
        return values
    }
}
