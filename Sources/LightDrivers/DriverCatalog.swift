package import DeviceKit
import LightPlugins

package enum DriverCatalog {
    /// Every built-in driver's configuration; a new driver adds one line.
    package static let drivers: [any LightDriverConfiguration.Type] = [
        SimulatedDriverConfiguration.self,
        MQTTDriverConfiguration.self,
        ESPHomeDriverConfiguration.self,
        PluginDriverConfiguration.self,
        LIFXDriverConfiguration.self,
        WiZDriverConfiguration.self,
        HueDriverConfiguration.self,
        WLEDDriverConfiguration.self,
        KasaDriverConfiguration.self,
        GoveeDriverConfiguration.self,
        ShellyDriverConfiguration.self,
        YeelightDriverConfiguration.self,
    ]
}
