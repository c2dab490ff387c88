import AccessoryRole
import Glibc
import HAPProtocol
import HAPTesting
import Testing

@Suite("The server's executor")
struct ExecutorTests {
    @Test("stops the program when another thread calls the server")
    func elsewhere() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let house = try await House()
            perror("it is there")
            house.bridge.server.closed(ConnectionID(7))
            perror("it was called")
        }
        let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(said.contains("it is there") && !said.contains("it was called"))
    }
}
