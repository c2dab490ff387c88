import Glibc
import Testing

@testable import lamplighterd

@Suite("Who holds a port")
struct PortHolderTests {
    @Test("a port is taken when somebody listens on it, and it is told who that is")
    func listening() throws {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        try #require(result == 0)
        let port = Int(UInt16(bigEndian: address.sin_port))
        // The port is ours, so that no other test can listen on it.
        #expect(!PortHolder.exists(on: port))
        #expect(PortHolder.description(of: port) == "another process")
        try #require(listen(descriptor, 1) == 0)
        #expect(PortHolder.exists(on: port))
        #expect(PortHolder.description(of: port).contains("(process \(getpid()))"))
    }
}
