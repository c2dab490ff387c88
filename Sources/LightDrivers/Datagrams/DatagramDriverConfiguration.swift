package import DeviceKit
package import Logging

package typealias GoveeDriverConfiguration = DatagramDriverConfiguration<GoveeDevice>
package typealias KasaDriverConfiguration = DatagramDriverConfiguration<KasaDevice>
package typealias LIFXDriverConfiguration = DatagramDriverConfiguration<LIFXDevice>
package typealias WiZDriverConfiguration = DatagramDriverConfiguration<WiZDevice>

/// The configuration keys of a driver whose devices use datagrams.
///
/// They select the devices to search for.
package struct DatagramDriverConfiguration<Device: DatagramDevice>: LightDriverConfiguration {
    package static var driverName: String { Device.traits.driverName }

    package var devices: LANDevices

    package init(from decoder: any Decoder) throws {
        devices = try LANDevices(from: decoder, port: Device.traits.searchGroup?.port ?? Device.traits.port)
    }

    package func makeDriver(logger: Logger) -> any LightDriver {
        DatagramLightDriver<Device>(looksFor: devices, logger: logger)
    }
}
