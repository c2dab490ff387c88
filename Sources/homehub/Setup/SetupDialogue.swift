import ArgumentParser
import HomeClient
import HomePresentation
import Synchronization
import TerminalKit

/// The interactive setup of an accessory on a terminal.
///
/// It asks the user for missing information, unless questions are disabled.
struct SetupDialogue: AccessorySetupInteraction {
    let terminal: Terminal
    let manager: HomeManager
    let code: SetupCode?
    /// The selected device, by name or identifier.
    let device: String?
    /// The name for the accessory, or for the bridge itself.
    let wantedName: String?
    /// Whether questions are disabled.
    let isSilent: Bool
    var purpose = Purpose.add

    enum Purpose: String {
        case add
        case repair = "pair with"
    }

    /// The time limit of a search if questions are disabled; otherwise, the delay before the hint that no devices were
    /// found.
    ///
    /// Tests can override it.
    @TaskLocal static var searchTimeout = Duration.seconds(10)
    /// The time after which the only device found is selected.
    ///
    /// Tests can override it.
    @TaskLocal static var aloneTimeout = Duration.seconds(2)

    // MARK: Setup code

    func setupCredentials() async throws(HomeError) -> AccessorySetupCredentials {
        if let code { return .code(code) }
        guard !isSilent else { throw Self.missing("the setup code; use --code or --payload") }
        var question = "Setup code, or the text of the QR code: "
        while true {
            let typed = try await answer(question, or: "use --code or --payload")
            if let code = SetupCode(typed: typed) { return .code(code) }
            if let payload = AccessorySetupPayload(url: typed) { return .payload(payload) }
            question = "That's not a setup code. Enter the eight digits, or the X-HM:// text from the QR code: "
        }
    }

    func setupCode(
        for accessory: DiscoveredAccessory?, attemptsLeft: Int, refusal: HomeError?
    ) async throws(HomeError) -> SetupCode {
        guard let refusal else {
            if let code { return code }
            guard !isSilent else { throw Self.missing("the setup code; use --code") }
            return try await setupCode(asking: "The QR code contains no setup code. Enter the eight digits: ")
        }
        guard !isSilent else { throw refusal }
        terminal.writeError("\(refusal.text.sentence.sanitized)\n")
        let tries = attemptsLeft == 1 ? "last try" : "\(attemptsLeft) tries left"
        do throws(HomeError) {
            return try await setupCode(asking: "Enter the eight digits (\(tries)): ")
        } catch {
            throw error.code == .missingParameter ? refusal : error
        }
    }

    private func setupCode(asking first: String) async throws(HomeError) -> SetupCode {
        var question = first
        while true {
            if let code = SetupCode(typed: try await answer(question, or: "use --code")) { return code }
            question = "That's not a setup code. Enter the eight digits: "
        }
    }

    // MARK: Device

    func chooseAccessory(from found: EventStream<BrowserEvent>) async throws(HomeError) -> DiscoveredAccessory {
        let list = FoundDevices()
        // The hub returns the reason why a device that is already in a home can't be added.
        if let id = device.flatMap({ DeviceID($0) }), await isInHome(id) { return DiscoveredAccessory(id) }
        if device == nil, !isSilent {
            // The devices are listed below when they are found.
            terminal.writeError("Looking for devices. Type the number of the device to \(purpose.rawValue).\n")
        }
        let result = await withTaskGroup(of: Result<DiscoveredAccessory, HomeError>?.self) { group in
            group.addTask {
                for await event in found {
                    let lines = list.received(event)
                    if device == nil, !isSilent {
                        for line in lines { terminal.writeError("  \(line.number)  \(line.text)\n") }
                    }
                    if let device, let accessory = try? DiscoveryList.one(device, among: list.accessories) {
                        return .success(accessory)
                    }
                }
                return Task.isCancelled ? nil : .failure(HomeError(.accessoryDiscoveryFailed))
            }
            if device == nil, !isSilent {
                group.addTask {
                    guard (try? await Task.sleep(for: Self.searchTimeout)) != nil, list.accessories.isEmpty else {
                        return nil
                    }
                    terminal.writeError(
                        "No devices yet; press Ctrl-C to stop. A device that is already paired, for example with the Home app, "
                            + "must be removed from that app first.\n")
                    return nil
                }
            }
            group.addTask {
                if device != nil || isSilent { return await choiceInTime(list) }
                do throws(HomeError) {
                    return .success(try await choice(list))
                } catch {
                    return .failure(error)
                }
            }
            defer { group.cancelAll() }
            for await case let result? in group { return result }
            return .failure(HomeError(.operationCancelled))
        }
        return try result.get()
    }

