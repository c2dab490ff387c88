import HAPModel
import HAPTesting
import HomeModel
import TestTimeouts
import Testing

@testable import HomeClient

@Suite("A setup, step by step", .timeout)
struct SetupSessionTests {
    private let code: SetupCode
    private let wrong: SetupCode

    init() throws {
        code = try #require(SetupCode(typed: "518-08-582"))
        wrong = try #require(SetupCode(typed: "518-08-583"))
    }

    private func withHouse(_ body: @Sendable (FakeDaemon, HomeManager) async throws -> Void) async throws {
        let code = code
        try await withHome { daemon in
            try await daemon.write(.addHome(name: "My Home"))
            guard let home = await daemon.graph.homes.first else { return }
            try await daemon.write(.addRoom(home.id, name: "Kitchen"))
            await daemon.configure {
                $0.devices = [bulb]
                $0.additions = [TestDevices.lamp(type: .outlet)]
                $0.code = code
            }
        } _: { daemon, manager in
            try await body(daemon, manager)
        }
    }

    /// Waits for a state.
    private func reach<Value>(
        _ setup: AccessorySetupSession, _ value: (AccessorySetupState) -> Value?
    ) async throws -> Value {
        for await state in setup.states {
            if let value = value(state) { return value }
            if state.isOver { throw TestFailure("the setup is over: \(state)") }
        }
        throw TestFailure("the setup is over")
    }

    @Test("asks for the device, its code, names, room and kind, and asks again after a wrong code")
    func whole() async throws {
        try await withHouse { daemon, manager in
            let setup = try await manager.beginSetup()
            #expect(await manager.setup(setup.id) === setup)
            _ = try await reach(setup) { $0 == .searching([bulb]) ? true : nil }
            try await setup.answer(.device(bulb.id))
            let first = try await reach(setup) { if case .code(let question) = $0 { question } else { nil } }
            #expect(first == SetupCodeQuestion(accessory: bulb, attemptsLeft: 3, refusal: nil))
            try await setup.answer(.code(wrong))
            let again = try await reach(setup) { state in
                if case .code(let question) = state, question.refusal != nil { question } else { nil }
            }
            #expect(again.attemptsLeft == 2 && again.refusal?.code == .accessoryPairingFailed)
            #expect(again.accessory == bulb)
            try await setup.answer(.code(code))
            let name = try await reach(setup) { if case .naming(let question) = $0 { question } else { nil } }
            #expect(name.service == nil && name.present == name.accessory.name)
            try await setup.answer(.name("kitchen"))
            let refused = try await reach(setup) { state in
                if case .naming(let question) = state, question.refusal != nil { question } else { nil }
            }
            #expect(refused.refusal?.code == .objectWithSimilarNameExistsInHome)
            try await setup.answer(.name("Toaster"))
            let room = try await reach(setup) { if case .room(let question) = $0 { question } else { nil } }
            let kitchen = try #require(room.home.rooms.first)
            await #expect(throws: HomeError.self) { try await setup.answer(.room(try unknown())) }
            try await setup.answer(.room(kitchen.id))
            let choices = try await reach(setup) { state in
                if case .serviceType(_, _, let choices) = state { choices } else { nil }
            }
            #expect(choices.contains(.fan))
            try await setup.answer(.serviceType(.fan))
            _ = try await reach(setup) { if case .favorite = $0 { true } else { nil } }
            try await setup.answer(.favorite(true))
            let result = try await reach(setup) { if case .done(let result) = $0 { result } else { nil } }
            let plug = try #require(await manager.homes.first?.accessories.first)
            #expect(result.accessories == [plug.id] && result.failures.isEmpty)
            #expect(plug.name == "Toaster" && plug.room == kitchen.id)
            #expect(plug.primaryService?.associatedServiceType == .fan && plug.primaryService?.isFavorite == true)
            try await eventually { await !daemon.isBrowsing }
            // The result stays available.
            #expect(await manager.setup(setup.id)?.state == .done(result))
            #expect(await refusal { () throws(HomeError) in try await setup.answer(.unchanged) } == .notFound)
        }
    }

