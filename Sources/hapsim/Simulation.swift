import AccessoryRole
import HAPAccessory
import HAPModel
import HAPProtocol
import TerminalKit

/// The simulated accessories of a file. The actor stores and prints the values that controllers write, and executes
/// typed commands.
actor Simulation: AccessorySource {
    private var host: AccessoryHost?
    /// The durations of moves in seconds, by service.
    private let travel: [CharacteristicID: Double]
    private let printLine: @Sendable (String) -> Void
    /// The motions that haven't ended, by the characteristics that change.
    private var motions: [CharacteristicID: Task<Void, Never>] = [:]

    init(travel: [CharacteristicID: Double], printLine: @escaping @Sendable (String) -> Void) {
        self.travel = travel
        self.printLine = printLine
    }

    /// Prints a line.
    ///
    /// Control characters in text from controllers and files are escaped.
    private func print(_ text: String) { printLine(text.sanitized) }

    /// Sets the server of the accessories, and starts the devices that control the climate.
    func use(_ host: AccessoryHost) async {
        self.host = host
        for place in await places()
        where [.currentTemperature, .currentRelativeHumidity].contains(place.characteristic.type) {
            guard let value = place.characteristic.value else { continue }
            await react(to: [(place, value)])
        }
    }

    // MARK: Requests of controllers

    func write(_ values: [CharacteristicWrite], to accessory: AccessoryID) async -> HAPStatus {
        let places = await places()
        var changes: [(Place, CharacteristicValue)] = []
        for value in values {
            let id = CharacteristicID(accessory, value.iid)
            guard let place = places.first(where: { $0.id == id }) else { continue }
            print("\(place.name) = \(place.characteristic.text(of: value.value)), written")
            changes.append((place, value.value))
        }
        await react(to: changes)
        return .success
    }

    func identify(_ accessory: AccessoryID) async {
        let name = await host?.accessories.first { $0.aid == accessory }?.name
        print("\(name ?? "\(accessory)") identifies itself")
    }

    // MARK: Reactions of devices

    /// Simulates the behavior of devices after changes by a controller or the operator.
    private func react(to changes: [(place: Place, value: CharacteristicValue)]) async {
        var services: [CharacteristicID: ServiceObject] = [:]
        for (place, value) in changes {
            services[place.serviceID, default: place.service].set([place.characteristic.type: value])
        }
        for (place, value) in changes {
            guard let service = services[place.serviceID] else { continue }
            let reaction = Reaction(
                to: place.characteristic.type, value,
                in: SimulatedService(service: service, travel: travel[place.serviceID]))
            services[place.serviceID]?.set(reaction.now)
            await carryOut(reaction, in: place)
            await control(place, value)
        }
    }

    private func carryOut(_ reaction: Reaction, in place: Place) async {
        for type in reaction.stops { place.id(of: type).map { motions.removeValue(forKey: $0)?.cancel() } }
        await set(reaction.now, in: place)
        for motion in reaction.motions {
            guard let id = place.id(of: motion.subject) ?? place.id(of: .active) else { continue }
            motions.removeValue(forKey: id)?.cancel()
            motions[id] = Task { await run(motion, in: place) }
        }
    }

    /// Changes the values of a motion until it ends or another motion replaces it.
    private func run(_ motion: Motion, in place: Place) async {
        let (clock, begin) = (ContinuousClock(), ContinuousClock.now)
        if let ramp = motion.ramp {
            for step in 1... {
                let elapsed = Double(step) * motion.interval
                guard elapsed < motion.seconds else { break }
                do { try await clock.sleep(until: begin + .seconds(elapsed)) } catch { return }
                let number = ramp.number(after: elapsed / motion.seconds)
                guard let characteristic = place.service.characteristics.first(where: { $0.type == motion.subject }),
                    let value = characteristic.metadata.clamped(.float(number))
                else { continue }
                await host?.update(place.id.aid, [(characteristic.iid, value)], isQuiet: motion.isCountdown)
            }
        }
        do { try await clock.sleep(until: begin + .seconds(motion.seconds)) } catch { return }
        await set(motion.atEnd, in: place)
        if place.service.type == .valve { await summarizeValves(of: place) }
    }

    /// Reports the values that differ from the current values.
    private func set(_ values: ServiceValues, in place: Place) async {
        let present = await places().filter { $0.serviceID == place.serviceID }.map(\.characteristic)
        let changes = present.compactMap { characteristic -> (CharacteristicObject, CharacteristicValue)? in
            guard let value = values[characteristic.type].flatMap(characteristic.metadata.clamped),
                value != characteristic.value
            else { return nil }
            return (characteristic, value)
        }
        guard !changes.isEmpty else { return }
        for (characteristic, value) in changes {
            print("\(place.prefix)\(characteristic.name) = \(characteristic.text(of: value))")
        }
        await host?.update(place.id.aid, changes.map { ($0.0.iid, $0.1) })
    }

    // MARK: Irrigation systems

    /// Closes all valves of an irrigation system that is turned off, and updates the system of a changed valve.
    private func control(_ place: Place, _ value: CharacteristicValue) async {
        switch place.service.type {
        case .irrigationSystem where place.characteristic.type == .active && value == .integer(0):
            for valve in await places()
            where valve.id.aid == place.id.aid && valve.service.type == .valve && valve.characteristic.type == .active {
                await set([.active: .integer(0)], in: valve)
                await react(to: [(valve, .integer(0))])
            }
        case .valve: await summarizeValves(of: place)
        default: break
        }
    }

    /// Updates the irrigation system of a valve: it's active and in use while one of its valves is open.
    private func summarizeValves(of valve: Place) async {
        let places = await places().filter { $0.id.aid == valve.id.aid }
        guard let system = places.first(where: { $0.service.type == .irrigationSystem }) else { return }
        func highest(_ type: CharacteristicType) -> Double {
            places.filter { $0.service.type == .valve && $0.characteristic.type == type }
                .compactMap { $0.characteristic.value?.number }.max() ?? 0
        }
        let remaining = highest(.remainingDuration)
        let isInUse = CharacteristicValue.integer(Int64(highest(.inUse)))
        var reaction = Reaction()
        reaction.now = [.inUse: isInUse, .remainingDuration: .integer(Int64(remaining))]
        if system.service.characteristics.first(where: { $0.type == .inUse })?.value != isInUse {
            reaction.now[.active] = isInUse
        }
        reaction.stops = [.remainingDuration]
        if remaining > 0 { reaction.countDown(from: remaining, atEnd: [:]) }
        await carryOut(reaction, in: system)
    }

    // MARK: Terminal commands

    /// Executes a typed command, and returns whether to read another command.
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
        await react(to: [(place, value)])
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
        /// The names of the accessory and the service, such as `Porch/Light/`, that precede the characteristic's name.
        let prefix: String

        var name: String { prefix + characteristic.name }

        /// The location of the service.
        var serviceID: CharacteristicID { CharacteristicID(id.aid, service.iid) }

        /// Returns the location of another characteristic of the service.
        func id(of type: CharacteristicType) -> CharacteristicID? {
            service.characteristics.first { $0.type == type }.map { CharacteristicID(id.aid, $0.iid) }
        }

        /// Returns whether a typed name refers to this characteristic.
        ///
        /// A typed name consists of some components of the full name, in order.
        func answers(to typed: String) -> Bool {
            var rest = name.split(separator: "/").map { String($0).squashed }[...]
            for part in typed.split(separator: "/") {
                guard let index = rest.firstIndex(of: String(part).squashed) else { return false }
                rest = rest[(index + 1)...]
            }
            return true
        }
    }

    /// Returns the characteristics of all services except Accessory Information and Protocol Information.
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
    ///
    /// - Throws: `Mistake` if no characteristic or several characteristics match.
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

extension ServiceObject {
    /// Sets the values of the service's characteristics.
    fileprivate mutating func set(_ values: ServiceValues) {
        for index in characteristics.indices {
            if let value = values[characteristics[index].type] { characteristics[index].value = value }
        }
    }
}
