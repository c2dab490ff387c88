package import DeviceKit

/// A Govee light whose owner has enabled control over the local network (Lights 9.5).
///
/// All devices send their answers to one port of this computer. They don't answer commands, so a command is repeated
/// until the reported status shows its effect. If a device still reports a different value after all attempts, because
/// it rounds the value or is slow, the last reported status counts.
package struct GoveeDevice: SingleLightDevice {
    package static let traits = DatagramTraits(
        driverName: "govee", title: "Govee", about: "Lights with LAN control enabled in the Govee app.", port: 4003,
        searchGroup: IPv4Endpoint(address: 0xEFFF_FFFA, port: searchPort),
        answerPort: 4002, pollInterval: .seconds(10), burst: 2, perSecond: 4)

    /// The port to which searches are sent.
    ///
    /// Commands use another port.
    package static let searchPort: UInt16 = 4001

    /// The range of color temperatures that is assumed for all lights, because the protocol has no query for it.
    private static let kelvin = 2000...9000
    private static let mired = 111...500

    private let id: LightID
    private var model: String?
    private var firmware: String?
    private var status: GoveeStatus?

    package init(id: LightID) { self.id = id }

    // MARK: Messages

    package static func search(session: UInt32, localAddress: UInt32) -> [UInt8] { GoveeRequest.scan }

    package static func read(_ bytes: [UInt8], session: UInt32) -> DatagramReading<GoveeMessage>? {
        guard let message = GoveeMessage(bytes) else { return nil }
        guard case .presence(let device, _, _) = message else {
            return DatagramReading(device: nil, content: .answer(message))
        }
        return DatagramReading(device: device, content: .presence(port: traits.port, message))
    }

    package func datagrams(
        of request: GoveeRequest, number: UInt8, session: UInt32, localAddress: UInt32
    ) -> [[UInt8]] { request.datagrams }

    package static func isAnswer(_ message: GoveeMessage, to request: GoveeRequest, number: UInt8) -> Bool {
        guard case .status(let status) = message else { return false }
        return switch request {
        case .status: true
        case .change(let change): status.shows(change)
        }
    }

    package static func isReaction(_ message: GoveeMessage, to request: GoveeRequest) -> Bool {
        if case .status = message { true } else { false }
    }

    package mutating func answered(_ request: GoveeRequest, with message: GoveeMessage) throws(LightError) {
        if case .status(let status) = message { self.status = status }
    }

    package mutating func told(_ message: GoveeMessage) {
        if case .presence(_, let model, let firmware) = message {
            self.model = model
            self.firmware = firmware
        }
    }

    package mutating func returned() {}
    package var questions: [GoveeRequest] { status == nil ? [.status] : [] }
    package var polls: [GoveeRequest] { [.status] }

    // MARK: Light

    package var isForeign: Bool { false }

    package var description: LightDescription? {
        guard let status else { return nil }
        return LightDescription(
            id: id, name: "Govee \(model ?? "light") \(id.rawValue.suffix(4).uppercased())",
            capabilities: LightCapabilities(
                brightness: status.brightness != nil, color: status.color != nil,
                temperature: status.color != nil && status.kelvin != nil ? Self.mired : nil),
            manufacturer: "Govee", model: model, serialNumber: id.rawValue, firmware: firmware)
    }

    package var state: LightReport? {
        guard let status, let capabilities = description?.capabilities else { return nil }
        var report = LightReport(on: status.isOn)
        report.brightness = status.brightness.flatMap { $0 > 0 ? $0 : nil }
        if let kelvin = status.kelvin, kelvin > 0, let range = capabilities.temperature {
            report.color = LightColor(kelvin: kelvin, within: range)
        } else if let color = status.color,
            let shown = ColorConversion.hueSaturation(
                rgb: ColorConversion.RGB(red: Double(color.red), green: Double(color.green), blue: Double(color.blue)))
        {
            let hue = shown.hue.rounded()
            report.color = .hueSaturation(hue: hue < 360 ? hue : 0, saturation: shown.saturation.rounded())
        }
        return report
    }

    package func requests(for command: LightCommand) -> [GoveeRequest] {
        var change = GoveeStatus(isOn: command.on, brightness: command.brightness)
        switch command.color {
        case .hueSaturation(let hue, let saturation)?:
            if let rgb = ColorConversion.rgb(hue: hue, saturation: saturation) {
                let parts = [rgb.red, rgb.green, rgb.blue].map { Int($0.rounded()) }
                change.color = GoveeStatus.Color(red: parts[0], green: parts[1], blue: parts[2])
                change.kelvin = 0
            }
        case .temperature(let mired)?:
            change.color = GoveeStatus.Color(red: 0, green: 0, blue: 0)
            change.kelvin = ColorConversion.kelvin(mired: mired, within: Self.kelvin)
        case nil: break
        }
        return [.change(change)]
    }

    package var identification: (begin: [GoveeRequest], end: [GoveeRequest]) {
        let isOn = status?.isOn ?? false
        return ([.change(GoveeStatus(isOn: !isOn))], [.change(GoveeStatus(isOn: isOn))])
    }
}