    private func isInHome(_ id: DeviceID) async -> Bool {
        await manager.homes.contains { home in home.accessories.contains { $0.deviceID == id } }
    }

    /// Selects the requested device, or the only device, without asking the user.
    private func choiceInTime(_ list: FoundDevices) async -> Result<DiscoveredAccessory, HomeError>? {
        do { try await search(list) } catch { return nil }
        let accessories = list.accessories
        do throws(HomeError) {
            if let device { return .success(try DiscoveryList.one(device, among: accessories)) }
        } catch {
            // Only devices that can be added are listed. For others, the hub returns the reason.
            return device.flatMap { DeviceID($0) }.map { .success(DiscoveredAccessory($0)) } ?? .failure(error)
        }
        guard accessories.count > 1 else {
            return accessories.first.map { .success($0) }
                ?? .failure(
                    HomeError(
                        .accessoryNotReachable,
                        detail: "no device to add was found; check that the device has power and isn't paired"))
        }
        let names = accessories.prefix(8).map(\.shownText).joined(separator: "; ")
        return .failure(Self.missing("the device; use --device with one of these: \(names)"))
    }

    /// Waits until the search ends, or one device has been the only one for some time.
    private func search(_ list: FoundDevices) async throws {
        let clock = ContinuousClock()
        let end = clock.now + Self.searchTimeout
        var only: (id: DeviceID, since: ContinuousClock.Instant)?
        while clock.now < end {
            try await Task.sleep(for: .milliseconds(50))
            let found = list.accessories
            guard device == nil, found.count == 1, let id = found.first?.id else {
                only = nil
                continue
            }
            guard let known = only, known.id == id else {
                only = (id, clock.now)
                continue
            }
            if clock.now - known.since >= Self.aloneTimeout { return }
        }
    }

    private func choice(_ list: FoundDevices) async throws(HomeError) -> DiscoveredAccessory {
        var question = ""
        while true {
            let typed = try await answer(question, or: "use --device")
            if let number = Int(typed), let accessory = list.accessory(numbered: number) { return accessory }
            do throws(HomeError) {
                if !typed.isEmpty, Int(typed) == nil {
                    return try DiscoveryList.one(typed, among: list.accessories)
                }
                question = "Number of the device to \(purpose.rawValue): "
            } catch {
                question = "\(error.text.sentence.sanitized) Number of the device to \(purpose.rawValue): "
            }
        }
    }

    func adding(_ accessory: DiscoveredAccessory?) async {
        guard !isSilent else { return }
        let name = accessory?.name.sanitized ?? "the accessory"
        terminal.writeError("Adding \(name). This may take half a minute ...\n")
    }

    func added(_ accessories: [Accessory]) async {
        guard !isSilent else { return }
        let names = accessories.map(\.name.sanitized).joined(separator: ", ")
        terminal.writeError("Added: \(names).\n")
    }

    func asksForDetails(of accessories: [Accessory]) async throws(HomeError) -> Bool {
        guard !isSilent else { return true }
        if accessories.count > 1 {
            let typed = try await answer("Keep these names, and choose rooms later? yes or no [yes]: ", or: "use --yes")
            guard Self.isNo(typed) else { return false }
        }
        terminal.writeError("Press Enter to keep a value, Ctrl-D to keep all the rest.\n")
        return true
    }

    // MARK: Names and rooms

    func name(
        for accessory: Accessory, in home: Home, suggestions: [String], refusal: HomeError?
    ) async throws(HomeError) -> String? {
        // The name from the command line is for the first accessory, and is its first suggestion.
        if let wantedName, suggestions.first == wantedName, refusal == nil { return wantedName }
        return try await name(
            "Name for the \(accessory.category.localizedDescription.lowercased())", accessory.name, suggestions,
            home.nameHints(of: accessory.id), refusal)
    }

    func name(
        for service: Service, of accessory: Accessory, suggestions: [String], refusal: HomeError?
    ) async throws(HomeError) -> String? {
        // An accessory with one part has only one name.
        guard accessory.parts.count > 1 else { return nil }
        return try await name(
            "Name for its \(service.usualName.lowercased())", service.name, suggestions,
            await manager.homes.first { $0.id == accessory.home }?.nameHints(of: service.id) ?? [], refusal)
    }

    private func name(
        _ what: String, _ present: String, _ suggestions: [String], _ hints: [NameHint], _ refusal: HomeError?
    ) async throws(HomeError) -> String? {
        if let refusal { terminal.writeError("\(refusal.text.sentence.sanitized)\n") }
        guard !isSilent else { return nil }
        // Suggestions are shown only if the current name has a problem.
        let others = hints.isEmpty ? [] : suggestions.filter { NameKey($0) != NameKey(present) }
        let better = others.isEmpty ? "" : " (suggestions: \(others.joined(separator: ", ")))"
        let typed = try await answer("\(what.sanitized) [\(present.sanitized)]\(better.sanitized): ", or: "use --yes")
        return typed.isEmpty ? nil : typed
    }

