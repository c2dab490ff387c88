import AsyncKit
import HAPProtocol
import HomeModel

struct AppSession {
    /// The ID that the app declares.
    let app: String
    let capabilities: Set<HomeCapability>
    /// The vendor whose accessories the app answers for.
    let vendor: String?
    /// The signal that wakes the session's reader.
    let signal = AsyncSignal()

    init(_ opening: SessionOpening) {
        app = opening.app
        capabilities = opening.capabilities
        let vendor = opening.capabilities.contains(.vendor) ? opening.vendor : nil
        // No accessory can advertise an invalid vendor.
        self.vendor = vendor.flatMap { OwnershipRequirement.isVendor($0) ? $0 : nil }
    }
}
