import Glibc
import Testing

@testable import lamplighterd

@Suite("PortHolder")
struct PortHolderTests {
    @Test("names the process that listens on one of many ports")
    func listening() throws {
        // The kernel's table has 150 bytes for each socket, so it doesn't fit into a single read.
        let sockets = try (0..<60).map { _ in try boundSocket() }
        defer { for socket in sockets { close(socket.descriptor) } }
        // The ports are bound by this test, so no other test can listen on them.
        #expect(sockets.allSatisfy { !PortHolder.exists(on: $0.port) })
        #expect(PortHolder.description(of: sockets[0].port) == "another process")
        for socket in sockets { try #require(listen(socket.descriptor, 1) == 0) }
        #expect(sockets.allSatisfy { PortHolder.exists(on: $0.port) })
        #expect(PortHolder.description(of: sockets[0].port).contains("(process \(getpid()))"))
    }

    private func boundSocket() throws -> (descriptor: CInt, port: Int) {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
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
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}
