public import HAPModel
internal import HAPProtocol

/// An accessory server as mDNS shows it: a stand-alone accessory, or a bridge.
///
/// Nothing of it is proven before pairing.
public struct FoundAccessory: Equatable, Sendable, Identifiable {
    let discovered: AdvertisedAccessory

    /// Its device id, which it keeps until it is reset.
    public var id: DeviceID { discovered.id }
    /// Its name on the network.
    public var name: String { discovered.name }
    /// Its model, at most 64 bytes; empty if it says none.
    public var model: String { discovered.model }
    /// What it is to users.
    public var category: AccessoryCategory { discovered.category }
    /// Whether a controller has paired with it; then it takes no setup code.
    public var isPaired: Bool { discovered.isPaired }
    /// Whether it has found something wrong with itself (HAP 1.2, key `sf`).
    public var reportsProblem: Bool { discovered.status.contains(.problem) }
}
