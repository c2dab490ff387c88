import HAPModel

/// The types of an accessory's services and characteristics, with the number of each.
///
/// An accessory and its replacement have the same shape, even if their instance IDs differ. Infrastructure services
/// change with the firmware and are ignored.
struct AccessoryShape: Hashable {
    /// The type of a service and its number of characteristics of each type.
    struct Part: Hashable {
        let type: ServiceType
        let characteristics: [CharacteristicType: Int]
    }

    let parts: [Part: Int]

    init(_ accessory: Accessory) {
        self.init(accessory.services.filter { !$0.type.isInfrastructure }.map(\.part))
    }

    init(_ device: AccessoryObject) {
        self.init(device.services.filter { !$0.type.isInfrastructure }.map(\.part))
    }

    private init(_ parts: [Part]) { self.parts = Dictionary(parts.map { ($0, 1) }, uniquingKeysWith: +) }

    /// Returns a human-readable description of the difference from another shape: `it has no Lightbulb`, `it has an
    /// additional part, Outlet`.
    func difference(from other: AccessoryShape) -> String {
        let missing = other.parts.keys.filter { parts[$0, default: 0] < other.parts[$0, default: 0] }
        let extra = parts.keys.filter { other.parts[$0, default: 0] < parts[$0, default: 0] }
        let changed = missing.filter { part in extra.contains { $0.type == part.type } }.map(\.type)
        func names(_ parts: [Part]) -> [String] {
            Set(parts.map(\.type)).filter { !changed.contains($0) }.map(\.localizedDescription).sorted()
        }
        let sentences =
            names(missing).map { "it has no \($0)" } + names(extra).map { "it has an additional part, \($0)" }
            + Set(changed.map(\.localizedDescription)).sorted().map { "its \($0) has different features" }
        return sentences.prefix(3).joined(separator: ", ")
    }
}

/// Matches the accessories of a home with the accessories of a replacement device.
struct AccessoryMatcher {
    /// An accessory that already has the instance IDs of its counterpart in the device's database.
    struct Match {
        let accessory: Accessory
        let device: AccessoryObject
    }

    /// Matches the present accessories of one server, including the main accessory, with the accessories of the device.
    ///
    /// - Throws: `HomeError` with code 93 if an accessory is missing, has a different shape, or has several candidates;
    ///   66 if either side has no main accessory.
    static func matches(
        _ present: [Accessory], _ devices: [AccessoryObject]
    ) throws(HomeError) -> [Match] {
        guard let main = present.first(where: { !$0.isBridged }), let first = devices.first else {
            throw HomeError(.accessoryOutOfCompliance)
        }
        var matches = [try match(main, first)]
        var rest = present.filter(\.isBridged)
        var free = Array(devices.dropFirst())
        // The keys are in order of reliability: serial number, reported name, and accessory instance ID. The last key
        // is constant and matches accessories that no other accessory resembles.
        let keys: [((Accessory) -> String, (AccessoryObject) -> String)] = [
            ({ "\($0.manufacturer)\n\($0.model)\n\($0.serialNumber)" }, { $0.serial }),
            ({ $0.configuredName }, { $0.text(.name) ?? "" }),
            ({ "\($0.aid)" }, { "\($0.aid)" }),
            ({ _ in "" }, { _ in "" }),
        ]
        for (ofAccessory, ofDevice) in keys {
            let pairs = Self.pairs(rest, free) {
                "\(AccessoryShape($0).key)\n\(ofAccessory($0))"
            } and: {
                "\(AccessoryShape($0).key)\n\(ofDevice($0))"
            }
            for (accessory, device) in pairs {
                matches.append(try match(accessory, device))
                rest.removeAll { $0.id == accessory.id }
                free.removeAll { $0.aid == device.aid }
            }
        }
        if let missing = rest.first {
            throw HomeError(
                .incompatibleAccessory,
                detail: "can't identify \"\(missing.name)\" on the device; nothing was changed",
                accessory: missing.id)
        }
        return matches
    }

    /// Pairs elements that have the same key, if the key is unique on both sides.
    private static func pairs<Old, New>(
        _ present: [Old], _ candidates: [New], by oldKey: (Old) -> String, and newKey: (New) -> String
    ) -> [(Old, New)] {
        let byOld = Dictionary(grouping: present, by: oldKey)
        let byNew = Dictionary(grouping: candidates, by: newKey)
        return present.compactMap { old in
            guard byOld[oldKey(old)]?.count == 1, let new = byNew[oldKey(old)], new.count == 1 else { return nil }
            return (old, new[0])
        }
    }