    private func unknown() throws -> Room.ID { try #require(Room.ID("00000000-0000-4000-8000-00000000000F")) }

    @Test("accepts the code first, and offers the devices as they appear and disappear")
    func codeFirst() async throws {
        try await withHouse { daemon, manager in
            let setup = try await manager.beginSetup()
            _ = try await reach(setup) { $0 == .searching([bulb]) ? true : nil }
            try await setup.answer(.code(code))
            _ = try await reach(setup) { $0 == .choosing([bulb]) ? true : nil }
            let plug = DiscoveredAccessory(id: TestDevices.id(8), name: "Plug", category: .outlet, model: "P1")
            await daemon.find(plug)
            _ = try await reach(setup) { $0 == .choosing([bulb, plug]) ? true : nil }
            await daemon.lose(plug.id)
            _ = try await reach(setup) { $0 == .choosing([bulb]) ? true : nil }
            #expect(
                await refusal { () throws(HomeError) in try await setup.answer(.device(plug.id)) } == .invalidParameter)
            try await setup.answer(.device(bulb.id))
            while case let state = await setup.state, !state.isOver {
                switch state {
                case .naming, .room, .serviceType, .favorite: try? await setup.answer(.unchanged)
                default: await Task.yield()
                }
            }
            #expect(await manager.homes.first?.accessories.count == 1)
        }
    }

    @Test("fails after three refused codes, without an accessory")
    func payload() async throws {
        try await withHouse { daemon, manager in
            let payload = try #require(AccessorySetupPayload(url: "X-HM://00527813XAB12"))
            let setup = try await manager.beginSetup(AccessorySetupRequest(payload: payload))
            for left in [2, 1] {
                _ = try await reach(setup) { state in
                    if case .code(let question) = state, question.attemptsLeft == left { true } else { nil }
                }
                try await setup.answer(.code(wrong))
            }
            try await eventually { await setup.state.isOver }
            guard case .failed(let error) = await setup.state else { throw TestFailure("it did not fail") }
            #expect(error.code == .accessoryPairingFailed)
            #expect(await manager.homes.first?.accessories.isEmpty == true)
            #expect(await daemon.additionsAsked.count == 3)
        }
    }

    @Test("ends when it is canceled or not answered, and keeps an added accessory")
    func ends() async throws {
        try await withHouse { daemon, manager in
            let cancelled = try await manager.beginSetup()
            _ = try await reach(cancelled) { $0 == .searching([bulb]) ? true : nil }
            await cancelled.cancel()
            try await eventually { await cancelled.state == .failed(HomeError(.operationCancelled)) }
            let late = try await manager.beginSetup(timeLimit: .milliseconds(1))
            try await eventually { await late.state.isOver }
            guard case .failed(let error) = await late.state else { throw TestFailure("it did not fail") }
            #expect(error.code == .operationTimedOut)
            try await eventually { await !daemon.isBrowsing }
            let payload = try #require(AccessorySetupPayload(url: "X-HM://00527813XAB12"))
            await daemon.configure { $0.code = nil }
            let left = try await manager.beginSetup(AccessorySetupRequest(payload: payload))
            _ = try await reach(left) { if case .naming = $0 { true } else { nil } }
            await left.cancel()
            try await eventually { await left.state.isOver }
            let added = try #require(await manager.homes.first?.accessories.first)
            guard case .done(let result) = await left.state else { throw TestFailure("the setup is not done") }
            #expect(result.accessories == [added.id])
        }
    }

    @Test("limits the sessions and releases finished ones")
    func limit() async throws {
        try await withHouse { daemon, manager in
            var setups: [AccessorySetupSession] = []
            for _ in 0..<HomeManager.setupLimit { setups.append(try await manager.beginSetup()) }
            #expect(
                await refusal { () throws(HomeError) in try await manager.beginSetup() } == .maximumObjectLimitReached)
            await setups[3].cancel()
            try await eventually { await setups[3].state.isOver }
            let another = try await manager.beginSetup()
            #expect(await manager.setup(setups[3].id) == nil)
            #expect(await manager.setup(another.id) === another)
            #expect(await manager.setup(setups[0].id) === setups[0])
        }
    }
}
