import HAPController
package import HomeModel
import SystemKit

package import struct HAPModel.DeviceID

/// The hub's status for the daemon.
extension HomeHub {
    package var status: HubStatus {
        let accessories = graph.homes.flatMap(\.accessories)
        return HubStatus(
            homes: graph.homes.count, accessories: accessories.count,
            reachable: accessories.count(where: \.isReachable), sessions: sessions.count)
    }
}

/// The numbers of objects and sessions in a hub.
package struct HubStatus: Sendable, Equatable {
    package var homes: Int
    package var accessories: Int
    /// The number of reachable accessories.
    package var reachable: Int
    package var sessions: Int

    package init(homes: Int, accessories: Int, reachable: Int, sessions: Int) {
        self.homes = homes
        self.accessories = accessories
        self.reachable = reachable
        self.sessions = sessions
    }
}

/// An unreachable accessory, for the operator.
package struct UnreachableAccessory: Sendable, Equatable {
    package var name: String
    package var home: String
    /// The time at which it became unreachable; `nil` if it hasn't been reachable since the hub started.
    package var since: Timestamp?
    /// The problem and its remedy, if they are known.
    package var problem: String?
}

/// An accessory server of the homes, for the operator.
package struct ServerReport: Sendable, Equatable {
    package var device: DeviceID
    package var name: String
    package var home: String
    /// A Boolean value that indicates whether there is a verified session.
    package var isConnected: Bool
    /// A Boolean value that indicates whether the accessory is visible by mDNS.
    package var isFound: Bool
    package var problem: String?
    /// The names of unreachable accessories of a connected bridge.
    package var unreachable: [String]
}

/// The hub's reports for the operator.
extension HomeHub {
    package var unreachableAccessories: [UnreachableAccessory] {
        graph.homes.flatMap { home in
            home.accessories.filter { !$0.isReachable }.map { accessory in
                UnreachableAccessory(
                    name: accessory.name, home: home.name, since: unreachableSince[accessory.id],
                    problem: accessory.problem)
            }
        }
    }

    package var serverReports: [ServerReport] {
        let snapshot = browser.snapshot
        return graph.homes.flatMap { home in
            home.accessories.filter { !$0.isBridged }.map { accessory in
                let isConnected = connections[accessory.deviceID]?.isConnected ?? false
                let bridged = home.accessories.filter { $0.bridge == accessory.id && !$0.isReachable }
                return ServerReport(
                    device: accessory.deviceID, name: accessory.name, home: home.name, isConnected: isConnected,
                    isFound: snapshot[accessory.deviceID] != nil, problem: accessory.problem,
                    unreachable: isConnected ? bridged.map(\.name) : [])
            }
        }
    }

    /// The name of the system's time zone, and the time zones without rules.
    package var timeZoneReport: (system: String?, missing: [String]) {
        (automations.zones.systemName, automations.zones.missing.map { $0 ?? "the system's time zone" })
    }

    /// Returns the authorization of the app with an ID; `nil` if no such app has asked or is installed.
    package func authorization(ofApp id: String) -> AuthorizationStatus? { permissions.status(ofApp: id) }

    /// Stores values and history that are only in memory.
    package func saveAll() async {
        await unsavedValues.save()
        await history.save()
    }
}

extension Accessory {
    /// The known problem of an unreachable accessory, with its remedy.
    fileprivate var problem: String? {
        if isBlocked { return "it is blocked; unblock it with \"\(ShellCommand.homehub) unblock\"" }
        return isReachable ? nil : fault?.localizedDescription
    }
}
