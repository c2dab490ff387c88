/// What an app wants to be told of.
@nonexhaustive
public enum ObservationScope: Sendable, Hashable {
    /// Everything in all homes.
    case everything
    /// Everything in a home.
    case home(Home.ID)
    /// What is in a room at the time, the default room included.
    case room(Room.ID)
    /// What is in the rooms of a zone at the time.
    case zone(Zone.ID)
    /// An accessory, without those behind it if it is a bridge.
    case accessory(Accessory.ID)
    /// One function of an accessory.
    case service(Service.ID)
    /// These values alone.
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

/// Has values reported as long as it is kept; see ``HomeManager/observe(_:)``.
public final class Observation: Sendable {
    private let subscription: Subscription

    init(_ subscription: Subscription) { self.subscription = subscription }
}
