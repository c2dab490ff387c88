package import DeviceKit
import LightPlugins

package enum DriverCatalog {
    /// The configuration types of all drivers.
    ///
    /// To add a driver, add its configuration type to this list.
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
        ShellyGen1DriverConfiguration.self,
        YeelightDriverConfiguration.self,
    ]

    /// The configuration types of the drivers that people can add without editing the configuration file.
    package static var offered: [any OfferedDriver.Type] { drivers.compactMap { $0 as? any OfferedDriver.Type } }

    /// Returns the driver with a name, or `nil` if it can't be added with a form.
    package static func offer(of driver: String) -> (any OfferedDriver.Type)? {
        offered.first { $0.driverName == driver }
    }
}
