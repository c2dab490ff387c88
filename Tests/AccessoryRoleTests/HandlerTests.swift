import AccessoryRole
import HAPModel
import HAPProtocol
import HAPTesting
import Logging
import Synchronization
import TestTimeouts
import Testing

/// A handler whose results a test sets.
private final class Program: RequestHandler {
    struct State {
        var written: [CharacteristicWrite] = []
        var read: [InstanceID] = []
        var writeResults: [InstanceID: WriteResult] = [:]
        var readResults: [InstanceID: ReadResult] = [:]
        /// Makes requests take an hour unless they are canceled.
        var isSlow = false
        var cancellations = 0
        /// Makes requests wait for ``release()``, even if they are canceled.
        var isHanging = false
        var identified = 0
        var hanging: [CheckedContinuation<Void, Never>] = []
    }

    let state = Mutex(State())

    func write(_ values: [CharacteristicWrite], to accessory: AccessoryID) async -> [WriteResult] {
        state.withLock { $0.written += values }
        await pause()
        return state.withLock { state in values.map { state.writeResults[$0.iid] ?? .success } }
    }

    func read(_ characteristics: [CharacteristicRead], of accessory: AccessoryID) async -> [ReadResult] {
        state.withLock { $0.read += characteristics.map(\.iid) }
        await pause()
        return state.withLock { state in characteristics.map { state.readResults[$0.iid] ?? .unchanged } }
    }

    func identify(_ accessory: AccessoryID) async {
        state.withLock { $0.identified += 1 }
        await pause()
    }

    /// Ends all calls that hang.
    func release() {
        let hanging = state.withLock { state in
            state.isHanging = false
            defer { state.hanging = [] }
            return state.hanging
        }
        for continuation in hanging { continuation.resume() }
    }

    private func pause() async {
        if state.withLock(\.isHanging) {
            await withCheckedContinuation { continuation in state.withLock { $0.hanging.append(continuation) } }
        }
        guard state.withLock(\.isSlow) else { return }
        do { try await Task.sleep(for: .seconds(3600)) } catch { state.withLock { $0.cancellations += 1 } }
    }
}

@Suite("An accessory with a handler", .timeout)
struct HandlerTests {
    private let program = Program()

    private func house(_ logger: Logger? = nil) async throws -> House {
        let admin = ControllerIdentity.random()
        let house = try await House(
            InMemoryAccessoryServerStore(.random(pairedWith: [admin])), admin: admin, logger: logger)
        try await house.bridge.server.set(.gadget, handler: program)
        return house
    }

