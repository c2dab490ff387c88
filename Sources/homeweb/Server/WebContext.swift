import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import WebAccess

/// What is known of a request beside its words.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Where it comes from, such as `127.0.0.1`.
    let peer: String
    /// Whether it comes from this very computer.
    let isLocal: Bool
    /// Who asks; `nil` until the entrance has found out.
    var person: Visitor?

    /// The largest form that is taken.
    var maxUploadSize: Int { 1 << 16 }

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        let address = source.channel.remoteAddress
        peer = address?.ipAddress ?? ""
        isLocal = address.map(\.isLoopback) ?? false
    }
}

/// Who looks at the page.
struct Visitor: Sendable {
    /// What the person is called; `nil` for whoever sits at this computer.
    var name: String?
    var role: Person.Role
    /// What the person came in with; `nil` for whoever sits at this computer.
    var token: AccessToken?

    /// Whoever sits at this computer, where that is enough.
    static let local = Visitor(name: nil, role: .owner)

    var isOwner: Bool { role == .owner }
    /// The name as the history has it.
    var shownName: String { name ?? "this computer" }
}

extension SocketAddress {
    /// Whether it is of this very computer.
    var isLoopback: Bool {
        switch self {
        case .v4, .v6:
            ipAddress.map { $0.hasPrefix("127.") || $0 == "::1" || $0.hasPrefix("::ffff:127.") } == true
        case .unixDomainSocket: true
        }
    }
}
