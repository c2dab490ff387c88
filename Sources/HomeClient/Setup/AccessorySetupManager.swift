/// Leads a person through the standard steps of adding an accessory.
public struct AccessorySetupManager: Sendable {
    private let manager: HomeManager

    /// Makes one that adds to the homes of a manager.
    public init(_ manager: HomeManager) { self.manager = manager }

    /// What the standard setup ended with.
    @nonexhaustive
    public enum Outcome: Sendable, Hashable {
        /// What was added, and where.
        case added(AccessorySetupResult)
        /// Its maker's app goes on.
        case handedOver(appName: String)
    }

    /// Runs the standard setup: code, device, pairing, and then for each accessory and each of its services that people
    /// use a name, a room, what it is shown as, and whether it is a favorite.
    ///
    /// An app about which the user has not decided can run it, too: the system app asks the user for this one addition. The app
    /// is asked for the code only; the accessory comes into the home that the request names, else into the primary one, and
    /// the result is all that the app learns. Without a QR code it must be the only one that can be added.
    ///
    /// - Parameters:
    ///   - request: what is known beforehand.
    ///   - interaction: the person's part.
    /// - Returns: what was added, and what could not be done after that. From then on nothing fails any more: a name that
    ///   is refused is asked for again, and if the person, or the connection, goes away, the accessory stays as it is.
    /// - Throws: the first error before the accessory is in the home, and what `interaction` throws until then;
    ///   `objectWithSimilarNameExistsInHome` or `nameContainsProhibitedCharacters` to
    ///   `nameDoesNotEndWithValidCharacters` for the suggested name, which is checked before the device is spoken to;
    ///   `homeAccessNotAuthorized` if a policy keeps the app out.
    public func perform(
        _ request: AccessorySetupRequest, interaction: some AccessorySetupInteraction
    ) async throws(HomeError) -> Outcome {
        let maySee = try await manager.maySeeHomes()
        var home = request.home
        if maySee {
            try await manager.waitUntilLoaded()
            if home == nil { home = try await interaction.chooseHome(from: await manager.homes) }
        }
        let addition = AdditionRequest(home: home, name: request.suggestedName)
        switch try await add(addition, request.payload, mayChoose: maySee, interaction) {
        case .handedOver(let app):
            await interaction.handedOver(to: app)
            return .handedOver(appName: app)
        case .unseen(let result): return .added(result)
        case .added(let accessories):
            guard let home = accessories.first?.home else { throw HomeError(.protocolMismatch) }
            await interaction.added(accessories)
            let configuration = PostPairingConfiguration(
                manager: manager, home: home, suggestedRoom: request.suggestedRoom,
                suggestedName: request.suggestedName, interaction: interaction)
            let failures = await configuration.perform(on: accessories.map(\.id))
            return .added(AccessorySetupResult(home: home, accessories: accessories.map(\.id), failures: failures))
        }
    }

    private func add(
        _ addition: AdditionRequest, _ payload: AccessorySetupPayload?, mayChoose: Bool,
        _ interaction: some AccessorySetupInteraction
    ) async throws(HomeError) -> HomeManager.Addition {
        var credentials: AccessorySetupCredentials
        if let payload {
            credentials = .payload(payload)
        } else {
            credentials = try await interaction.setupCredentials()
        }
        var addition = addition
        var device: DiscoveredAccessory?
        switch credentials {
        case .code(let code):
            if mayChoose { device = try await choose(interaction) }
            addition.code = code
        case .payload(let payload):
            try payload.validate()
            addition.payload = payload
            if payload.needsSetupCode {
                addition.code = try await interaction.setupCode(
                    for: nil, attemptsLeft: Self.codeAttempts, refusal: nil)
            }
        }
        var attemptsLeft = Self.codeAttempts
        while true {
            addition.device = device?.id
            await interaction.adding(device)
            do throws(HomeError) {
                return try await manager.setUp(addition)
            } catch {
                switch error.code {
                case .accessoryPairingFailed where attemptsLeft > 1 && addition.payload?.request == nil:
                    attemptsLeft -= 1
                    addition.code = try await interaction.setupCode(
                        for: device, attemptsLeft: attemptsLeft, refusal: error)
                // Not every device advertises a setup hash, but the person knows which one it is.
                case .notFound, .timedOutWaitingForAccessory:
                    guard let payload = addition.payload, payload.request == nil, mayChoose, device == nil else {
                        throw error
                    }
                    device = try await choose(interaction)
                default: throw error
                }
            }
        }
    }

    /// The maximum number of codes to try on a device.
    ///
    /// An accessory allows 100 wrong ones in its lifetime.
    static let codeAttempts = 3

    private func choose(_ interaction: some AccessorySetupInteraction) async throws(HomeError) -> DiscoveredAccessory {
        let browser = manager.makeAccessoryBrowser()
        try await browser.start()
        let choice: Result<DiscoveredAccessory, HomeError>
        do throws(HomeError) {
            choice = .success(try await interaction.chooseAccessory(from: browser.events))
        } catch {
            choice = .failure(error)
        }
        await browser.stop()
        return try choice.get()
    }
}

/// What came of adding an accessory.
@nonexhaustive
public enum AddResult: Sendable, Hashable {
    /// It is in the home, in the default room: one accessory, or a bridge and then those behind it.
    case added([Accessory])
    /// Its maker's app goes on; the accessory comes by an event, or ``HomeManagerEvent/additionFailed(_:)`` says that it does
    /// not.
    case handedOver(appName: String)
}

/// What came of removing accessories.
public struct AccessoryRemoval: Sendable, Hashable {
    /// What was removed.
    public let removed: [Accessory.ID]
    /// Those whose device could not be told yet.
    ///
    /// The daemon tells it when it is seen again; one that never is near this daemon any more must be reset before it can
    /// be added again.
    public let stale: [Accessory.ID]
}
