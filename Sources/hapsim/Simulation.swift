import AccessoryRole
import HAPAccessory
import HAPModel
import HAPProtocol
import TerminalKit

/// The simulated accessories of a file. The actor stores and prints the values that controllers write, and executes
/// typed commands.
actor Simulation: AccessorySource {
    private var host: AccessoryHost?
    /// The durations of moves, in seconds.
    private let travel: [CharacteristicID: Double]
    private let printLine: @Sendable (String) -> Void
    /// The moves that haven't ended.
    private var moves: [CharacteristicID: Task<Void, Never>] = [:]

    init(travel: [CharacteristicID: Double], printLine: @escaping @Sendable (String) -> Void) {
        self.travel = travel
        self.printLine = printLine
    }

    /// Prints a line.
    ///
    /// Control characters in text from controllers and files are escaped.
    private func print(_ text: String) { printLine(text.sanitized) }

    /// Sets the server of the accessories.
    func use(_ host: AccessoryHost) { self.host = host }

    // MARK: Requests of controllers

    func write(_ values: [CharacteristicWrite], to accessory: AccessoryID) async -> HAPStatus {
        let places = await places()
        for value in values {
            let id = CharacteristicID(accessory, value.iid)
            guard let place = places.first(where: { $0.id == id }) else { continue }
            print("\(place.name) = \(place.characteristic.text(of: value.value)), written")
            await follow(id, place, value.value)
        }
        return .success
    }

    func identify(_ accessory: AccessoryID) async {
        let name = await host?.accessories.first { $0.aid == accessory }?.name
        print("\(name ?? "\(accessory)") identifies itself")
    }

    /// Simulates the device's behavior after a write to a target.
    private func follow(_ id: CharacteristicID, _ place: Place, _ value: CharacteristicValue) async {
        let consequences = Consequences(of: place.characteristic.type, value, in: place.service)
        moves.removeValue(forKey: id)?.cancel()
        guard let seconds = travel[id], !consequences.atEnd.isEmpty else {
            return await set(consequences.atEnd, in: place)
        }
        await set(consequences.now, in: place)
        moves[id] = Task {
            do { try await Task.sleep(for: .seconds(seconds)) } catch { return }
            await set(consequences.atEnd, in: place)
        }
    }

    private func set(_ values: [CharacteristicType: CharacteristicValue], in place: Place) async {
        let changes = place.service.characteristics.compactMap { characteristic in
            values[characteristic.type].map { (characteristic, $0) }
        }
        guard !changes.isEmpty else { return }
        for (characteristic, value) in changes {
            print("\(place.prefix)\(characteristic.name) = \(characteristic.text(of: value))")
        }
        await host?.update(place.id.aid, changes.map { ($0.0.iid, $0.1) })
    }

    // MARK: Terminal commands

    /// Executes a line and returns whether to continue.
    func obey(_ line: String) async -> Bool {
        do throws(TerminalCommand.Mistake) {
            switch try TerminalCommand(line) {
            case .nothing: break
            case .help: TerminalCommand.manual.split(separator: "\n").forEach { print(String($0)) }
            case .quit: return false
            case .show(let name): try await show(name)
            case .set(let name, let text): try await set(name, text)
            case .press(let name, let kind): try await press(name, kind)
            case .reachable(let isReachable, let name): try await setReachable(isReachable, name)
            case .unlock: try await unlock()
            }
        } catch {
            print(error.message)
        }
        return true
    }

    private func show(_ name: String?) async throws(TerminalCommand.Mistake) {
        let places = await places()
        let found = name.map { name in places.filter { $0.answers(to: name) } } ?? places
        if found.isEmpty, let name { throw unknown(name, places) }
        for place in found {
            let value = place.characteristic.value.map { place.characteristic.text(of: $0) } ?? "(not readable)"
            print("\(place.name) = \(value)")
        }
    }

    private func set(_ name: String, _ text: String) async throws(TerminalCommand.Mistake) {
        let place = try await place(name) { _ in true }
        guard let value = place.characteristic.value(reading: text) else {
            throw .init(message: "\(place.name) must be \(place.characteristic.expectation)")
        }
        await host?.update(place.id.aid, [(place.id.iid, value)])
        print("\(place.name) = \(place.characteristic.text(of: value))")
    }

    private func press(_ name: String?, _ kind: Int64) async throws(TerminalCommand.Mistake) {
        let place = try await place(name) { $0.type.isMomentary }
        guard let value = place.characteristic.value(reading: "\(kind)") else {
            throw .init(message: "\(place.name) must be \(place.characteristic.expectation)")
        }
        await host?.update(place.id.aid, [(place.id.iid, value)])
        print("\(place.name) = \(place.characteristic.text(of: value))")
    }

    private func setReachable(_ isReachable: Bool, _ name: String?) async throws(TerminalCommand.Mistake) {
        let all = await host?.accessories ?? []
        let found = name.map { name in all.filter { $0.name.squashed == name.squashed } } ?? all
        guard !found.isEmpty else { throw .init(message: "no accessory is named \(name ?? "")") }
        for accessory in found {
            await host?.setReachable(isReachable, accessory.aid)
            print("\(accessory.name) is \(isReachable ? "reachable" : "unreachable")")
        }
    }

    private func unlock() async throws(TerminalCommand.Mistake) {
        do { try await host?.unlockPairing() } catch { throw .init(message: "can't unlock pairing: \(error)") }
        print("pairing is unlocked")
    }

    // MARK: Names

    /// A characteristic with its location and name.
    private struct Place {
        let id: CharacteristicID
        let service: ServiceObject
        let characteristic: CharacteristicObject
        /// The text before the characteristic's name.
        let prefix: String

        var name: String { prefix + characteristic.name }

        /// Returns whether the typed text matches: it consists of parts of the name, in order.
        func answers(to typed: String) -> Bool {
            var rest = name.split(separator: "/").map { String($0).squashed }[...]
            for part in typed.split(separator: "/") {
                guard let index = rest.firstIndex(of: String(part).squashed) else { return false }
                rest = rest[(index + 1)...]
            }
            return true
        }
    }

    /// Returns all characteristics except those of the Accessory Information and Protocol Information services.
    private func places() async -> [Place] {
        let accessories = await host?.accessories ?? []
        let machinery: Set<ServiceType> = [.accessoryInformation, .protocolInformation]
        return accessories.flatMap { accessory in
            let services = accessory.services.filter { !machinery.contains($0.type) }
            return services.flatMap { service -> [Place] in
                var name = service.name
                let namesakes = services.filter { $0.name == name }
                if namesakes.count > 1, let index = namesakes.firstIndex(where: { $0.iid == service.iid }), index > 0 {
                    name += " \(index + 1)"
                }
                let prefix = (accessories.count > 1 ? "\(accessory.name)/" : "") + "\(name)/"
                return service.characteristics.map {
                    Place(
                        id: CharacteristicID(accessory.aid, $0.iid), service: service, characteristic: $0,
                        prefix: prefix)
                }
            }
        }
    }

    /// Returns the only characteristic that matches.
    private func place(
        _ name: String?, where isFit: (CharacteristicObject) -> Bool
    ) async throws(TerminalCommand.Mistake) -> Place {
        let places = await places().filter { isFit($0.characteristic) }
        let found = name.map { name in places.filter { $0.answers(to: name) } } ?? places
        guard let first = found.first else {
            guard let name else { throw .init(message: "there are no buttons to press") }
            throw unknown(name, places)
        }
        guard found.count == 1 else {
            throw .init(
                message:
                    "several characteristics match; use one of \(found.prefix(8).map(\.name).joined(separator: ", "))")
        }
        return first
    }

    private func unknown(_ name: String, _ places: [Place]) -> TerminalCommand.Mistake {
        let nearest = name.nearest(in: places.map(\.characteristic.name))
        return .init(
            message: "unknown name \(name)" + (nearest.map { "; did you mean \($0)?" } ?? "; type show for a list"))
    }
}
