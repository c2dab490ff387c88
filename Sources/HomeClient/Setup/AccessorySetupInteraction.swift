/// The user interface of the standard setup: a program shows the steps, asks the user and returns the answers.
///
/// The steps occur in this order. A step that throws, or whose task is canceled, ends the setup. From ``added(_:)`` on,
/// the accessory stays in the home even if the setup ends early. Most questions have a default answer, so a program can
/// omit them.
public protocol AccessorySetupInteraction: Sendable {
    /// Returns the home for the accessory, if the request contains none; by default, the primary home.
    func chooseHome(from homes: [Home]) async throws(HomeError) -> Home.ID

    /// Returns the content of the QR code or the entered code.
    ///
    /// The setup doesn't call this method if the request contains a payload.
    func setupCredentials() async throws(HomeError) -> AccessorySetupCredentials

    /// Returns the setup code if the QR code lacks it, or another code after the accessory has rejected a code.
    ///
    /// - Parameters:
    ///   - accessory: The device, if it was chosen.
    ///   - attemptsLeft: The number of remaining attempts, including this one.
    ///   - refusal: The reason why the last code was rejected; `nil` for the first code.
    /// - Returns: The setup code.
    /// - Throws: An error that ends the setup.
    func setupCode(for accessory: DiscoveredAccessory?, attemptsLeft: Int, refusal: HomeError?)
        async throws(HomeError) -> SetupCode

    /// Returns the device to add, unless the QR code identifies it.
    ///
    /// - Parameter found: The devices as they appear and disappear, until this function returns.
    /// - Returns: The chosen device.
    /// - Throws: `operationCancelled` if the user cancels.
    func chooseAccessory(from found: EventStream<BrowserEvent>) async throws(HomeError) -> DiscoveredAccessory

    /// Shows that the device is being paired, which can take half a minute.
    func adding(_ accessory: DiscoveredAccessory?) async

    /// Shows that the accessory and its bridged accessories were added to the home.
    func added(_ accessories: [Accessory]) async

    /// Shows that the setup continues in the vendor's app, without further questions.
    func handedOver(to appName: String) async

    /// Returns a Boolean value that indicates whether to ask for the name, room, type and favorite setting of each added
    /// accessory.
    ///
    /// Return `false` to keep the current names and the suggested room, for example because you show all accessories at
    /// once.
    func asksForDetails(of accessories: [Accessory]) async throws(HomeError) -> Bool

    /// Returns an accessory's name; `nil` keeps the current name.
    ///
    /// After an invalid name, the setup asks again, with the reason.
    func name(for accessory: Accessory, in home: Home, suggestions: [String], refusal: HomeError?)
        async throws(HomeError) -> String?

    /// Returns an accessory's room; `nil` keeps the current room.
    func room(for accessory: Accessory, in home: Home, suggestion: Room?) async throws(HomeError) -> Room.ID?

    /// Returns a service's name; `nil` keeps the current name.
    ///
    /// After an invalid name, the setup asks again, with the reason.
    func name(for service: Service, of accessory: Accessory, suggestions: [String], refusal: HomeError?)
        async throws(HomeError) -> String?

    /// Returns the type that apps use to display an outlet, a switch or a contact sensor; `nil` keeps the current
    /// value.
    func serviceType(for service: Service, of accessory: Accessory, choices: [ServiceType])
        async throws(HomeError) -> ServiceType?

    /// Returns a Boolean value that indicates whether a service is one of the user's favorites.
    func isFavorite(_ service: Service, of accessory: Accessory) async throws(HomeError) -> Bool
}

/// The credentials that allow a user to add an accessory.
@nonexhaustive
public enum AccessorySetupCredentials: Sendable, Hashable {
    /// The content of the QR code.
    case payload(AccessorySetupPayload)
    /// The eight digits of the setup code.
    case code(SetupCode)
}

extension AccessorySetupInteraction {
    /// Returns the primary home.
    public func chooseHome(from homes: [Home]) async throws(HomeError) -> Home.ID {
        guard let home = homes.first(where: \.isPrimary) else {
            throw HomeError(.notFound, detail: "you have no homes yet; add one first")
        }
        return home.id
    }

    /// Does nothing.
    public func adding(_ accessory: DiscoveredAccessory?) async {}

    /// Does nothing.
    public func added(_ accessories: [Accessory]) async {}

    /// Does nothing.
    public func handedOver(to appName: String) async {}

    /// Returns `true`.
    public func asksForDetails(of accessories: [Accessory]) async throws(HomeError) -> Bool { true }

    /// Returns `nil`, which keeps the current name.
    public func name(for accessory: Accessory, in home: Home, suggestions: [String], refusal: HomeError?)
        async throws(HomeError) -> String?
    { nil }

    /// Returns the suggested room.
    public func room(for accessory: Accessory, in home: Home, suggestion: Room?) async throws(HomeError) -> Room.ID? {
        suggestion?.id
    }

    /// Returns `nil`, which keeps the current name.
    public func name(for service: Service, of accessory: Accessory, suggestions: [String], refusal: HomeError?)
        async throws(HomeError) -> String?
    { nil }

    /// Returns `nil`, which keeps the current type.
    public func serviceType(for service: Service, of accessory: Accessory, choices: [ServiceType])
        async throws(HomeError) -> ServiceType?
    { nil }

    /// Returns `false`.
    public func isFavorite(_ service: Service, of accessory: Accessory) async throws(HomeError) -> Bool { false }
}
