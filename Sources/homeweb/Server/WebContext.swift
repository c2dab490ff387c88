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
    /// Whether the request came through a proxy that `--behind-proxy` names.
    var isProxied = false
    /// Whether the browser uses HTTPS; `nil` if the proxy in front doesn't say.
    var isEncrypted: Bool?
    /// The visitor; `nil` before the entrance has identified one.
    var person: Visitor?
    private let channel: any Channel

    /// The largest form, in bytes.
    var maxUploadSize: Int { 1 << 16 }

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = channel.remoteAddress?.ipAddress ?? ""
    }

    /// Whether a program of the user that runs the page made this connection, over the loopback interface.
    var isFromSameUser: Bool {
        guard !isProxied, let peer = channel.remoteAddress, let own = channel.localAddress, peer.isLoopback else {
            return false
        }
        return LoopbackPeer.user(of: peer, connectedTo: own) == geteuid()
    }
}

/// A person at the page.
struct Visitor: Sendable {
    /// The person's name; `nil` for a browser on this computer that needs no token.
    var name: String?
    var role: Person.Role
    /// The person's token; `nil` for a browser on this computer that needs none.
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
