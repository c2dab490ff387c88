import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import AccessoryRole

@Suite("Limiting subscriptions", .timeout)
struct SubscriptionLimitTests {
    @Test("subscribes only to existing characteristics, once each")
    func subscriptions() async throws {
        let house = try await House()
        let session = try await house.session()
        let known = (9...13).map { #"{"aid":2,"iid":\#($0),"ev":true}"# }
        let unknown = (1000..<6000).map { #"{"aid":\#($0),"iid":9,"ev":true}"# }
        for _ in 0..<3 {
            #expect(try await session.write((known + unknown + known).joined(separator: ",")).status == 207)
        }
        #expect(await house.bridge.server.subscriptionCounts == [5])
    }

    @Test("keeps only the latest value of each characteristic for a peer that doesn't read")
    func outbox() async throws {
        let house = try await House()
        let (session, link) = await house.bridge.connect(house.admin)
        #expect(try await session.pairVerify(house.bridge.identity) == nil)
        _ = try await session.write(#"{"aid":2,"iid":9,"ev":true},{"aid":2,"iid":10,"ev":true}"#)
        await link.connection.setTakesBytes(false)
        for number in 0..<500 {
            await house.report(on: number.isMultiple(of: 2), speed: 1 + number % 100)
        }
        #expect(await house.bridge.server.waitingCounts == [2])
        await link.connection.setTakesBytes(true)
        #expect(
            await session.events == [
                #"{"characteristics":[{"aid":2,"iid":9,"value":false},{"aid":2,"iid":10,"value":100}]}"#
            ])
    }
}

extension AccessoryServer {
    fileprivate var subscriptionCounts: [Int] { sessions.values.map(\.subscriptions.count) }
    fileprivate var waitingCounts: [Int] { sessions.values.map(\.outbox.count) }
}
