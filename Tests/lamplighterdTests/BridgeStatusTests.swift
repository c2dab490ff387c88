import BridgeControl
import Testing

@testable import lamplighterd

@Suite("BridgeStatus")
struct BridgeStatusTests {
    private func status(
        _ state: BridgeStatus.Advertisement.State, paired: Bool = true, controllers: Int = 1, lights: Int = 2,
        reachable: Int = 2,
        error: String? = nil, warnings: [BridgeWarning] = []
    ) -> BridgeStatus {
        BridgeStatus(
            name: "Hall", deviceID: "AA:BB:CC:DD:EE:FF", since: "", port: 1, configurationNumber: 1, paired: paired,
            controllers: controllers, advertisement: .init(state: state, name: "Hall EEFF", error: error), drivers: [],
            lights: .init(count: lights, reachable: reachable), warnings: warnings)
    }

    @Test("summarizes advertisement, pairing, lights and warnings in one sentence")
    func sentence() {
        #expect(
            status(.published).sentence == "Advertised as \"Hall EEFF\"; paired, 1 controller connected; 2 devices.")
        #expect(
            status(.off, paired: false, lights: 1, reachable: 0).sentence
                == "Not advertised; not paired; 1 device, 1 unreachable.")
        #expect(
            status(
                .waiting, controllers: 2, reachable: 1, error: "no Avahi",
                warnings: [
                    BridgeWarning(.lights, "a"), BridgeWarning(.notAdvertised, "not advertised: no Avahi"),
                    BridgeWarning(.storage, "b"),
                ]
            ).sentence
                == "Not advertised: no Avahi; paired, 2 controllers connected; 2 devices, 1 unreachable; "
                + "2 warnings, see lamplighter status.")
        #expect(
            status(.registering).sentence == "Not advertised yet; paired, 1 controller connected; 2 devices.")
    }
}
