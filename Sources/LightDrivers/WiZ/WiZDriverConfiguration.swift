package import LightKit
package import Logging

/// The keys of the driver `wiz`: which devices to look for.
package struct WiZDriverConfiguration: LightDriverConfiguration {
    package static let driverName = "wiz"

    package var devices: LANDevices

    package init(devices: LANDevices) { self.devices = devices }

    package init(from decoder: any Decoder) throws {
        devices = try LANDevices(from: decoder, port: WiZDevice.traits.port)
    }

    package func makeDriver(logger: Logger) -> any LightDriver {
        DatagramLightDriver<WiZDevice>(looksFor: devices, logger: logger)
    }
}
