/// The standard setup, which guides a user through the steps of adding an accessory.
public struct AccessorySetupManager: Sendable {
    private let manager: HomeManager

    /// Creates a setup manager that adds accessories to the homes of a manager.
    public init(_ manager: HomeManager) { self.manager = manager }

    /// The outcome of the standard setup.
    @nonexhaustive
    public enum Outcome: Sendable, Hashable {
        /// The accessories were added.
        case added(AccessorySetupResult)
        /// The setup continues in the vendor's app.
        case handedOver(appName: String)
    }

    /// Runs the standard setup.
    ///
    /// It asks for the code and the device, pairs the device, and asks for the name and room of each accessory. For
    /// each service that is meant for users, it asks for the name, the type to show and whether it's a favorite. The
    /// interaction can skip these questions.
    ///
    /// An app about which the user hasn't decided yet can run it, too: the system app asks the user about this
    /// addition. In this case, the setup asks the app only for the code, and the app gets only the result. The
    /// accessory is added to the home of the request, or to the primary home. Without a QR code, the accessory must be
    /// the only one that can be added.
    ///
    /// After the accessory was added, the call doesn't throw. The setup asks again for a rejected name. If the user
    /// cancels or the connection is lost, the accessory keeps its current settings.
    ///
    /// - Parameters:
    ///   - request: The choices that were made before the setup.
    ///   - interaction: The user interface.
    /// - Returns: The added accessories and the failed steps after the addition, or the vendor's app that continues the
    ///   setup.
    /// - Throws: The first error before the accessory is in the home, including the errors of `interaction`;
    ///   `objectWithSimilarNameExistsInHome` or `nameContainsProhibitedCharacters` to
    ///   `nameDoesNotEndWithValidCharacters` for the suggested name, which is validated before the device is paired;
    ///   `homeAccessNotAuthorized` if the user or a policy denies access to the app.
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
            let failures = await configuration.perform(on: accessories)
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
                // Some devices don't advertise a setup hash, but the user can identify the device.
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
    /// An accessory allows 100 wrong codes in its lifetime.
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

/// The result of adding an accessory.
@nonexhaustive
public enum AddResult: Sendable, Hashable {
    /// The added accessories, in the default room: one accessory, or a bridge followed by its bridged accessories.
    case added([Accessory])
    /// The addition continues in the vendor's app.
    ///
    /// An event reports the added accessory, or ``HomeManagerEvent/additionFailed(_:)`` reports a failure.
    case handedOver(appName: String)
}

/// The result of removing accessories.
public struct AccessoryRemoval: Sendable, Hashable {
    /// The removed accessories.
    public let removed: [Accessory.ID]
    /// The removed accessories whose devices couldn't be unpaired yet.
    ///
    /// The daemon unpairs a device when it becomes visible again. Otherwise, the device must be reset before it can be
    /// added again.
    public let stale: [Accessory.ID]
}
