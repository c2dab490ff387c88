package import LightKit
package import Logging

/// The keys of the driver `lifx`: which devices to look for.
package struct LIFXDriverConfiguration: LightDriverConfiguration {
    package static let driverName = "lifx"

    package var devices: LANDevices

    package init(devices: LANDevices) { self.devices = devices }

    package init(from decoder: any Decoder) throws {
        devices = try LANDevices(from: decoder, port: LIFXDevice.traits.port)
    }

    package func makeDriver(logger: Logger) -> any LightDriver {
        DatagramLightDriver<LIFXDevice>(looksFor: devices, logger: logger)
    }
}
