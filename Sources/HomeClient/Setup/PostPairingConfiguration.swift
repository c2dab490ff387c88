/// The steps after an accessory was added: names, room, associated service types and favorites.
struct PostPairingConfiguration<Interaction: AccessorySetupInteraction> {
    let manager: HomeManager
    let home: Home.ID
    let suggestedRoom: Room.ID?
    /// The suggested name for the first accessory, which is the bridge if there is one.
    let suggestedName: String?
    let interaction: Interaction

    /// Asks all questions.
    ///
    /// The method ends early if a question fails, for example because the user cancels.
    ///
    /// - Returns: The failed steps, each with its accessory.
    func perform(on accessories: [Accessory]) async -> [HomeError] {
        var failures: [HomeError] = []
        do throws(HomeError) {
            guard try await interaction.asksForDetails(of: accessories) else { return await placeAll(accessories) }
        } catch {
            return failures
        }
        for id in accessories.map(\.id) {
            do throws(HomeError) {
                var refusals = [try await name(id, suggestedName: id == accessories.first?.id ? suggestedName : nil)]
                refusals.append(try await place(id))
                for service in await accessory(id)?.1.services ?? [] where service.isUserInteractive {
                    refusals += try await configure(service.id, of: id)
                }
                failures += refusals.compactMap { $0?.about(id) }
            } catch {
                return failures
            }
        }
        return failures
    }

    private func accessory(_ id: Accessory.ID) async -> (Home, Accessory)? {
        guard let home = await manager.homes.first(where: { $0.id == home }), let accessory = home.accessory(id) else {
            return nil
        }
        return (home, accessory)
    }

    // MARK: The accessory

    private func name(_ id: Accessory.ID, suggestedName: String?) async throws(HomeError) -> HomeError? {
        var refusal: HomeError?
        while let (home, accessory) = await accessory(id) {
            let suggestions = home.suggestedNames(from: accessory.configuredName, for: id)
            let name = try await interaction.name(
                for: accessory, in: home, suggestions: (suggestedName.map { [$0] } ?? []) + suggestions,
                refusal: refusal)
            guard let name, name != accessory.name else { return nil }
            refusal = await this { () throws(HomeError) in _ = try await manager.renameAccessory(id, to: name) }
            guard refusal?.isAboutName == true else { return refusal }
        }
        return nil
    }

    /// Assigns accessories to the suggested room, if any.
    private func placeAll(_ accessories: [Accessory]) async -> [HomeError] {
        guard suggestedRoom != nil else { return [] }
        var failures: [HomeError] = []
        for id in accessories.map(\.id) {
            guard let (home, accessory) = await accessory(id) else { continue }
            let room = suggestedRoom.flatMap { home.room($0) }
            if let failure = await place(accessory, in: room?.id, home) { failures.append(failure.about(id)) }
        }
        return failures
    }

    private func place(_ id: Accessory.ID) async throws(HomeError) -> HomeError? {
        guard let (home, accessory) = await accessory(id) else { return nil }
        let room = try await interaction.room(
            for: accessory, in: home, suggestion: suggestedRoom.flatMap { home.room($0) })
        return await place(accessory, in: room, home)
    }

    private func place(_ accessory: Accessory, in room: Room.ID?, _ home: Home) async -> HomeError? {
        guard let room, room != accessory.room else {
            let isLost = room == nil && suggestedRoom.map { home.room($0) == nil } == true
            return isLost ? HomeError(.notFound, detail: "the suggested room is no longer in the home") : nil
        }
        return await this { () throws(HomeError) in
            _ = try await manager.assignAccessory(accessory.id, to: room, in: home.id)
        }
    }

    // MARK: A service

    private func configure(_ id: Service.ID, of accessory: Accessory.ID) async throws(HomeError) -> [HomeError?] {
        var refusals: [HomeError?] = []
        var refusal: HomeError?
        while let (home, accessory) = await self.accessory(accessory), let service = accessory.service(id) {
            let name = try await interaction.name(
                for: service, of: accessory, suggestions: home.suggestedNames(from: service.name, for: id),
                refusal: refusal)
            guard let name, name != service.name else { break }
            refusal = await this { () throws(HomeError) in _ = try await manager.renameService(id, to: name) }
            guard refusal?.isAboutName == true else {
                refusals.append(refusal)
                break
            }
        }
        guard let (_, accessory) = await self.accessory(accessory), let service = accessory.service(id) else {
            return refusals
        }
        let choices = service.type.associableTypes.sorted {
            ($0.localizedDescription, $0.description) < ($1.localizedDescription, $1.description)
        }
        if !choices.isEmpty {
            let type = try await interaction.serviceType(for: service, of: accessory, choices: choices)
            if let type, type != service.associatedServiceType {
                refusals.append(
                    await this { () throws(HomeError) in
                        _ = try await manager.setAssociatedServiceType(type, for: id)
                    })
            }
        }
        let isFavorite = try await interaction.isFavorite(service, of: accessory)
        guard isFavorite != service.isFavorite else { return refusals }
        refusals.append(
            await this { () throws(HomeError) in _ = try await manager.setFavorite(isFavorite, for: id) })
        return refusals
    }

    /// Performs a step and returns its error.
    ///
    /// The accessory stays in the home even if the step fails.
    private func this(_ write: () async throws(HomeError) -> Void) async -> HomeError? {
        do { try await write() } catch { return error }
        return nil
    }
}

extension HomeError {
    fileprivate func about(_ accessory: Accessory.ID) -> HomeError {
        var error = self
        error.accessory = accessory
        return error
    }

    /// A Boolean value that indicates whether the name caused the error, so that a different one may succeed.
    var isAboutName: Bool {
        switch code {
        case .stringShorterThanMinimum, .stringLongerThanMaximum, .nameContainsProhibitedCharacters,
            .nameDoesNotStartWithValidCharacters, .nameDoesNotEndWithValidCharacters, .renameWithSimilarName,
            .objectWithSimilarNameExistsInHome, .objectWithSimilarNameExists:
            true
        default: false
        }
    }
}
