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

/// A whole bridge, and a peer that sends the input.
///
/// The first byte selects whether the input is sent unencrypted to a bridge without pairings, or within an owner's
/// session, and how the lamp and the store behave.
@Sendable func checkAccessory(_ input: [UInt8]) async {
    guard let first = input.first else { return }
    let said = Array(input.dropFirst())
    let isSession = first & 1 == 1
    let expected = Expectation(said)
    let store = InMemoryAccessoryServerStore(.random(pairedWith: isSession ? [owner] : []))
    guard let bridge = try? await BridgeUnderTest(store, lights: descriptions) else {
        return promise(false, "a bridge starts")
    }
    if first & 2 == 2 { bridge.driver.set(lamp, .refuses(.unreachable)) }
    if first & 4 == 4 { bridge.driver.set(lamp, .waits) }
    if first & 8 == 8 { store.breakDown(Set(InMemoryAccessoryServerStore.Change.allCases)) }

    let (controller, _) = await bridge.connect(owner)
    if isSession {
        let failure = try? await controller.pairVerify(bridge.identity)
        promise(failure == .some(nil), "an owner gets in")
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
        promise((200..<600).contains(response.status), "an answer has a status")
        if response.contentType == .hapJSON {
            promise((try? JSONValue(parsing: response.body)) != nil, "an answer in JSON is JSON")
        }
        if response.contentType == .pairingTLV8 {
            promise((try? PairingTLV(parsing: response.body)) != nil, "an answer in TLV8 is TLV8")
        }
    }
    for event in await controller.events {
        promise((try? JSONValue(parsing: event)) != nil, "an event is JSON")
    }
    let isClosed = await controller.isClosed
    let count = await controller.responses.count
    promise(count <= expected.requests, "only requested values are answered")
    promise(!isClosed || expected.mayEnd, "a connection ends for a reason")
    promise(isClosed || !expected.isViolation, "what breaks the protocol ends the connection")

    await controller.close()
    await bridge.scheduler.drain()
    promise(await bridge.server.connectionCount == 0, "a connection that has ended is forgotten")
    // After any input, the next connection must be served.
    let (next, _) = await bridge.connect(owner)
    if isSession, !expected.hasPairings {
        let failure = try? await next.pairVerify(bridge.identity)
        promise(failure == .some(nil), "an owner stays one")
        let response = try? await next.get("/accessories")
        promise(response?.status == 200, "an owner is served")
    } else {
        promise((try? await next.get("/accessories")) != nil, "an unauthenticated peer is answered")
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

/// The expected results of the input.
private struct Expectation {
    var requests = 0
    /// Whether the bytes violate the protocol, and no earlier request ends the connection for another reason.
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