    func room(for accessory: Accessory, in home: Home, suggestion: Room?) async throws(HomeError) -> Room.ID? {
        guard !isSilent else { return suggestion?.id }
        let present = suggestion ?? home.room(accessory.room) ?? home.defaultRoom
        let rooms = home.rooms.sortedForDisplay.map(\.name.sanitized).joined(separator: ", ")
        let choice = rooms.isEmpty ? "" : " (\(rooms))"
        while true {
            let typed = try await answer(
                "Room for \(accessory.name.sanitized)\(choice) [\(home.displayName(of: present).sanitized)]: ",
                or: "use --yes")
            if typed.isEmpty { return present.id }
            do throws(HomeError) {
                return try home.room(addressed: typed).id
            } catch {
                guard error.code == .notFound else {
                    terminal.writeError("\(error.text.sentence.sanitized)\n")
                    continue
                }
            }
            let wish = try await answer(
                "There's no room called \"\(typed.shown)\" yet. Add it? yes or no [no]: ", or: "use --yes")
            guard Self.isYes(wish) else { continue }
            do throws(HomeError) {
                return try await manager.addRoom(named: typed, to: home.id).id
            } catch {
                terminal.writeError("\(error.text.sentence.sanitized)\n")
            }
        }
    }

    func serviceType(
        for service: Service, of accessory: Accessory, choices: [ServiceType]
    ) async throws(HomeError) -> ServiceType? {
        guard !isSilent, !choices.isEmpty else { return nil }
        let words = choices.map(\.localizedDescription.dashedWords).sorted().joined(separator: ", ")
        while true {
            let typed = try await answer(
                "Show \(service.name.sanitized) as \(words) [\(service.localizedDescription.dashedWords)]: ",
                or: "use --yes")
            guard !typed.isEmpty, typed.dashedWords != service.localizedDescription.dashedWords else { return nil }
            if let type = choices.first(where: { $0.localizedDescription.dashedWords == typed.dashedWords }) {
                return type
            }
        }
    }

    func isFavorite(_ service: Service, of accessory: Accessory) async throws(HomeError) -> Bool {
        guard !isSilent else { return false }
        let typed = try await answer("Make \(service.name.sanitized) a favorite? yes or no [no]: ", or: "use --yes")
        return Self.isYes(typed)
    }

    private static func isYes(_ typed: String) -> Bool { ["y", "yes"].contains(typed.lowercased()) }
    private static func isNo(_ typed: String) -> Bool { ["n", "no"].contains(typed.lowercased()) }

    // MARK: Questions

    /// Returns the user's input, with extra spaces removed.
    private func answer(_ question: String, or remedy: String) async throws(HomeError) -> String {
        guard let typed = await terminal.ask(question) else {
            guard !Task.isCancelled else { throw HomeError(.operationCancelled) }
            terminal.writeError("\n")
            throw HomeError(.missingParameter, detail: "can't ask questions here; \(remedy)")
        }
        return typed.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }

    private static func missing(_ what: String) -> HomeError {
        HomeError(.missingParameter, detail: "missing: \(what)")
    }
}

extension DiscoveredAccessory {
    /// Creates a device with the given identifier and placeholders for its other properties.
    fileprivate init(_ id: DeviceID) { self.init(id: id, name: "\(id)", category: .other, model: "") }
}

/// The devices found so far, with stable numbers.
private final class FoundDevices: Sendable {
    private struct State {
        var list = DiscoveryList()
        var numbers: [DeviceID] = []
    }

    private let state = Mutex(State())

    var accessories: [DiscoveredAccessory] { state.withLock { $0.list.accessories } }

    /// Processes an event and returns the lines to show.
    func received(_ event: BrowserEvent) -> [(number: Int, text: String)] {
        state.withLock { state in
            state.list.lines(for: event).map { line in
                let id = line.accessory.id
                if !state.numbers.contains(id) { state.numbers.append(id) }
                let number = (state.numbers.firstIndex(of: id) ?? 0) + 1
                return (number, line.accessory.shownText + (line.isFound ? "" : " disappeared"))
            }
        }
    }

    func accessory(numbered number: Int) -> DiscoveredAccessory? {
        state.withLock { state in
            guard state.numbers.indices.contains(number - 1) else { return nil }
            return state.list.accessories.first { $0.id == state.numbers[number - 1] }
        }
    }
}
