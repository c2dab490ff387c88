import Glibc
import HTTPTypes
import NIOCore
import Testing

@testable import homeweb

@Suite("A page behind a reverse proxy") struct ReverseProxyTests {
    private static let proxies = ReverseProxies(
        networks: ["10.0.0.0/8", "2001:db8:1::/48"].compactMap { IPNetwork($0) })

    private struct Request: Sendable {
        var headers: [(String, String)]
        var address: String
        var isEncrypted: Bool?

        init(_ headers: [(String, String)], _ address: String, _ isEncrypted: Bool? = nil) {
            (self.headers, self.address, self.isEncrypted) = (headers, address, isEncrypted)
        }
    }

    private static let requests = [
        Request([], "10.0.0.1"), Request([("X-Forwarded-Proto", "https")], "10.0.0.1", true),
        Request([("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-Proto", "https")], "192.0.2.1", true),
        Request([("X-Forwarded-For", "192.0.2.1:4711")], "192.0.2.1"),
        Request([("X-Forwarded-For", "[2001:db8::1]:4711")], "2001:db8::1"),
        // The client itself wrote the leftmost address.
        Request([("X-Forwarded-For", "198.51.100.9, 192.0.2.1, 10.0.0.2")], "192.0.2.1"),
        Request([("X-Forwarded-For", "198.51.100.9"), ("X-Forwarded-For", "192.0.2.1")], "192.0.2.1"),
        Request([("X-Forwarded-For", "10.0.0.9, 2001:db8:1::7")], "10.0.0.9"),
        Request([("X-Forwarded-For", "192.0.2.1, unknown")], "10.0.0.1"),
        Request([("X-Forwarded-For", "192.0.2.1, nonsense, 10.0.0.2")], "10.0.0.2"),
        Request([("X-Forwarded-For", ",,")], "10.0.0.1"),
        // The scheme is determined by the proxy to which the client connected.
        Request(
            [("X-Forwarded-For", "192.0.2.1, 10.0.0.2"), ("X-Forwarded-Proto", "https, http")], "192.0.2.1", true),
        Request([("Forwarded", "for=192.0.2.1;proto=https;by=10.0.0.1")], "192.0.2.1", true),
        Request([("Forwarded", "For=\"[2001:db8::1]:4711\"; Proto=HTTP, for=10.0.0.2")], "2001:db8::1", false),
        Request([("Forwarded", "for=_hidden")], "10.0.0.1"),
        // The client itself sends one of the headers, and its proxy sets the other header.
        Request([("Forwarded", "for=198.51.100.9"), ("X-Forwarded-For", "192.0.2.1")], "10.0.0.1"),
        Request([("Forwarded", "for=192.0.2.1"), ("X-Forwarded-For", "192.0.2.1")], "192.0.2.1"),
    ]

    @Test("takes the rightmost hop that is not a proxy as the client", arguments: requests.indices)
    func theClientIsTheRightmostHopThatIsNoProxy(index: Int) {
        let request = Self.requests[index]
        var headers = HTTPFields()
        for (name, value) in request.headers {
            HTTPField.Name(name).map { headers.append(HTTPField(name: $0, value: value)) }
        }
        #expect(
            Self.proxies.client(of: "10.0.0.1", headers)
                == ReverseProxies.Client(address: request.address, isEncrypted: request.isEncrypted))
    }

    @Test(
        "matches the addresses of a network",
        arguments: [
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "::ffff:127.0.0.1", true),
            ("127.0.0.1", "127.0.0.2", false),
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.1.2.0/23", "10.1.3.9", true),
            ("10.1.2.0/23", "10.1.4.0", false), ("0.0.0.0/0", "192.0.2.1", true), ("0.0.0.0/0", "2001:db8::1", false),
            ("2001:db8::/32", "2001:db8:9::1", true), ("::1", "::1", true), ("::1", "", false),
        ])
    func aNetworkContainsItsAddresses(network: String, address: String, isContained: Bool) throws {
        #expect(try #require(IPNetwork(network)).contains(address) == isContained)
    }

    @Test(
        "rejects invalid networks",
        arguments: ["", "/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129", "localhost", "10.0.0"])
    func rejectsInvalidNetworks(text: String) { #expect(IPNetwork(text) == nil) }

    @Test(
        "accepts a host name or the page's full address",
        arguments: [
            ("home.example", "home.example", nil), ("HOME.example", "home.example", nil),
            ("https://home.example", "home.example", "https://home.example"),
            ("https://home.example:8443/", "home.example", "https://home.example:8443"),
        ])
    func aNameMayBeAnAddress(text: String, host: String, origin: String?) throws {
        let name = try #require(PageName(text))
        #expect(name.host == host && name.origin == origin)
    }

    @Test(
        "rejects invalid names of the page",
        arguments: ["", "home.example:80", "ftp://home.example", "https://home.example/path", "https://", "a b"])
    func rejectsInvalidNames(text: String) { #expect(PageName(text) == nil) }

    private static let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:2120 00000000:0000 0A 00000000:00000000 00:00000000 00000000   112        0 4711 1 0000000000000000 100
           1: 0100007F:D431 0100007F:2120 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0000000000000000 20
           2: 0100007F:2120 0100007F:D431 01 00000000:00000000 00:00000000 00000000   112        0 4713 1 0000000000000000 20
           3: 0100007F:D432 0100007F:2120 05 00000000:00000000 00:00000000 00000000     0        0 0 1 0000000000000000 20
           4: 0100007F:D433 0100007F:2120 01 00000000:00000000 00:00000000 00000000     0        0 0 1 0000000000000000 20

        """

    /// The table contains the ports 54321 to 54323, the last two of which have closed sockets.
    @Test(
        "finds the owner of an open connection in the kernel's table",
        arguments: [(54321, uid_t?.some(1000)), (54322, nil), (54323, nil), (54324, nil)])
    func theOwnerOfAConnectionIsInTheKernelsTable(port: Int, user: uid_t?) throws {
        let peer = try #require(LoopbackPeer.entry(SocketAddress(ipAddress: "127.0.0.1", port: port), false))
        let own = try #require(LoopbackPeer.entry(SocketAddress(ipAddress: "::ffff:127.0.0.1", port: 8480), false))
        #expect(LoopbackPeer.user(ofSocket: "\(peer) \(own)", in: Array(Self.table.utf8)) == user)
    }
}