    @Test("rejects one value of a request without affecting the others")
    func resultPerValue() async throws {
        let house = try await house()
        let session = try await house.session()
        program.state.withLock { $0.writeResults[15] = .failure(.notAllowedInCurrentState) }
        let response = try await session.write(
            #"{"aid":100,"iid":14,"value":true},{"aid":100,"iid":15,"value":3},{"aid":100,"iid":16,"value":"a"}"#)
        #expect(
            response.text
                == #"{"characteristics":[{"aid":100,"iid":14,"status":0},{"aid":100,"iid":15,"status":-70412},"#
                + #"{"aid":100,"iid":16,"status":0}]}"#)
        #expect(await house.value(100, 14) == .bool(true))
        #expect(await house.value(100, 15) == .integer(0))
        #expect(await house.value(100, 16) == .string("a"))
    }

    @Test("times out a late write after 2 s, cancels it, and restores the value")
    func lateWrite() async throws {
        let house = try await house()
        let (writer, watcher) = (try await house.session(), try await house.session())
        program.state.withLock { $0.isSlow = true }
        async let answer = writer.write(#"{"aid":100,"iid":14,"value":true}"#)
        try await house.drain { program.state.withLock { !$0.written.isEmpty } }
        #expect(try await watcher.write(#"{"aid":2,"iid":9,"value":true}"#).status == 204)
        await house.advance(.seconds(2))
        #expect(try await answer.text == #"{"characteristics":[{"aid":100,"iid":14,"status":-70408}]}"#)
        #expect(await house.value(100, 14) == .bool(false))
        try await house.drain { program.state.withLock { $0.cancellations == 1 } }
    }

    @Test("returns the write response of the current request, never that of another request")
    func writeResponse() async throws {
        let house = try await house()
        let session = try await house.session()
        func write(_ more: String) async throws -> String {
            try await session.write(#"{"aid":100,"iid":12,"value":"AQ=="\#(more)}"#).text
        }
        program.state.withLock { $0.writeResults[12] = .success(response: .data([7, 8])) }
        #expect(try await write(#","r":true"#).contains(#""status":0,"value":"Bwg=""#))
        #expect(try await write("").isEmpty)
        program.state.withLock { $0.writeResults = [:] }
        #expect(try await write(#","r":true"#).contains(#""status":0,"value":"AQ==""#))
    }

    @Test("passes authorization data to the handler")
    func authorizationData() async throws {
        let house = try await house()
        let session = try await house.session()
        program.state.withLock { $0.writeResults[15] = .failure(.insufficientAuthorization) }
        let response = try await session.write(
            #"{"aid":100,"iid":14,"value":true,"authData":"AQID"},{"aid":100,"iid":15,"value":1}"#)
        #expect(response.text.contains("-70411"))
        #expect(program.state.withLock { $0.written.map(\.authorizationData) } == [[1, 2, 3], nil])
    }

    @Test("reads from the device, and notifies other subscribers of the values")
    func read() async throws {
        let house = try await house()
        let (reader, watcher) = (try await house.session(), try await house.session())
        _ = try await watcher.write(#"{"aid":100,"iid":13,"ev":true}"#)
        program.state.withLock {
            $0.readResults = [13: .value(.bool(true)), 17: .failure(.busy), 16: .unchanged]
        }
        let response = try await reader.read("id=100.13,100.17,100.16,100.4,100.19,2.9")
        #expect(
            response.text
                == #"{"characteristics":[{"aid":100,"iid":13,"status":0,"value":true},{"aid":100,"iid":17,"status":-70403},"#
                + #"{"aid":100,"iid":16,"status":0,"value":""},{"aid":100,"iid":4,"status":0,"value":"Accessory"},"#
                + #"{"aid":100,"iid":19,"status":-70405},{"aid":2,"iid":9,"status":0,"value":false}]}"#)
        #expect(program.state.withLock(\.read) == [13, 17, 16])
        await house.drain()
        #expect(await watcher.events == [#"{"characteristics":[{"aid":100,"iid":13,"value":true}]}"#])
    }

    @Test("times out a late read after 2 s, and cancels it")
    func lateRead() async throws {
        let house = try await house()
        let session = try await house.session()
        program.state.withLock { $0.isSlow = true }
        async let answer = session.read("id=100.13")
        try await house.drain { program.state.withLock { !$0.read.isEmpty } }
        await house.advance(.seconds(2))
        #expect(try await answer.text == #"{"characteristics":[{"aid":100,"iid":13,"status":-70408}]}"#)
        try await house.drain { program.state.withLock { $0.cancellations == 1 } }
    }

    @Test("cancels a read whose connection has ended")
    func endedConnection() async throws {
        let house = try await house()
        let session = try await house.session()
        program.state.withLock { $0.isSlow = true }
        let answer = Task { try await session.read("id=100.13") }
        try await house.drain { program.state.withLock { !$0.read.isEmpty } }
        await session.close()
        try await house.drain { program.state.withLock { $0.cancellations == 1 } }
        await #expect(throws: TestController.Closed.self) { try await answer.value }
    }

    @Test("responds with busy while too many calls of a handler are unfinished, and logs the refusal once")
    func unfinishedCalls() async throws {
        let log = RecordedLog()
        let house = try await house(log.logger)
        let session = try await house.session()
        program.state.withLock { $0.isHanging = true }
        #expect(try await session.write(#"{"aid":100,"iid":2,"value":true}"#).status == 204)
        for count in 1..<128 {
            async let answer = session.read("id=100.13")
            try await house.drain { program.state.withLock { $0.read.count == count } }
            await house.advance(.seconds(2))
            #expect(try await answer.text.contains("-70408"))
        }
        #expect(try await session.read("id=100.13").text.contains("-70403"))
        #expect(try await session.write(#"{"aid":100,"iid":14,"value":true}"#).text.contains("-70403"))
        #expect(await house.value(100, 14) == .bool(false))
        #expect(try await session.write(#"{"aid":100,"iid":2,"value":true}"#).text.contains("-70403"))
        #expect(program.state.withLock { [$0.read.count, $0.written.count, $0.identified] } == [127, 0, 1])
        // Other accessories aren't affected.
        #expect(try await session.write(#"{"aid":2,"iid":9,"value":true}"#).status == 204)
        #expect(log.all.filter { $0.contains("handler calls refused") }.count == 1)
        program.release()
        try await house.drain { (try? await session.read("id=100.13").status) == 200 }
    }

    @Test("logs only the first call of a handler that exceeds the time limit")
    func lateLog() async throws {
        let log = RecordedLog()
        let house = try await house(log.logger)
        let session = try await house.session()
        for count in 1...3 {
            program.state.withLock { $0.isHanging = true }
            async let answer = session.read("id=100.13")
            try await house.drain { program.state.withLock { $0.read.count == count } }
            await house.advance(.seconds(3))
            _ = try await answer
            #expect(count > 1 || !log.all.contains { $0.contains("handler") })
            program.release()
            try await house.drain { log.all.contains { $0.contains("handler") } }
        }
        #expect(
            log.all.filter { $0.contains("handler") } == [
                "warning: handler exceeded time limit aid=100 duration=3.0 seconds limit=2.0 seconds"
            ])
    }

    @Test("refuses writes to an accessory without a device, but accepts identify requests")
    func withoutDevice() async throws {
        let house = try await House()
        try await house.bridge.server.set(.gadget, source: nil, isReachable: true)
        let session = try await house.session()
        let response = try await session.write(
            #"{"aid":100,"iid":14,"value":true},{"aid":100,"iid":15,"value":7},{"aid":100,"iid":2,"value":true}"#)
        #expect(
            response.text
                == #"{"characteristics":[{"aid":100,"iid":14,"status":-70404},{"aid":100,"iid":15,"status":-70410},"#
                + #"{"aid":100,"iid":2,"status":0}]}"#)
        #expect(await house.value(100, 14) == .bool(false))
    }
}
