public import HAPModel
internal import HAPProtocol

/// An accessory server as mDNS advertises it: a stand-alone accessory, or a bridge.
///
/// Before pairing, none of its properties are proven.
public struct FoundAccessory: Equatable, Sendable, Identifiable {
    let discovered: AdvertisedAccessory

    /// The device id, which stays the same until the accessory is reset.
    public var id: DeviceID { discovered.id }
    /// The name on the network.
    public var name: String { discovered.name }
    /// The model, at most 64 bytes; empty if the accessory doesn't advertise one.
    public var model: String { discovered.model }
    /// The category, which determines the icon in setup dialogs.
    public var category: AccessoryCategory { discovered.category }
    /// A Boolean value that indicates whether a controller is paired with the accessory, which then rejects setup
    /// codes.
    public var isPaired: Bool { discovered.isPaired }
    /// A Boolean value that indicates whether the accessory reports that it has a problem (HAP 1.2, `sf` key).
    public var reportsProblem: Bool { discovered.status.contains(.problem) }
}
