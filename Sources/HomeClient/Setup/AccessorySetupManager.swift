/// Leads a person through the standard steps of adding an accessory.
public struct AccessorySetupManager: Sendable {
    private let manager: HomeManager

    /// Makes one that adds to the homes of a manager.
    public init(_ manager: HomeManager) { self.manager = manager }

    /// What the standard setup ended with.
    public enum Outcome: Sendable, Hashable {
        /// What was added, and where.
        case added(AccessorySetupResult)
        /// Its maker's app goes on.
        case handedOver(appName: String)
    }

    /// Runs the standard setup: code, device, pairing, and then for each accessory and each of its services that people
    /// use a name, a room, what it is shown as, and whether it is a favorite.
    ///
    /// - Parameters:
    ///   - request: what is known beforehand.
    ///   - interaction: the person's part.
    /// - Returns: what was added.
    /// - Throws: the first error before the accessory is in the home, and what `interaction` throws. A name or a room
    ///   that is refused afterwards is asked for again, or left as it is.
    public func perform(
        _ request: AccessorySetupRequest, interaction: some AccessorySetupInteraction
    ) async throws(HomeError) -> Outcome {
        throw HomeError(.operationNotSupported)
    }
}
