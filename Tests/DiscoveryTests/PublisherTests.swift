import Logging
import TestTimeouts
import Testing

@testable import Discovery

@Suite("A publisher", .timeout)
struct PublisherTests {
    let record = ServiceRecord(name: "Lamp E5FF", type: "_hap._tcp", port: 51826, txt: ["c#": "1"])

    @Test("One that was never started has nothing to withdraw and stops at once")
    func neverStarted() async throws {
        let publisher = try AvahiServicePublisher(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        publisher.publish(record)
        #expect(await publisher.withdraw())
        await publisher.stop()
        try publisher.start()
        #expect(publisher.state == .notAdvertised)
    }

    @Test("In memory, what is wanted is published, and its history can be looked at")
    func inMemory() async throws {
        let publisher = InMemoryDiscovery()
        try publisher.start()
        var states = publisher.states().makeAsyncIterator()
        #expect(await states.next() == .notAdvertised)

        publisher.update(txt: ["c#": "0"])
        #expect(publisher.record == nil, "there is nothing to update")
        publisher.publish(record)
        #expect(await states.next() == .published(name: "Lamp E5FF"))
        publisher.update(txt: ["c#": "2"])
        publisher.update(txt: ["c#": "2"])
        #expect(publisher.record?.txt == ["c#": "2"])
        #expect(publisher.records.count == 2)

        await publisher.stop()
        #expect(await states.next() == .notAdvertised)
        #expect(await states.next() == nil)
        publisher.publish(record)
        #expect(publisher.record == nil)
    }
}
