import Logging
import TestTimeouts
import Testing

@testable import Discovery

@Suite("A publisher", .timeout)
struct PublisherTests {
    let record = ServiceRecord(name: "Lamp E5FF", type: "_hap._tcp", port: 51826, txt: ["c#": "1"])

    @Test("withdraws and stops immediately if it was never started")
    func neverStarted() async throws {
        let publisher = try AvahiServicePublisher(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        publisher.publish(record)
        #expect(await publisher.withdraw())
        await publisher.stop()
        try publisher.start()
        #expect(publisher.state == .notAdvertised)
    }

    @Test("uses the newest record, and ignores requests after the end")
    func orders() {
        let shared = SharedPublication()
        #expect(shared.start())
        shared.order({ $0?.txt = ["c#": "0"] }, wake: {})
        #expect(shared.takeOrders().wanted == nil, "there is nothing to update")
        shared.order({ $0 = record }, wake: {})
        shared.order({ $0?.txt = ["c#": "2"] }, wake: {})
        #expect(shared.takeOrders().wanted?.txt == ["c#": "2"])

        #expect(shared.report(.published(name: record.name)))
        #expect(!shared.report(.published(name: record.name)))
        #expect(shared.state == .published(name: record.name))

        #expect(shared.orderWithdrawal(wake: {}) != nil)
        #expect(shared.takeOrders().withdrawals.count == 1)
        #expect(shared.close())
        #expect(!shared.close())
        shared.order({ $0 = record }, wake: {})
        #expect(shared.takeOrders().wanted == nil)
    }
}
