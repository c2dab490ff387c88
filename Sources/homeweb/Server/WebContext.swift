import Glibc
import HomeModel
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Texts
import WebAccess

/// The client and the visitor of a request.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The client's address, such as `127.0.0.1`.
    var peer: String
    /// Whether the request came through a proxy of `--behind-proxy`.
    var isProxied = false
    /// Whether the browser uses HTTPS, or `nil` if the proxy doesn't report it.
    var isEncrypted: Bool?
    /// The visitor, or `nil` if no visitor has been identified.
    var person: Visitor?
    private let channel: any Channel

    /// The size of the largest form, in bytes.
    var maxUploadSize: Int { 1 << 16 }

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = channel.remoteAddress?.ipAddress ?? ""
    }

    /// Whether a program of the user who runs the page opened this connection, over the loopback interface.
    var isFromSameUser: Bool {
        guard !isProxied, let peer = channel.remoteAddress, let own = channel.localAddress, peer.isLoopback else {
            return false
        }
        return LoopbackPeer.user(of: peer, connectedTo: own) == geteuid()
    }
}

/// A visitor of the page.
struct Visitor: Sendable {
    /// The permissions of a visitor.
    struct Access: Sendable, Equatable {
        var role: Person.Role
        /// The rooms that a guest sees, or `nil` for all.
        var rooms: Set<Room.ID>?
        /// Whether the visitor may unlock, open doors and garages, and disarm alarms.
        var mayOpen = true
    }

    /// The person's name, or `nil` for a browser on this computer that needs no token.
    var name: String?
    var access: Access
    /// The person's token, or `nil` for a browser on this computer that needs no token.
    var token: AccessToken?
    /// Whether the browser is a wall tablet, which shows and controls the home without changing it.
    var isTablet = false

    /// A browser on this computer that needs no token.
    static let local = Visitor(name: nil, access: Access(role: .owner))

    var isOwner: Bool { access.role == .owner && !isTablet }
    /// Whether the visitor may change the home: names, rooms, accessories, scenes and automations.
    var isEditor: Bool { access.role != .guest && !isTablet }
    /// Whether the visitor sees the entire home.
    var seesAllRooms: Bool { access.rooms == nil }
    /// The name in messages.
    var shownName: String { name ?? localized("this computer") }

    /// Returns the homes without the parts that the visitor may not see.
    ///
    /// A guest of some rooms sees only these rooms with their accessories, and the scenes that change only these
    /// accessories.
    func visible(_ homes: [Home]) -> [Home] {
        guard let rooms = access.rooms else { return homes }
        return homes.compactMap { home in
            var home = home
            home.rooms.removeAll { !rooms.contains($0.id) }
            guard !home.rooms.isEmpty || rooms.contains(home.defaultRoomID) else { return nil }
            home.accessories.removeAll { !rooms.contains($0.room) }
            let values = Set(home.accessories.flatMap(\.services).flatMap(\.characteristics).map(\.id))
            home.actionSets.removeAll { scene in !scene.actions.allSatisfy { values.contains($0.characteristic) } }
            (home.zones, home.serviceGroups, home.triggers, home.people) = ([], [], [], [])
            home.location = nil
            return home
        }
    }
}

extension SocketAddress {
    var isLoopback: Bool { ipAddress.map(IPAddressText.isLoopback) == true }
}
