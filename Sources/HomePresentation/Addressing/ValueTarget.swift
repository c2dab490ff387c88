package import HAPModel
package import HomeModel
import Texts

/// The target in the arguments of `read`, `write` and `watch`.
package enum ValueTarget: Equatable {
    case accessory(Accessory)
    case part(Service, of: Accessory)
    /// All accessories in a room or zone, for reading and watching.
    case place([Accessory], name: String)
    /// A single characteristic, given by its identifier.
    case value(Characteristic, Service, Accessory)

    package var name: String {
        switch self {
        case .accessory(let accessory): accessory.name
        case .part(let service, let accessory):
            NameKey(service.name) == NameKey(accessory.name) ? service.name : "\(accessory.name)/\(service.name)"
        case .place(_, let name): name
        case .value(let characteristic, _, let accessory): "\(characteristic.word) of \(accessory.name)"
        }
    }
}

extension Home {
    /// Returns the target with the given name or identifier: an accessory, `ACCESSORY/PART`, a part with a unique name,
    /// a room or a zone.
    ///
    /// The beginning of a name suffices, unless `isWhole` is `true`.
    ///
    /// - Throws: `HomeError` with code 2 if nothing matches, 3 if several parts have the name.
    package func valueTarget(_ typed: String, isWhole: Bool = false) throws(HomeError) -> ValueTarget {
        if let slash = typed.firstIndex(of: "/") {
            let accessory = try accessory(addressed: String(typed[..<slash]))
            return .part(try accessory.part(addressed: String(typed[typed.index(after: slash)...])), of: accessory)
        }
        if let target = target(id: typed) { return target }
        if let accessory = accessories.named(typed).first { return .accessory(accessory) }
        let parts = accessories.flatMap { accessory in accessory.parts.named(typed).map { (accessory, $0) } }
        if let (accessory, service) = parts.first {
            guard parts.count == 1 else {
                throw Refusal.ambiguous(
                    typed, candidates: parts.map { ("part of \($0.name)", "\($0.name)/\($1.name)") })
            }
            return .part(service, of: accessory)
        }
        if let zone = zones.named(typed).first {
            return .place(accessories.filter { zone.rooms.contains($0.room) }.sortedForDisplay, name: zone.name)
        }
        if let room = (rooms + [defaultRoom]).named(typed).first {
            return .place(accessories(in: room.id).sortedForDisplay, name: displayName(of: room))
        }
        if let target = placedTarget(typed) { return target }
        // Look up the complete name for a beginning, so that both have the same meaning.
        let names = accessories.map(\.name) + accessories.flatMap(\.parts).map(\.name) + rooms.map(\.name)
        if !isWhole {
            if let name = (names + zones.map(\.name)).only(beginningWith: typed) { return try valueTarget(name) }
            // An accessory counts as one match, even if several of its parts have names with this beginning.
            let places = (rooms + [defaultRoom]).map(\.name) + zones.map(\.name)
            let begun = accessories.filter { $0.begins(with: typed) }
            if begun.count == 1, !places.contains(where: { [$0].only(beginningWith: typed) != nil }) {
                return .accessory(begun[0])
            }
        }
        throw Refusal.notFound(
            typed, localized("accessory"), localized("in \(name)"), "accessories", among: names + zones.map(\.name))
    }

    /// Returns the accessory or part for the name of a room or zone and a name that is unique there: `hall sensor`.
    private func placedTarget(_ typed: String) -> ValueTarget? {
        let words = typed.split(separator: " ").map(String.init)
        for split in words.indices.dropFirst() {
            let accessories = accessories(inPlace: words[..<split].joined(separator: " "))
            let name = words[split...].joined(separator: " ")
            let found = accessories.named(name)
            if found.count == 1 { return .accessory(found[0]) }
            let parts = accessories.flatMap { accessory in accessory.parts.named(name).map { (accessory, $0) } }
            if found.isEmpty, parts.count == 1 { return .part(parts[0].1, of: parts[0].0) }
        }
        return nil
    }

    /// Returns the accessories in the room or zone with the given name.
    private func accessories(inPlace name: String) -> [Accessory] {
        if let zone = zones.named(name).first { return accessories.filter { zone.rooms.contains($0.room) } }
        return rooms.named(name).first.map { accessories(in: $0.id) } ?? []
    }

    private func target(id typed: String) -> ValueTarget? {
        if let id = Accessory.ID(typed), let accessory = accessory(id) { return .accessory(accessory) }
        if let id = Room.ID(typed), let room = room(id) {
            return .place(accessories(in: id).sortedForDisplay, name: displayName(of: room))
        }
        for accessory in accessories {
            if let id = Service.ID(typed), let service = accessory.service(id) { return .part(service, of: accessory) }
            for service in accessory.services {
                if let id = Characteristic.ID(typed),
                    let characteristic = service.characteristics.first(where: { $0.id == id })
                {
                    return .value(characteristic, service, accessory)
                }
            }
        }
        return nil
    }
}

