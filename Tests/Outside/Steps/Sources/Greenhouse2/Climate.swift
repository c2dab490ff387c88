import HAPAccessory

/// Reports the temperature every second.
struct Climate: AccessoryHandler {
    let probe: Probe

    func run(_ accessory: HostedAccessory) async throws {
        while true {
            let celsius = probe.celsius()
            await accessory.setReachable(celsius != nil)
            if let celsius { await accessory.update(.currentTemperature, to: .float(celsius)) }
            try await Task.sleep(for: .seconds(1))
        }
    }
}
