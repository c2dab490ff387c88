/// The values that an app observes.
@nonexhaustive
public enum ObservationScope: Sendable, Hashable {
    /// All values in all homes.
    case everything
    /// All values in a home.
    case home(Home.ID)
    /// The values of all accessories that are currently in a room, which may be the default room.
    case room(Room.ID)
    /// The values of all accessories that are currently in the rooms of a zone.
    case zone(Zone.ID)
    /// The values of an accessory; for a bridge, without its bridged accessories.
    case accessory(Accessory.ID)
    /// The values of a service.
    case service(Service.ID)
    /// The values of the given characteristics.
    case characteristics(Set<Characteristic.ID>)
}

extension ObservationScope {
    /// Returns the observable characteristics of the scope in these homes.
    func characteristics(in graph: HomeGraph) -> [Characteristic.ID] {
        services(in: graph).flatMap(\.characteristics).filter {
            $0.metadata.permissions.contains(.notify) && has($0.id)
        }
        .map(\.id)
    }

    private func has(_ id: Characteristic.ID) -> Bool {
        if case .characteristics(let ids) = self { ids.contains(id) } else { true }
    }

    private func services(in graph: HomeGraph) -> [Service] {
        switch self {
        case .everything: graph.homes.flatMap(\.accessories).flatMap(\.services)
        case .home(let id): (graph.home(id)?.accessories ?? []).flatMap(\.services)
        case .room(let id): (graph.home(of: id)?.accessories(in: id) ?? []).flatMap(\.services)
        case .zone(let id):
            if let home = graph.home(of: id), let rooms = home.zone(id)?.rooms {
                home.accessories.filter { rooms.contains($0.room) }.flatMap(\.services)
            } else {
                []
            }
        case .accessory(let id): graph.accessory(id)?.services ?? []
        case .service(let id): [graph.accessory(of: id)?.service(id)].compactMap(\.self)
        case .characteristics(let ids):
            ids.compactMap { graph.characteristic($0)?.service }.reduce(into: Set<Service.ID>()) { $0.insert($1) }
                .compactMap { graph.accessory(of: $0)?.service($0) }
        }
    }
}

/// An observation of values, which ends when its last reference is released; see ``HomeManager/observe(_:)``.
public final class Observation: Sendable {
    private let subscription: Subscription

    init(_ subscription: Subscription) { self.subscription = subscription }
}
