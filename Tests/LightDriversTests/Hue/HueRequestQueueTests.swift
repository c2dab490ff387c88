import DeviceKit
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The request queue of a Hue bridge", .timeout)
struct HueRequestQueueTests {
    static func command(_ number: Int, _ light: LightID? = nil) -> HueRequestQueue.Request {
        .command(LightCommand(on: true), to: light ?? LightID("l\(number)"), number: number)
    }

    static func isGroup(_ light: LightID) -> Bool { light.rawValue.hasPrefix("g") }

    /// Sends and answers all requests that may be sent at the given time, and returns their number.
    static func drain(_ queue: inout HueRequestQueue, _ now: Duration) -> Int {
        var count = 0
        while let (lane, entry) = queue.transmit(now: now, isGroup: isGroup) {
            count += 1
            #expect(queue.answered(lane: lane, number: entry.number) == entry)
        }
        return count
    }

    @Test("sends two requests at a time, at most one read, commands first")
    func lanes() {
        var queue = HueRequestQueue()
        queue.add(.read("device"), now: .zero)
        queue.add(.read("light"), now: .zero)
        let first = queue.transmit(now: .zero, isGroup: Self.isGroup)
        #expect(first?.entry.request == .read("device"))
        #expect(queue.transmit(now: .zero, isGroup: Self.isGroup) == nil)
        #expect(queue.deadline(isGroup: Self.isGroup) == nil, "the next read must wait for the answer")
        queue.add(Self.command(1), now: .zero)
        queue.add(Self.command(2), now: .zero)
        #expect(queue.transmit(now: .zero, isGroup: Self.isGroup)?.entry.request == Self.command(1))
        #expect(queue.transmit(now: .zero, isGroup: Self.isGroup) == nil)
        #expect(queue.answered(lane: 0, number: first?.entry.number ?? 0) != nil)
        #expect(queue.transmit(now: .zero, isGroup: Self.isGroup)?.entry.request == Self.command(2))
    }

    @Test("sends ten commands to lights at once, then ten a second; sends two to groups, then one a second")
    func pace() {
        var queue = HueRequestQueue()
        for number in 1...40 { queue.add(Self.command(number), now: .zero) }
        #expect(Self.drain(&queue, .zero) == 10)
        #expect(queue.deadline(isGroup: Self.isGroup) == .milliseconds(100))
        #expect(Self.drain(&queue, .milliseconds(500)) == 5)
        #expect(Self.drain(&queue, .seconds(1)) == 5)
        for number in 1...5 { queue.add(Self.command(number, LightID("g\(number)")), now: .seconds(1)) }
        #expect(Self.drain(&queue, .seconds(1)) == 2)
        #expect(Self.drain(&queue, .seconds(2)) == 10 + 1)
    }

    @Test("reports a waiting command as accepted before the host gives up, and merges newer commands into it")
    func accepted() {
        var queue = HueRequestQueue()
        for number in 1...30 { queue.add(Self.command(number), now: .zero) }
        #expect(Self.drain(&queue, .zero) == 10)
        #expect(queue.takeAccepted(now: .milliseconds(1499)) == [])
        #expect(queue.takeAccepted(now: .milliseconds(1500)) == Array(11...30))
        #expect(queue.takeAccepted(now: .seconds(2)) == [])
        queue.cancel(command: 11)
        queue.add(.command(LightCommand(brightness: 5), to: "l12", number: 99), now: .seconds(2))
        let sum = HueRequestQueue.Request.command(LightCommand(on: true, brightness: 5), to: "l12", number: 99)
        var sent: [HueRequestQueue.Request] = []
        while let (lane, entry) = queue.transmit(now: .seconds(100), isGroup: Self.isGroup) {
            sent.append(entry.request)
            _ = queue.answered(lane: lane, number: entry.number)
        }
        #expect(sent.prefix(2) == [Self.command(11), sum], "accepted commands can't be canceled")
    }

    @Test("drops a command that the host cancels")
    func cancelled() {
        var queue = HueRequestQueue()
        queue.add(Self.command(1), now: .zero)
        queue.cancel(command: 1)
        #expect(queue.transmit(now: .zero, isGroup: Self.isGroup) == nil)
        #expect(queue.deadline(isGroup: Self.isGroup) == nil)
    }

    @Test("waits longer before each retry, makes at most ten attempts, and makes none after a newer command")
    func retries() {
        var queue = HueRequestQueue()
        queue.add(.read("light"), now: .zero)
        var now = Duration.zero
        for attempt in 1...10 {
            now += .seconds(60)
            guard let (lane, entry) = queue.transmit(now: now, isGroup: Self.isGroup) else {
                Issue.record("the request isn't sent again")
                return
            }
            #expect(queue.answered(lane: lane, number: entry.number) != nil)
            #expect(queue.retry(entry, now: now) == (attempt < 10))
            if attempt < 10 { #expect(queue.deadline(isGroup: Self.isGroup) == now + .milliseconds(250) * attempt) }
        }
        queue.add(Self.command(1, "l"), now: now)
        guard let (lane, entry) = queue.transmit(now: now, isGroup: Self.isGroup) else { return }
        queue.add(Self.command(2, "l"), now: now)
        _ = queue.answered(lane: lane, number: entry.number)
        #expect(queue.retry(entry, now: now) == false)
    }
}
