package import DeviceKit

/// A TP-Link Kasa bulb, plug, dimmer, light strip or power strip that uses the older protocol (Lights 9.5).
///
/// Datagrams have the same content as messages over TCP, but no leading length. Answers to commands contain neither the
/// device's id nor a request number, so they are matched by source address and pending request.
package struct KasaDevice: DatagramDevice {
    package static let traits = DatagramTraits(
        driverName: "kasa", title: "TP-Link Kasa", about: "Bulbs, strips and plugs without a password.", port: 9999,
        pollInterval: .seconds(10), burst: 3, perSecond: 8)

    private let id: LightID
    private var system: KasaSystem?
    /// The readings of the meters, by socket.
    ///
    /// The readings of the device itself have the key `nil`.
    private var meters: [String?: [SensorReading: SensorValue]] = [:]
    /// A Boolean value that indicates whether the device has rejected a query for its meter.
    private var rejectsMeter = false
    package private(set) var isForeign = false

    package init(id: LightID) { self.id = id }

    // MARK: Messages

    package static func search(session: UInt32, localAddress: UInt32) -> [UInt8] { KasaRequest.system.bytes }

    package static var secondSearch: (bytes: [UInt8], port: UInt16)? {
        (KasaNewerDevice.search, KasaNewerDevice.port)
    }

    package static func read(_ bytes: [UInt8], session: UInt32) -> DatagramReading<KasaMessage>? {
        if let newer = KasaNewerDevice(bytes) {
            return DatagramReading(device: newer.id, content: .unusable(newer.reason))
        }
        guard let message = KasaMessage(bytes) else { return nil }
        guard case .system(let system) = message.content else {
            return DatagramReading(device: nil, content: .answer(message))
        }
        return DatagramReading(device: system.device, content: .presence(port: nil, message))
    }

    package func datagrams(
        of request: KasaRequest, number: UInt8, session: UInt32, localAddress: UInt32
    ) -> [[UInt8]] { [request.bytes] }

    package static func isAnswer(_ message: KasaMessage, to request: KasaRequest, number: UInt8) -> Bool {
        let path = request.path
        return message.module == path.module && (message.method == path.method || message.method == nil)
    }

    package mutating func answered(_ request: KasaRequest, with message: KasaMessage) throws(LightError) {
        switch message.content {
        case .system(let system): self.system = system
        case .meter(let readings):
            // Voltage and current of a bulb are always 0.
            guard case .meter(let isBulb, let child) = request else { return }
            meters[child] = isBulb ? readings.filter { $0.key == .power || $0.key == .energy } : readings
        case .foreign: isForeign = true
        case .refused, .unsupported:
            guard request != .system else {
                if message.content == .unsupported { isForeign = system == nil }
                return
            }
            if case .meter = request {
                rejectsMeter = true
                return
            }
            throw .refused("the device doesn't accept this command")
        case .done: took(request)
        }
    }

    private mutating func took(_ request: KasaRequest) {
        switch request {
        case .system, .meter: break
        case .relay(let isOn, nil): system?.isRelayOn = isOn
        case .relay(let isOn, let child?):
            if let index = system?.children.firstIndex(where: { $0.id == child }) {
                system?.children[index].isOn = isOn
            }
        case .led(let isOff): system?.isLEDOff = isOff
        case .level(let percent): system?.light.brightness = percent
        case .light(let state, _, _):
            let light = system?.light ?? KasaLightState()
            system?.light = light.merged(with: state)
        }
    }

    package mutating func told(_ message: KasaMessage) {}
    package mutating func returned() { rejectsMeter = false }
    package var questions: [KasaRequest] { system == nil ? [.system] : [] }

    /// The queries for the state and the meters.
    ///
    /// A meter's answer doesn't name its socket. A different query between the queries for two sockets prevents a late
    /// answer from being assigned to the wrong socket.
    package var polls: [KasaRequest] {
        guard let system, system.hasMeter, !rejectsMeter else { return [.system] }
        guard !system.children.isEmpty else { return [.system, .meter(isBulb: system.isBulb, child: nil)] }
        return system.children.flatMap { [.system, .meter(isBulb: false, child: $0.id)] }
    }

    // MARK: Lights

    package var lights: [LightDescription] {
        guard let system else { return [] }
        guard system.children.isEmpty else {
            return system.children.map { child in
                description(
                    of: system, id: lightID(child), name: child.name, kind: .outlet, LightCapabilities(), child.id)
            }
        }
        let isLight = system.isBulb || system.canDim
        let capabilities = LightCapabilities(
            brightness: system.canDim, color: system.hasColor, temperature: system.hasWhites ? mireds : nil,
            transition: system.isBulb && !system.isStrip)
        return [
            description(
                of: system, id: id, name: system.name,
                kind: isLight ? .light : system.isWallSwitch ? .switch : .outlet, capabilities)
        ]
    }

    private func description(
        of system: KasaSystem, id: LightID, name: String, kind: LightKind, _ capabilities: LightCapabilities,
        _ child: String? = nil
    ) -> LightDescription {
        var description = LightDescription(
            id: id, name: name, kind: kind, capabilities: capabilities, manufacturer: "TP-Link", model: system.model,
            serialNumber: self.id.rawValue, firmware: system.firmware)
        description.addMeter(meters[child, default: [:]].keys)
        return description
    }

    private func lightID(_ child: KasaSystem.Child) -> LightID { LightID("\(id)/\(child.id)") }

    private func child(_ light: LightID) -> KasaSystem.Child? { system?.children.first { lightID($0) == light } }

    /// The range of a bulb's color temperatures in kelvin, which depends on its model.
    private var kelvin: ClosedRange<Int> {
        let model = system?.model ?? ""
        func isOne(of names: String...) -> Bool { names.contains { model.hasPrefix($0) } }
        if isOne(of: "LB130", "LB230", "KB130", "KL130", "KL135", "KL400", "KL420", "KL430") { return 2500...9000 }
        if isOne(of: "KL125") { return 2500...6500 }
        if isOne(of: "LB120", "KL120(EU)") { return 2700...6500 }
        return 2700...5000
    }

    private var mireds: ClosedRange<Int> { ColorConversion.mireds(kelvin: kelvin) }

    package func state(of light: LightID) -> LightReport? {
        guard var report = ownState(of: light) else { return nil }
        if let readings = meters[child(light)?.id], let description = lights.first(where: { $0.id == light }) {
            report.setMeter(readings, of: description)
        }
        return report
    }

    /// Returns the state of a light without the readings of its meter.
    private func ownState(of light: LightID) -> LightReport? {
        guard let system else { return nil }
        if let child = child(light) { return LightReport(on: child.isOn) }
        var report = LightReport(on: system.isBulb ? system.light.isOn : system.isRelayOn)
        if system.canDim { report.brightness = system.light.brightness.flatMap { $0 > 0 ? $0 : nil } }
        if system.hasWhites, let kelvin = system.light.kelvin, kelvin > 0 {
            report.color = LightColor(kelvin: kelvin, within: mireds)
        } else if system.hasColor, let hue = system.light.hue, let saturation = system.light.saturation {
            report.color = .hueSaturation(hue: Double(hue % 360), saturation: Double(saturation))
        }
        return report
    }

    package func requests(for command: LightCommand, to light: LightID) -> [KasaRequest] {
        guard let system else { return [] }
        guard system.isBulb else {
            var requests: [KasaRequest] = []
            if system.canDim, let brightness = command.brightness { requests.append(.level(brightness)) }
            if let on = command.on {
                // Switch off before the level changes, so that the new level isn't visible.
                requests.insert(.relay(on, child: child(light)?.id), at: on ? requests.endIndex : 0)
            }
            return requests
        }
        var state = KasaLightState(isOn: command.on ?? system.light.isOn, brightness: command.brightness)
        switch command.color {
        case .hueSaturation(let hue, let saturation)?:
            state.hue = Int(min(max(hue, 0), 360).rounded()) % 360
            state.saturation = Int(min(max(saturation, 0), 100).rounded())
            state.kelvin = 0
        case .temperature(let mired)?: state.kelvin = ColorConversion.kelvin(mired: mired, within: kelvin)
        case nil: break
        }
        let fade = system.isStrip ? nil : command.transition.map { Int(min($0, .seconds(3600)) / .milliseconds(1)) }
        return [.light(state, isStrip: system.isStrip, milliseconds: fade)]
    }

    package func identification(of light: LightID) -> (begin: [KasaRequest], end: [KasaRequest]) {
        guard let system else { return ([], []) }
        if system.isBulb {
            let isOn = system.light.isOn ?? false
            func request(_ isOn: Bool) -> [KasaRequest] {
                [.light(KasaLightState(isOn: isOn), isStrip: system.isStrip, milliseconds: nil)]
            }
            return (request(!isOn), request(isOn))
        }
        // Blink the indicator light, because the connected appliance may not tolerate being switched.
        return ([.led(isOff: !system.isLEDOff)], [.led(isOff: system.isLEDOff)])
    }
}
