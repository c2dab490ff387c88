import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
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
    /// The person's name, or `nil` for a browser on this computer that needs no token.
    var name: String?
    var role: Person.Role
    /// The person's token, or `nil` for a browser on this computer that needs none.
    var token: AccessToken?

    /// A browser on this computer that needs no token.
    static let local = Visitor(name: nil, role: .owner)

    var isOwner: Bool { role == .owner }
    /// The name in the history.
    var shownName: String { name ?? "this computer" }
}

extension SocketAddress {
    var isLoopback: Bool { ipAddress.map(IPAddressText.isLoopback) == true }
}
