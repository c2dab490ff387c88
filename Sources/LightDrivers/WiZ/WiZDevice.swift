package import DeviceKit

/// A WiZ device (Lights 9.5).
///
/// A device reports changes to hosts that have registered within the last half minute, so the driver registers with
/// each poll. The name of the device's module shows its capabilities: `ESP01_SHRGB_03` has colors, `ESP21_SHTW_01` has
/// whites, and `ESP10_SOCKET_06` is an outlet.
package struct WiZDevice: SingleLightDevice {
    package static let traits = DatagramTraits(
        driverName: "wiz", title: "WiZ", about: "Lights and outlets of WiZ.", port: 38899, pushPort: 38900,
        pollInterval: .seconds(15), burst: 5, perSecond: 10)

    private enum Kind {
        case color, white, dimmable, outlet

        init(module: String?) {
            let parts = (module ?? "").split(separator: "_")
            let name = parts.count > 1 ? String(parts[1]) : ""
            self =
                if name.contains("RGB") { .color } else if name.contains("TW") {
                    .white
                } else if name.contains("SOCKET") {
                    .outlet
                } else { .dimmable }
        }
    }

    /// The range of color temperatures in kelvin that is assumed for a device that doesn't report it.
    private static let usualWhites = 2700...6500
    /// The lowest brightness in percent of devices that don't report it.
    ///
    /// Most devices reject lower values.
    private static let usualLeastDimming = 10

    private let id: LightID
    private var kind: Kind?
    private var module: String?
    private var firmware: String?
    private var whites: ClosedRange<Int>?
    private var leastDimming: Int?
    private var isModelKnown = false
    private var isUserKnown = false
    private var pilot: WiZPilot?
    package private(set) var isForeign = false

    package init(id: LightID) { self.id = id }

    // MARK: Messages

    package static func search(session: UInt32, localAddress: UInt32) -> [UInt8] {
        WiZRequest.register.bytes(session: session, localAddress: localAddress)
    }

    package static func read(_ bytes: [UInt8], session: UInt32) -> DatagramReading<WiZMessage>? {
        guard let message = WiZMessage(bytes) else { return nil }
        switch message.method {
        case "registration" where message.device != nil:
            return DatagramReading(device: message.device, content: .presence(port: nil, message))
        case "firstBeat": return DatagramReading(device: message.device, content: .presence(port: traits.port, nil))
        case "syncPilot": return DatagramReading(device: message.device, content: .push(message))
        // Not all answers contain the device's id, so the source address identifies the device.
        default: return DatagramReading(device: nil, content: .answer(message))
        }
    }

    package func datagrams(
        of request: WiZRequest, number: UInt8, session: UInt32, localAddress: UInt32
    ) -> [[UInt8]] { [request.bytes(session: session, localAddress: localAddress)] }

    package static func isAnswer(_ message: WiZMessage, to request: WiZRequest, number: UInt8) -> Bool {
        message.method == request.method
    }

    package mutating func answered(_ request: WiZRequest, with message: WiZMessage) throws(LightError) {
        switch request {
        case .register: break
        case .pilot:
            told(message)
            // The device doesn't know the request for its state, so it isn't a light.
            if pilot == nil, message.content == .unknown { isForeign = true }
        case .system:
            if case .system(let module, let firmware) = message.content {
                self.module = module
                self.firmware = firmware
            }
            kind = Kind(module: module)
        case .model: isModelKnown = true
        case .user: isUserKnown = true
        case .setPilot(let change):
            guard message.content != .refused, message.content != .unknown else {
                throw .refused("the device doesn't accept this command")
            }
            var new = pilot ?? WiZPilot()
            new.isOn = change.isOn ?? new.isOn
            new.dimming = change.dimming ?? new.dimming
            if change.kelvin != nil || change.channels != nil {
                new.kelvin = change.kelvin
                new.channels = change.channels
            }
            pilot = new
        }
        if case .limits(let whites, let leastDimming) = message.content {
            self.whites = whites ?? self.whites
            self.leastDimming = leastDimming ?? self.leastDimming
        }
    }

    package mutating func told(_ message: WiZMessage) {
        if case .pilot(let pilot) = message.content { self.pilot = pilot }
    }

    package mutating func returned() {}

    package var questions: [WiZRequest] {
        var questions: [WiZRequest] = []
        if kind == nil { questions.append(.system) }
        if pilot == nil { questions.append(.pilot) }
        if kind != nil, kind != .outlet, !isModelKnown { questions.append(.model) }
        if kind == .color || kind == .white {
            // Old firmware has no model configuration. There, the user configuration contains the range of color
            // temperatures.
            if isModelKnown, whites == nil, !isUserKnown { questions.append(.user) }
        }
        return questions
    }

    package var polls: [WiZRequest] { [.register, .pilot] }

    // MARK: Light

    private var kelvin: ClosedRange<Int> { whites ?? Self.usualWhites }

    package var description: LightDescription? {
        guard let kind, pilot != nil else { return nil }
        let hasWhites = (kind == .color || kind == .white) && kelvin.lowerBound < kelvin.upperBound
        let noun = kind == .outlet ? "outlet" : "light"
        return LightDescription(
            id: id, name: "WiZ \(noun) \(id.rawValue.suffix(4).uppercased())", kind: kind == .outlet ? .outlet : .light,
            capabilities: LightCapabilities(
                brightness: kind != .outlet, color: kind == .color,
                temperature: hasWhites ? ColorConversion.mireds(kelvin: kelvin) : nil),
            manufacturer: "WiZ", model: module, serialNumber: id.rawValue, firmware: firmware)
    }

    package var state: LightReport? {
        guard let pilot, let capabilities = description?.capabilities else { return nil }
        var report = LightReport(on: pilot.isOn)
        if capabilities.brightness { report.brightness = pilot.dimming }
        if capabilities.color, pilot.kelvin == nil, let channels = pilot.channels, channels.contains(where: { $0 > 0 })
        {
            let white = Double(channels[3] + channels[4]) / 2
            let color = ColorConversion.rgb(rgbw: channels.prefix(3).map(Double.init) + [white])
                .flatMap { ColorConversion.hueSaturation(rgb: $0) }
            if let color {
                report.color = .hueSaturation(
                    hue: color.hue.rounded() < 360 ? color.hue.rounded() : 0, saturation: color.saturation.rounded())
            }
        } else if let range = capabilities.temperature {
            report.color = LightColor(kelvin: pilot.kelvin, within: range)
        }
        return report
    }

    package func requests(for command: LightCommand) -> [WiZRequest] {
        // Always include the power, because a color alone would switch the light on.
        var change = WiZPilot(isOn: command.on ?? pilot?.isOn)
        change.dimming = command.brightness.map { max($0, leastDimming ?? Self.usualLeastDimming) }
        switch command.color {
        case .hueSaturation(let hue, let saturation)?:
            if let rgb = ColorConversion.rgb(hue: hue, saturation: saturation) {
                change.channels = [rgb.red, rgb.green, rgb.blue].map { Int($0.rounded()) } + [0, 0]
            }
        case .temperature(let mired)?: change.kelvin = ColorConversion.kelvin(mired: mired, within: kelvin)
        case nil: break
        }
        return [.setPilot(change)]
    }

    package var identification: (begin: [WiZRequest], end: [WiZRequest]) {
        let isOn = pilot?.isOn ?? false
        return ([.setPilot(WiZPilot(isOn: !isOn))], [.setPilot(WiZPilot(isOn: isOn))])
    }
}
