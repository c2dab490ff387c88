package import DeviceKit

/// A LIFX device (Lights 9.4).
///
/// Hue, saturation, brightness and color temperature are always set together, so their current values must be known.
/// The power is set with a separate message. If only the brightness of a device with zones changes, the zones keep
/// their colors.
package struct LIFXDevice: SingleLightDevice {
    package static let traits = DatagramTraits(
        driverName: "lifx", title: "LIFX", about: "Lights of LIFX.", port: 56700, pollInterval: .seconds(10), burst: 5,
        perSecond: 15)

    private let id: LightID
    private var product: LIFXProduct?
    private var label: String?
    /// The name of the device's group; `nil` if the device isn't in a group, or if ``isGroupKnown`` is `false`.
    private var group: String?
    private var firmware: String?
    private var isGroupKnown = false
    private var isFirmwareKnown = false
    private var color: LIFXColor?
    private var isPowered = false

    package private(set) var isForeign = false

    package init(id: LightID) { self.id = id }

    // MARK: Messages

    package static func search(session: UInt32, localAddress: UInt32) -> [UInt8] {
        LIFXMessage.bytes(type: 2, payload: [], target: nil, source: session, number: 0, answer: 1)
    }

    package static func read(_ bytes: [UInt8], session: UInt32) -> DatagramReading<LIFXMessage>? {
        guard let message = LIFXMessage(bytes), message.source == session else { return nil }
        if case .service(let port) = message.content {
            return DatagramReading(device: message.target, content: .presence(port: port, nil))
        }
        return DatagramReading(device: message.target, content: .answer(message))
    }

    package func datagrams(
        of request: LIFXRequest, number: UInt8, session: UInt32, localAddress: UInt32
    ) -> [[UInt8]] {
        [
            LIFXMessage.bytes(
                type: request.type, payload: request.payload, target: id, source: session, number: number,
                answer: request.answerType == LIFXMessage.acknowledgement ? 2 : 1)
        ]
    }

    package static func isAnswer(_ message: LIFXMessage, to request: LIFXRequest, number: UInt8) -> Bool {
        guard message.number == number else { return false }
        return message.type == request.answerType || message.content == .unhandled(type: request.type)
    }

    package mutating func answered(_ request: LIFXRequest, with message: LIFXMessage) throws(LightError) {
        if case .unhandled = message.content { return try unhandled(request) }
        switch message.content {
        case .version(let vendor, let number):
            product = vendor == 1 ? LIFXProduct.all[number] ?? .unknown : .unknown
            isForeign = product?.kind == .relays
        case .light(let color, let power, let label):
            self.color = color
            isPowered = power > 0
            self.label = label
        case .group(let label):
            group = label
            isGroupKnown = true
        case .firmware(let major, let minor):
            firmware = "\(major).\(minor)"
            isFirmwareKnown = true
        case .acknowledged: acknowledged(request)
        case .service, .unhandled: break
        }
    }

    private mutating func unhandled(_ request: LIFXRequest) throws(LightError) {
        switch request {
        case .version: product = .unknown
        case .group: isGroupKnown = true
        case .firmware: isFirmwareKnown = true
        // If the device has reported the state of a light before, it is a light despite this error.
        case .light: if color == nil { isForeign = true }
        case .setColor, .setBrightness, .setPower, .blink: throw .refused("the device doesn't support this command")
        }
    }

    private mutating func acknowledged(_ request: LIFXRequest) {
        switch request {
        case .setColor(let color, _): self.color = color
        case .setBrightness(let brightness, _): color?.brightness = brightness
        case .setPower(let isOn, _): isPowered = isOn
        case .version, .light, .group, .firmware, .blink: break
        }
    }

    package mutating func told(_ message: LIFXMessage) {}

    package mutating func returned() {
        isGroupKnown = false
        isFirmwareKnown = false
    }

    package var questions: [LIFXRequest] {
        var questions: [LIFXRequest] = []
        if product == nil { questions.append(.version) }
        if color == nil { questions.append(.light) }
        if !isGroupKnown { questions.append(.group) }
        if !isFirmwareKnown { questions.append(.firmware) }
        return questions
    }

    package var polls: [LIFXRequest] { [.light] }

    // MARK: Light

    private var kelvin: ClosedRange<Int> { (product ?? .unknown).kelvin }

    package var description: LightDescription? {
        guard let product, let label, !isForeign else { return nil }
        return LightDescription(
            id: id, name: label.isEmpty ? product.name ?? "LIFX" : label,
            capabilities: LightCapabilities(
                brightness: true, color: product.kind == .color,
                temperature: kelvin.count > 1 ? ColorConversion.mireds(kelvin: kelvin) : nil, transition: true),
            manufacturer: "LIFX", model: product.name, serialNumber: id.rawValue, firmware: firmware,
            suggestedRoom: group.flatMap { $0.isEmpty ? nil : $0 })
    }

    package var state: LightReport? {
        guard let color, let capabilities = description?.capabilities else { return nil }
        var report = LightReport(on: isPowered && color.brightness > 0)
        if color.brightness > 0 {
            report.brightness = ColorConversion.percent(deviceValue: Double(color.brightness), scale: 65535)
        }
        if capabilities.color, color.saturation > 0 || capabilities.temperature == nil {
            // Round to hundredths, so that a written value is read back unchanged.
            let hue = (Double(color.hue) * 36000 / 65536).rounded() / 100
            report.color = .hueSaturation(
                hue: hue >= 360 ? 0 : hue, saturation: (Double(color.saturation) * 10000 / 65535).rounded() / 100)
        } else if let range = capabilities.temperature {
            report.color = LightColor(kelvin: Int(color.kelvin), within: range)
        }
        return report
    }

    package func requests(for command: LightCommand) -> [LIFXRequest] {
        var requests: [LIFXRequest] = []
        let duration = min(command.transition ?? .zero, .milliseconds(UInt32.max)).components
        let milliseconds = UInt32(clamping: duration.seconds * 1000 + duration.attoseconds / 1_000_000_000_000_000)
        // A light that is off doesn't need to fade.
        let fade = isPowered ? milliseconds : 0
        let isDark = color?.brightness == 0 && command.on == true
        if let brightness = command.brightness ?? (isDark ? 100 : nil), command.color == nil, product?.hasZones == true
        {
            requests.append(.setBrightness(deviceBrightness(brightness), milliseconds: fade))
        } else if command.brightness != nil || command.color != nil || isDark {
            requests.append(.setColor(color(for: command), milliseconds: fade))
        }
        if let on = command.on {
            let power = LIFXRequest.setPower(on, milliseconds: milliseconds)
            // Switch off before other changes, and on after them.
            requests.insert(power, at: on ? requests.endIndex : 0)
        }
        return requests
    }

    private func color(for command: LightCommand) -> LIFXColor {
        var new = color ?? LIFXColor()
        if let brightness = command.brightness { new.brightness = deviceBrightness(brightness) }
        if new.brightness == 0 { new.brightness = .max }
        switch command.color {
        case .hueSaturation(let hue, let saturation)?:
            // A hue of 360 degrees wraps around to 0.
            new.hue = UInt16(truncatingIfNeeded: Int((min(max(hue, 0), 360) * 65536 / 360).rounded()))
            new.saturation = UInt16(clamping: Int((min(max(saturation, 0), 100) * 65535 / 100).rounded()))
        case .temperature(let mired)?:
            new.saturation = 0
            new.kelvin = UInt16(clamping: kelvin.clamp(ColorConversion.kelvin(mired: mired) ?? Int(new.kelvin)))
        case nil: break
        }
        return new
    }

    private func deviceBrightness(_ percent: Int) -> UInt16 {
        UInt16(clamping: ColorConversion.deviceValue(percent: percent, scale: 65535))
    }

    package var identification: (begin: [LIFXRequest], end: [LIFXRequest]) {
        guard isPowered, var color else {
            return ([.setPower(true, milliseconds: 0)], [.setPower(false, milliseconds: 0)])
        }
        color.brightness = color.brightness > .max / 2 ? 0 : .max
        return ([.blink(color)], [])
    }
}
