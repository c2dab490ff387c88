/// The person's part in adding an accessory: a program shows, asks, and answers with these.
///
/// The steps come in this order. A step that throws, or whose task is cancelled, ends the setup; from ``added(_:)`` on
/// the accessory is in the home whatever happens later. Every question has an answer of its own, so that a program may
/// leave out what it does not care for.
public protocol AccessorySetupInteraction: Sendable {
    /// Which home the accessory is to be added to, if the request does not say; the primary one if the person is not asked.
    func chooseHome(from homes: [Home]) async throws(HomeError) -> Home.ID

    /// What the QR code says, or what was typed. Not asked if the request holds a payload.
    func setupCredentials() async throws(HomeError) -> AccessorySetupCredentials

    /// The setup code, for a QR code that holds none, and once more when the accessory has refused it.
    ///
    /// - Parameters:
    ///   - accessory: the device, if it was chosen.
    ///   - attemptsLeft: how many codes it will be tried with, this one included.
    ///   - refusal: why the last one was refused; `nil` if there was none.
    /// - Returns: the code.
    /// - Throws: what ends the setup.
    func setupCode(for accessory: DiscoveredAccessory?, attemptsLeft: Int, refusal: HomeError?)
        async throws(HomeError) -> SetupCode

    /// Which of the devices is meant; asked unless the QR code tells.
    ///
    /// - Parameter found: the devices, as they come and go; choosing ends the search.
    /// - Returns: the device.
    /// - Throws: `operationCancelled` if the person gives up.
    func chooseAccessory(from found: EventStream<BrowserEvent>) async throws(HomeError) -> DiscoveredAccessory

    /// The device is spoken to; it may take half a minute.
    func adding(_ accessory: DiscoveredAccessory?) async

    /// The accessory is in the home now, with those behind it.
    func added(_ accessories: [Accessory]) async

    /// The accessory's maker goes on in an app of its own; nothing else is asked.
    func handedOver(to appName: String) async

    /// What an accessory is to be called; `nil` leaves its name. Asked again, with the refusal, until it is acceptable.
    func name(for accessory: Accessory, in home: Home, suggestions: [String], refusal: HomeError?)
        async throws(HomeError) -> String?

    /// The room that an accessory is to be in; `nil` leaves it where it is.
    func room(for accessory: Accessory, in home: Home, suggestion: Room?) async throws(HomeError) -> Room.ID?

    /// What a service is to be called; `nil` leaves its name. Asked again, with the refusal, until it is acceptable.
    func name(for service: Service, of accessory: Accessory, suggestions: [String], refusal: HomeError?)
        async throws(HomeError) -> String?

    /// What an outlet, a switch or a contact sensor is shown as; `nil` leaves it what it is.
    func serviceType(for service: Service, of accessory: Accessory, choices: [ServiceType])
        async throws(HomeError) -> ServiceType?

    /// Whether a service is among the things that people use most.
    func isFavorite(_ service: Service, of accessory: Accessory) async throws(HomeError) -> Bool
}

/// What people have that shows that they may add an accessory.
@nonexhaustive
public enum AccessorySetupCredentials: Sendable, Hashable {
    /// The content of the QR code.
    case payload(AccessorySetupPayload)
    /// The eight digits.
    case code(SetupCode)
}

extension AccessorySetupInteraction {
    /// The primary home.
    public func chooseHome(from homes: [Home]) async throws(HomeError) -> Home.ID {
        guard let home = homes.first(where: \.isPrimary) else {
            throw HomeError(.notFound, detail: "there is no home yet; add one first")
        }
        return home.id
    }

    /// Shows nothing.
    public func adding(_ accessory: DiscoveredAccessory?) async {}

    /// Shows nothing.
    public func added(_ accessories: [Accessory]) async {}

    /// Shows nothing.
    public func handedOver(to appName: String) async {}

    /// The name it has.
    public func name(for accessory: Accessory, in home: Home, suggestions: [String], refusal: HomeError?)
        async throws(HomeError) -> String?
    { nil }

    /// The suggested room.
    public func room(for accessory: Accessory, in home: Home, suggestion: Room?) async throws(HomeError) -> Room.ID? {
        suggestion?.id
    }

    /// The name it has.
    public func name(for service: Service, of accessory: Accessory, suggestions: [String], refusal: HomeError?)
        async throws(HomeError) -> String?
    { nil }

    /// What it is.
    public func serviceType(for service: Service, of accessory: Accessory, choices: [ServiceType])
        async throws(HomeError) -> ServiceType?
    { nil }

    /// No.
    public func isFavorite(_ service: Service, of accessory: Accessory) async throws(HomeError) -> Bool { false }
}
