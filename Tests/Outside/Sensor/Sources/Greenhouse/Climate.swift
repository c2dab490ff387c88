import HAPAccessory

/// Reports the temperature, and switches the fan, but never in the cold.
actor Climate: AccessoryHandler {
    private let probe: Probe
    private let fan: Fan
    private var isFanOn = false

    init(probe: Probe, fan: Fan) {
        self.probe = probe
        self.fan = fan
    }

    private var isCold: Bool { probe.celsius().map { $0 < 5 } ?? true }

    func write(_ values: [CharacteristicWrite], to accessory: HostedAccessory) async throws -> [WriteResult] {
        values.map { write in
            guard case (.on, .bool(let isOn)) = (write.type, write.value) else { return .failure(.doesNotExist) }
            if isOn, isCold { return .failure(.notAllowedInCurrentState) }
            guard fan.set(isOn) else { return .failure(.unableToCommunicate) }
            isFanOn = isOn
            return .success
        }
    }

    func read(_ characteristics: [CharacteristicRead], from accessory: HostedAccessory) async throws -> [ReadResult] {
        characteristics.map { read in
            guard read.type == .currentTemperature else { return .unchanged }
            return probe.celsius().map { .value(.float($0)) } ?? .failure(.unableToCommunicate)
        }
    }

    func identify(_ accessory: HostedAccessory) async { print("this is the greenhouse") }

    func run(_ accessory: HostedAccessory) async throws {
        while true {
            if let celsius = probe.celsius() { await accessory.update(.currentTemperature, to: .float(celsius)) }
            if isFanOn, isCold, fan.set(false) {
                isFanOn = false
                await accessory.update(.on, in: "fan", to: .bool(false))
                print("the fan is off, because it is cold")
            }
            try await Task.sleep(for: .seconds(1))
        }
    }
}