    private static func match(_ accessory: Accessory, _ device: AccessoryObject) throws(HomeError) -> Match {
        let (old, new) = (AccessoryShape(accessory), AccessoryShape(device))
        guard old == new else {
            throw HomeError(
                .incompatibleAccessory,
                detail:
                    "the device doesn't match \"\(accessory.name)\": \(new.difference(from: old)); nothing was changed",
                accessory: accessory.id)
        }
        guard let renumbered = renumbered(accessory, as: device) else {
            throw HomeError(
                .incompatibleAccessory,
                detail:
                    "can't match the parts of the device to those of \"\(accessory.name)\": several are alike but have "
                    + "different numbers; nothing was changed", accessory: accessory.id)
        }
        return Match(accessory: renumbered, device: device)
    }

    // MARK: Services and characteristics

    /// Returns an accessory with the instance IDs of a device of the same shape; `nil` if the assignment is ambiguous.
    private static func renumbered(_ accessory: Accessory, as device: AccessoryObject) -> Accessory? {
        var result = accessory
        result.aid = device.aid
        result.services = []
        let candidates = Dictionary(grouping: device.services, by: \.part)
        for (part, present) in Dictionary(grouping: accessory.services, by: \.part) where !part.type.isInfrastructure {
            guard let pairs = pairs(present, candidates[part] ?? []) else { return nil }
            for (old, new) in pairs {
                guard let service = renumbered(old, as: new, isWhole: true) else { return nil }
                result.services.append(service)
            }
        }
        for old in accessory.services where old.type.isInfrastructure {
            let (like, new) = (
                accessory.services.filter { $0.type == old.type }, device.services.filter { $0.type == old.type }
            )
            let meant = like.count == 1 && new.count == 1 ? new.first : new.first { $0.iid == old.iid }
            guard let meant, let service = renumbered(old, as: meant, isWhole: false) else { continue }
            result.services.append(service)
        }
        return result
    }

    /// Pairs services of the same shape by their labels or, if that is ambiguous, by instance ID; returns `nil` if both
    /// are ambiguous.
    private static func pairs(
        _ present: [Service], _ candidates: [ServiceObject]
    ) -> [(Service, ServiceObject)]? {
        guard present.count == candidates.count else { return nil }
        guard present.count > 1 else { return Array(zip(present, candidates)) }
        for pairs in [
            pairs(present, candidates, by: { $0.label }, and: { $0.label }),
            pairs(present, candidates, by: { "\($0.iid)" }, and: { "\($0.iid)" }),
        ] where pairs.count == present.count {
            return pairs
        }
        return nil
    }

    private static func renumbered(_ service: Service, as new: ServiceObject, isWhole: Bool) -> Service? {
        var result = service
        result.iid = new.iid
        result.characteristics = []
        for old in service.characteristics {
            let like = service.characteristics.filter { $0.type == old.type }
            let candidates = new.characteristics.filter { $0.type == old.type }
            let meant =
                like.count == 1 && candidates.count == 1
                ? candidates.first : candidates.first { $0.iid == old.iid }
            guard let meant else {
                if isWhole { return nil }
                continue
            }
            var characteristic = old
            characteristic.iid = meant.iid
            result.characteristics.append(characteristic)
        }
        return result
    }
}

extension AccessoryShape {
    /// The shape as text, for comparisons.
    fileprivate var key: String {
        parts.map { part, count in
            let types = part.characteristics.map { "\($0.key)*\($0.value)" }.sorted().joined(separator: ",")
            return "\(count)*\(part.type):\(types)"
        }.sorted().joined(separator: ";")
    }
}

/// The characteristics that distinguish services of the same type.
private let labels: [CharacteristicType] = [.serviceLabelIndex, .identifier, .name, .configuredName]

extension Service {
    fileprivate var part: AccessoryShape.Part {
        AccessoryShape.Part(
            type: type, characteristics: Dictionary(characteristics.map { ($0.type, 1) }, uniquingKeysWith: +))
    }

    fileprivate var label: String {
        labels.map { type in characteristic(type)?.value.map { "\($0)" } ?? "" }.joined(separator: "\n")
    }
}

extension ServiceObject {
    fileprivate var part: AccessoryShape.Part {
        AccessoryShape.Part(
            type: type, characteristics: Dictionary(characteristics.map { ($0.type, 1) }, uniquingKeysWith: +))
    }

    fileprivate var label: String {
        labels.map { type in
            characteristics.first { $0.type == type }?.value.map { "\($0)" } ?? ""
        }.joined(separator: "\n")
    }
}

extension AccessoryObject {
    fileprivate var serial: String {
        [.manufacturer, .model, .serialNumber].map { text($0) ?? "" }.joined(separator: "\n")
    }
}