extension Accessory {
    fileprivate func begins(with typed: String) -> Bool {
        ([name] + parts.map(\.name)).contains { [$0].only(beginningWith: typed) != nil }
    }
}

// MARK: Values of a target

extension ValueTarget {
    /// Returns the target's characteristics that have the given permission.
    ///
    /// An accessory's characteristics are those of its primary part, or, if `isComplete` is `true`, those of all parts,
    /// including parts that aren't meant for users.
    package func places(allowing permission: CharacteristicPermissions, isComplete: Bool = false) -> [ValuePlace] {
        let all: [ValuePlace] =
            switch self {
            case .accessory(let accessory): Self.places(of: accessory, isComplete: isComplete)
            case .part(let service, let accessory): service.places(in: accessory)
            case .place(let accessories, _): accessories.flatMap { Self.places(of: $0, isComplete: isComplete) }
            case .value(let characteristic, let service, let accessory):
                [ValuePlace(accessory: accessory, service: service, characteristic: characteristic)]
            }
        return all.filter {
            let permissions = $0.characteristic.metadata.permissions
            return permissions.contains(permission) && (isComplete || $0.characteristic.isForPeople)
        }
    }

    /// Returns the characteristic with the given name, such as `target-temperature`, or with the given identifier.
    ///
    /// The primary part takes precedence.
    ///
    /// - Throws: `HomeError` with code 2 if nothing matches, or code 3 if several parts have the characteristic or the
    ///   target isn't a single accessory.
    package func place(_ word: String) throws(HomeError) -> ValuePlace {
        switch self {
        case .value(let characteristic, let service, let accessory):
            guard characteristic.answers(to: word) else { throw notFound(word, [characteristic]) }
            return ValuePlace(accessory: accessory, service: service, characteristic: characteristic)
        case .part(let service, let accessory):
            let places = service.places(in: accessory)
            guard let place = places.first(where: { $0.characteristic.answers(to: word) }) ?? places.only(with: word)
            else { throw notFound(word, service.characteristics) }
            return place
        case .place(_, let name):
            throw HomeError(
                .invalidParameter, detail: localized("\(name) is a room or zone; name a single accessory instead"))
        case .accessory(let accessory): return try place(word, of: accessory)
        }
    }

    private func place(_ word: String, of accessory: Accessory) throws(HomeError) -> ValuePlace {
        let main = accessory.primaryService
        let places = accessory.services.flatMap { $0.places(in: accessory) }
        let found = places.filter { $0.characteristic.answers(to: word) }
        if let place = found.first(where: { $0.service.id == main?.id }) { return place }
        let forPeople = found.filter(\.service.isUserInteractive)
        let meant = forPeople.isEmpty ? found : forPeople
        guard let place = meant.first ?? places.only(with: word) else {
            throw notFound(word, accessory.parts.flatMap(\.characteristics))
        }
        guard meant.count <= 1 else {
            throw Refusal.ambiguous(
                word,
                candidates: meant.map { ("of \($0.service.name)", "\($0.accessory.name)/\($0.service.name)") })
        }
        return place
    }

    private func notFound(_ word: String, _ characteristics: [Characteristic]) -> HomeError {
        var words: [String] = []
        for characteristic in characteristics where !words.contains(characteristic.word) {
            words.append(characteristic.word)
        }
        let near = words.near(word)
        let isListed = near.isEmpty && !words.isEmpty
        return HomeError(
            .notFound,
            detail: isListed
                ? localized("\(name) has no \"\(word.shown)\"; it has \(words.prefix(8).joined(separator: ", "))")
                : localized("\(name) has no \"\(word.shown)\""),
            suggestions: near)
    }

    private static func places(of accessory: Accessory, isComplete: Bool) -> [ValuePlace] {
        if isComplete { return accessory.services.flatMap { $0.places(in: accessory) } }
        return accessory.primaryService?.places(in: accessory) ?? []
    }
}

extension [ValuePlace] {
    /// Returns the only characteristic whose name contains the typed words, such as `motion` in `motion-detected`.
    ///
    /// Returns `nil` if there are none or several.
    fileprivate func only(with typed: String) -> ValuePlace? {
        let words = typed.dashedWords
        guard !words.isEmpty else { return nil }
        let found = filter { "-\($0.characteristic.word)-".contains("-\(words)-") }
        return found.count == 1 ? found[0] : nil
    }
}

extension Service {
    /// Returns the places of the service's characteristics.
    package func places(in accessory: Accessory) -> [ValuePlace] {
        characteristics.map { ValuePlace(accessory: accessory, service: self, characteristic: $0) }
    }
}
