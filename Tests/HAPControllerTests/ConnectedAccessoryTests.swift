import HAPProtocol
import HAPTesting
import Synchronization
import TestTimeouts
import Testing

@testable import HAPController

private let on = Scene.on
private let brightness = Scene.brightness
private let control = Scene.control

@Suite("ConnectedAccessory", .timeout)
struct ConnectedAccessoryTests {
    @Test("returns a result for each written characteristic, and sends authorization data")
    func results() async throws {
        let answer = HTTPResponse.json(
            #"{"characteristics":[{"aid":1,"iid":8,"status":-70411},{"aid":1,"iid":9,"status":0},"#
                + #"{"aid":1,"iid":11,"status":0,"value":"AgA="}]}"#, status: 207)
        let scene = try Scene { request, _ in request.method == .put ? .answer(answer) : nil }
        try await scene.connected { accessory in
            let results = try await accessory.write([
                AccessoryWrite(on, .bool(true), authorizationData: [7]), AccessoryWrite(brightness, .integer(40)),
                AccessoryWrite(control, .data([1]), wantsResponse: true),
            ])
            #expect(
                results == [
                    on: .failure(.insufficientAuthorization), brightness: .success(nil),
                    control: .success(.data([2, 0])),
                ])
            let error = await #expect(throws: ControllerError.self) {
                try await accessory.write(.bool(true), to: on, authorizationData: [9])
            }
            #expect(error?.status == .insufficientAuthorization)
            #expect(accessory.characteristic(on)?.type == .on)
            #expect(accessory.characteristic(CharacteristicID(on.aid, InstanceID(999))) == nil)
            #expect(
                error?.message == "the accessory refused On (1.8): the authorization data is missing or wrong")
        }
        let writes = scene.accessory.requests.filter { $0.method == .put }.compactMap { WriteRequest(parsing: $0.body) }
        #expect(writes.map { $0.entries.map(\.authorizationData) } == [[[7], nil, nil], [[9]]])
    }

    @Test("reports structureChanged only if the structure has changed")
    func structure() async throws {
        let perms = Mutex(#""pr","pw""#)
        let scene = try Scene { request, _ in
            guard request.path == "/accessories" else { return nil }
            let (perms, value) = (perms.withLock { $0 }, Int.random(in: 0...99))
            return .answer(
                .json(
                    #"{"accessories":[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[]},"#
                        + #"{"iid":7,"type":"43","characteristics":[{"iid":9,"type":"8","format":"int","#
                        + #""perms":[\#(perms)],"value":\#(value)}]}]}]}"#))
        }
        try await scene.connected { accessory in
            let events = try await accessory.events()
            scene.accessory.connection?.end()
            var seen: [ConnectedAccessory.Event] = []
            for await event in events {
                if case .disconnected = event { continue }
                seen.append(event)
                guard event == .connected else { continue }
                if seen.count > 1 { break }
                perms.withLock { $0 = #""pr""# }
                scene.accessory.connection?.end()
            }
            #expect(seen == [.connected, .structureChanged, .connected])
        }
    }

    @Test("retries a given address five minutes after the accessory has reported that it isn't paired")
    func refusedAtGivenAddress() async throws {
        let clock = ManualClock()
        let scene = try Scene(isPaired: false, clock: clock)
        scene.dialer.hold()
        try await scene.serving { accessory in
            let events = try await accessory.events()
            scene.dialer.release()
            func refusal() async {
                for await event in events {
                    if case .disconnected(let error) = event, error.code == .notPaired { break }
                }
            }
            await refusal()
            let attempts = scene.dialer.dialed.count
            await clock.advance(by: .seconds(299))
            #expect(scene.dialer.dialed.count == attempts)
            await clock.advance(by: .seconds(1))
            await refusal()
            #expect(scene.dialer.dialed.count == attempts + 1)
        }
    }

    @Test("provides all types in its API with a single import")
    func names() {
        let type: HAPType = CharacteristicType.on.type
        let characteristic: CharacteristicObject? = nil
        let service: ServiceObject? = nil
        let accessory: AccessoryObject? = nil
        #expect(type.isApple && characteristic == nil && service == nil && accessory == nil)
    }
}
