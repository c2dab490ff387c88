extension Home {
    /// Returns the possible improvements of an accessory's name; empty for an accessory that isn't in this home.
    public func nameHints(of id: Accessory.ID) -> [NameHint] {
        guard let accessory = accessory(id) else { return [] }
        let type = accessory.primaryService?.type
        let alike = accessories(in: accessory.room).count { $0.primaryService?.type == type }
        let hints = hints(for: accessory.name, context: nameContext(of: accessory), isAlone: alike <= 1)
        // Users don't address a bridge by voice, and the manufacturer's name distinguishes it from other bridges.
        return accessory.bridgedAccessories != nil && accessory.parts.isEmpty
            ? hints.filter { $0 != .containsMaker } : hints
    }

    /// Returns the possible improvements of a service's name; empty for a service that isn't meant for users.
    public func nameHints(of id: Service.ID) -> [NameHint] {
        guard let accessory = accessories.first(where: { $0.service(id) != nil }), let service = accessory.service(id),
            service.isUserInteractive
        else { return [] }
        let nearby = accessories(in: accessory.room).flatMap(\.services).filter(\.isUserInteractive)
        let context = nameContext(of: service, in: accessory)
        var hints = hints(
            for: service.name, context: context, isAlone: nearby.count { $0.type == service.type } <= 1)
        let key = NameKey(service.name)
        let others = accessories.flatMap(\.services).filter { $0.isUserInteractive && $0.id != id }
        if others.contains(where: { NameKey($0.name) == key }) { hints.append(.ambiguousForVoice) }
        return hints
    }

    /// Returns one to three valid, unused names for an accessory, derived from any text.
    public func suggestedNames(from raw: String, for id: Accessory.ID) -> [String] {
        guard let accessory = accessory(id) else { return [] }
        var context = nameContext(of: accessory)
        context.taken = namespace.taken.subtracting([NameKey(accessory.name)])
        return context.suggestions(for: raw)
    }

    /// Returns one to three valid, unused names for a service, derived from any text.
    public func suggestedNames(from raw: String, for id: Service.ID) -> [String] {
        guard let accessory = accessories.first(where: { $0.service(id) != nil }), let service = accessory.service(id)
        else { return [] }
        var context = nameContext(of: service, in: accessory)
        context.taken = accessory.namespace.taken.subtracting([NameKey(service.name)])
        return context.suggestions(for: raw)
    }

    private func hints(for name: String, context: NameContext, isAlone: Bool) -> [NameHint] {
        let detector = LocationDetector(context.locations, serviceType: context.serviceType)
        var hints = detector.hits(in: name).locations.map { NameHint.containsLocation($0) }
        if context.maker.occurs(in: name) { hints.append(.containsMaker) }
        if !isAlone, NameKey(name) == NameKey(context.noun) { hints.append(.genericOnly) }
        return hints
    }

    func nameContext(of service: Service, in accessory: Accessory) -> NameContext {
        NameContext(serviceType: service.type, maker: accessory.maker, locations: nameLocations)
    }
}

/// A possible improvement of a valid name; never an error.
@nonexhaustive
public enum NameHint: Sendable, Hashable {
    /// The name repeats a room or zone of the home.
    case containsLocation(NameLocation)
    /// The name contains the manufacturer, the model or the serial number.
    case containsMaker
    /// Another service of the home has the same name, ignoring case, spaces and apostrophes.
    case ambiguousForVoice
    /// The name is only the noun of its kind, and the room has several objects of that kind.
    case genericOnly

    /// The hint's name in messages.
    public var name: String { Mirror.caseName(of: self) }
}
