import BoundedJSON
import HAPModel
import HomeClient
import HomeModel
import LineRPC
import Logging

/// The objects that all pages share.
struct Site: Sendable {
    let manager: HomeManager
    let freshness: Freshness
    let people: People
    let activity = ActivityFeed()
    let displays: HomeDisplays
    let listeners = ListenerLimit()
    let attempts = AttemptLimit()
    /// Limits the number of graphs drawn concurrently, so that other calls to the home hub aren't delayed.
    let graphs = Turns(2, waitingLimit: 32)
    let undos = Undos()
    let sceneTurns = SceneTurns(waitingLimit: 32)
    let bridgeSocket: SocketLocation
    /// The home hub's socket.
    let hubSocket: String?
    let logger: Logger

    /// The current snapshot of the homes, or `nil` during the shutdown.
    var snapshot: HomeSnapshot? {
        get async {
            var snapshots = manager.snapshots().makeAsyncIterator()
            return await snapshots.next()
        }
    }

    /// Returns the current state of the homes.
    ///
    /// - Throws: `CancellationError` during the shutdown.
    func moment(_ visitor: Visitor, choice: Home.ID? = nil) async throws -> Moment {
        guard let snapshot = await snapshot else { throw CancellationError() }
        return Moment(
            snapshot: snapshot, visitor: visitor, homes: visitor.visible(snapshot.homes), read: freshness.current,
            isHubConnected: await manager.isConnected,
            choice: choice)
    }
}

/// The declaration of this app for the home hub.
enum HomeApp {
    static let id = "org.lamplighter.homeweb"
    static let declaration = AppDeclaration(
        id: id, usageDescription: "To show and control the home in a browser.",
        capabilities: [.home, .setupPayload])
}
