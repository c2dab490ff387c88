internal import AccessoryRole
internal import BoundedJSON
internal import DeviceKit
internal import HAPModel
internal import HAPProtocol
internal import HAPTesting

private let owner = ControllerIdentity.random()
private let lamp: LightID = "lamp"
private let descriptions = [
    LightDescription(
        id: lamp, name: "Lamp",
        capabilities: LightCapabilities(brightness: true, color: true, temperature: 153...500)),
    LightDescription(id: "switch", name: "Switch", kind: .switch),
]

/// Checks a whole bridge with a peer that sends the input.
///
/// The first byte selects whether the peer sends the input unencrypted to a bridge without pairings, or in a session of
/// the owner. It also selects how the lamp and the store behave.
@Sendable func checkAccessory(_ input: [UInt8]) async {
    guard let first = input.first else { return }
    let said = Array(input.dropFirst())
    let isSession = first & 1 == 1
    let expected = Expectation(said)
    let store = InMemoryAccessoryServerStore(.random(pairedWith: isSession ? [owner] : []))
    guard let bridge = try? await BridgeUnderTest(store, lights: descriptions) else {
        return promise(false, "the bridge starts")
    }
    if first & 2 == 2 { bridge.driver.set(lamp, .refuses(.unreachable)) }
    if first & 4 == 4 { bridge.driver.set(lamp, .waits) }
    if first & 8 == 8 { store.breakDown(Set(InMemoryAccessoryServerStore.Change.allCases)) }

    let (controller, _) = await bridge.connect(owner)
    if isSession {
        let failure = try? await controller.pairVerify(bridge.identity)
        promise(failure == .some(nil), "the owner can verify its pairing")
        await controller.forgetArrivals()
    }
    for piece in said.pieces {
        guard let bytes = try? await controller.sealed(Array(piece)) else { break }
        await controller.send(bytes: bytes)
    }

    let limit = ContinuousClock.now + .seconds(120)
    while await !controller.isClosed, await controller.responses.count < expected.requests {
        promise(ContinuousClock.now < limit, "every request is answered")
        await bridge.scheduler.advance(by: .milliseconds(500))
    }
    for response in await controller.responses {
        promise((200..<600).contains(response.status), "a response has a valid status")
        if response.contentType == .hapJSON {
            promise(
                (try? JSONValue(parsing: response.body)) != nil,
                "a response with the content type of JSON is valid JSON")
        }
        if response.contentType == .pairingTLV8 {
            promise(
                (try? PairingTLV(parsing: response.body)) != nil,
                "a response with the content type of TLV8 is valid TLV8")
        }
    }
    for event in await controller.events {
        promise((try? JSONValue(parsing: event)) != nil, "an event is JSON")
    }
    let isClosed = await controller.isClosed
    let count = await controller.responses.count
    promise(count <= expected.requests, "there is at most one response per request")
    promise(!isClosed || expected.mayEnd, "a connection ends only for an expected reason")
    promise(isClosed || !expected.isViolation, "a protocol violation ends the connection")

    await controller.close()
    await bridge.scheduler.drain()
    promise(await bridge.server.connectionCount == 0, "the server forgets a closed connection")
    // After any input, the bridge must serve the next connection.
    let (next, _) = await bridge.connect(owner)
    if isSession, !expected.hasPairings {
        let failure = try? await next.pairVerify(bridge.identity)
        promise(failure == .some(nil), "the owner can still verify its pairing")
        let response = try? await next.get("/accessories")
        promise(response?.status == 200, "the owner gets the attribute database")
    } else {
        promise((try? await next.get("/accessories")) != nil, "an unauthenticated peer gets a response")
    }
    await next.close()
    bridge.driver.answer(lamp)
    await bridge.scheduler.advance(by: .seconds(5))
    await bridge.server.stop()
}

extension TestController {
    fileprivate var responses: [HTTPResponse] {
        arrivals.compactMap { if case .response(let response) = $0 { response } else { nil } }
    }
}

/// The expected results for the input.
private struct Expectation {
    var requests = 0
    /// Whether the bytes violate the protocol before any request may end the connection for another reason.
    var isViolation = false
    /// Whether the connection may end for any reason.
    var mayEnd = false
    var hasPairings = false

    init(_ bytes: [UInt8]) {
        var stream = MessageStream(role: .accessory)
        stream.received(bytes)
        do throws(ProtocolViolation) {
            while let message = try stream.next() {
                guard case .request(let request) = message else { continue }
                requests += 1
                if request.path == "/pairings" { hasPairings = true }
                if request.wantsClose || request.path == "/pairings" { mayEnd = true }
            }
        } catch {
            isViolation = !mayEnd
            mayEnd = true
        }
    }
}
