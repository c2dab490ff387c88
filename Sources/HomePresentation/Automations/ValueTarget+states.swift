import HAPModel
import HomeModel
import TerminalKit

extension ValueTarget {
    /// The accessory; `nil` for a room or zone.
    var accessory: Accessory? {
        switch self {
        case .accessory(let accessory), .part(_, let accessory), .value(_, _, let accessory): accessory
        case .place: nil
        }
    }

    /// The services of the target, main service first, then other parts, then services such as the battery.
    private var services: [(service: Service, accessory: Accessory)] {
        switch self {
        case .accessory(let accessory):
            (accessory.parts + accessory.services.filter { !$0.isUserInteractive && !$0.isHidden }).map {
                ($0, accessory)
            }
        case .part(let service, let accessory), .value(_, let service, let accessory): [(service, accessory)]
        case .place: []
        }
    }

    /// Returns the characteristic with the given name, preferring a current value to a target with a similar name.
    ///
    /// - Throws: `HomeError` with code 2 if nothing matches, or code 3 if several parts have the characteristic.
    func sensedPlace(_ word: String) throws(HomeError) -> ValuePlace {
        do throws(HomeError) {
            return try place(word)
        } catch {
            if let place = try? place("current \(word)") { return place }
            throw error
        }
    }

    /// The button of the target; `nil` if it has none.
    ///
    /// - Throws: `HomeError` with code 3 if it has several.
    var button: ValuePlace? {
        get throws(HomeError) {
            let buttons = services.flatMap { $0.service.places(in: $0.accessory) }
                .filter { $0.characteristic.type == .programmableSwitchEvent }
            guard buttons.count > 1 else { return buttons.first }
            throw Refusal.ambiguous(
                name,
                candidates: buttons.map { ("a button", "\($0.accessory.name)/\($0.service.name)") })
        }
    }

    /// The state of the alarm system; `nil` if the target has none.
    var alarm: ValuePlace? {
        services.flatMap { $0.service.places(in: $0.accessory) }
            .first { $0.characteristic.type == .securitySystemCurrentState }
    }

    /// Returns the test for a state in words, such as `open`, `on` or `no motion`; `nil` if there is no such state.
    func test(state typed: String) -> TypedTest? {
        let key = typed.squashed
        guard !key.isEmpty else { return nil }
        for (service, accessory) in services {
            if let test = service.positionTest(key, in: accessory) { return test }
            let places = service.statePlaces(in: accessory)
            for place in places {
                if let value = place.characteristic.states.first(where: { $0.words.contains { $0.squashed == key } })?
                    .value
                {
                    return .compare(place, .equal, value)
                }
            }
        }
        return nil
    }

    /// Up to eight states of the target, as examples for error messages.
    var stateExamples: [String] {
        var states: [String] = []
        for (service, accessory) in services where service.isUserInteractive {
            if service.type.hasPosition { states += ["open", "closed"] }
            for place in service.statePlaces(in: accessory) {
                states += place.characteristic.states.compactMap(\.words.first)
            }
            for place in service.places(in: accessory)
            where place.characteristic.isForPeople && place.characteristic.metadata.permissions.contains(.pairedRead) {
                if place.characteristic.metadata.format.isNumeric, place.characteristic.states.isEmpty {
                    states.append("\(place.characteristic.word)>NUMBER")
                }
                if place.characteristic.type == .programmableSwitchEvent {
                    states += ["single press", "double press", "long press"]
                }
            }
        }
        var seen: Set<String> = []
        return Array(states.filter { seen.insert($0).inserted }.prefix(8))
    }
}

extension ServiceType {
    fileprivate var hasPosition: Bool { [.windowCovering, .window, .door].contains(self) }
}

extension Service {
    /// Returns the readable characteristics with states in words: current states first, targets last.
    fileprivate func statePlaces(in accessory: Accessory) -> [ValuePlace] {
        let places = places(in: accessory).filter {
            $0.characteristic.metadata.permissions.contains(.pairedRead) && !$0.characteristic.type.isMomentary
        }
        let isTarget = { (place: ValuePlace) in
            place.characteristic.word.hasPrefix("target-") || place.characteristic.word.contains("-target-")
        }
        return places.filter { !isTarget($0) } + places.filter(isTarget)
    }

    /// Returns the test for an open or closed blind, window or door with a position.
    fileprivate func positionTest(_ key: String, in accessory: Accessory) -> TypedTest? {
        guard type.hasPosition,
            let position = places(in: accessory).first(where: { $0.characteristic.type == .currentPosition })
        else { return nil }
        switch key {
        case "open": return .range(position, ValueRange(minimum: 1))
        case "closed": return .compare(position, .equal, .integer(0))
        default: return nil
        }
    }
}

extension Characteristic {
    /// The value of each state, with the words that people can type for it.
    fileprivate var states: [(words: [String], value: CharacteristicValue)] {
        let numbers: [Int64] = metadata.format == .bool ? [0, 1] : type.valueNames.keys.sorted()
        return numbers.compactMap { number in
            let words = [type.words(for: number), type.valueNames[number]?.dashed].compactMap(\.self)
            guard !words.isEmpty else { return nil }
            return (words, metadata.format == .bool ? .bool(number == 1) : .integer(number))
        }
    }
}

extension Home {
    /// Returns the only service of a kind in a place or in the home, such as `hall lamp`; `nil` if there are none or
    /// several.
    func onlyPart(ofKind typed: String) -> ValueTarget? {
        let words = typed.split(separator: " ").map(String.init)
        for split in words.indices {
            guard let kinds = Self.kinds(NameKey(words[split...].joined(separator: " "))) else { continue }
            var rows = rows().filter { kinds.contains($0.kind) }
            if split > 0 {
                guard case .place(let accessories, _)? = try? valueTarget(words[..<split].joined(separator: " ")) else {
                    continue
                }
                let ids = Set(accessories.map(\.id))
                rows = rows.filter { ids.contains($0.accessory) }
            }
            guard rows.count == 1, let accessory = accessory(rows[0].accessory),
                let service = accessory.service(rows[0].id)
            else { continue }
            return .part(service, of: accessory)
        }
        return nil
    }
}
