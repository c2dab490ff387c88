import BoundedJSON
import HAPTesting
import HomeModel
import TestTimeouts
import Testing

import struct HAPModel.DeviceID

@testable import HomeHub

@Suite("Consent, for every request of the API", .timeout)
struct ConsentTests {
    /// The user's decision about an app.
    enum Decision: CaseIterable, Sendable {
        case denied, undecided, restricted
    }

    private static let identity = AppIdentity(app: "org.other", uid: 1, executable: "/org.other")

    /// Opens a session of an app that declares every capability.
    private func app(_ house: HouseUnderTest) async throws -> TestApp {
        try await house.app(Self.identity.app, capabilities: Set(HomeCapability.allCases), vendor: "kilgo")
    }

    @Test(
        "refuses every request of a denied, undecided or restricted app without a visible effect",
        arguments: Decision.allCases)
    func refused(_ decision: Decision) async throws {
        let device = try Device(database: ConfiguredHouse.database)
        try await device.run { system, _ in
            let app = try await app(device.house)
            let house = try await ConfiguredHouse(device, by: system, for: Self.identity)
            switch decision {
            case .denied: try await system.call(.setPermission(Self.identity, .deny))
            case .undecided: break
            case .restricted: await device.house.hub.use(AppRestrictions(apps: [Self.identity.app]))
            }
            try await eventually("the status") { app.notifications.count == (decision == .undecided ? 0 : 1) }
            app.forget()
            let before = try await Trace(house, system)
            for kind in RequestKind.allCases {
                let request = house.request(kind)
                #expect(RequestKind(request) == kind)
                let call = await app.begin(request)
                // An undecided app's call waits for the user's answer, no matter how long it takes.
                let waits = decision == .undecided && [.permission, .consent].contains(kind.need)
                if waits {
                    for _ in 1...3 { try await device.house.drain(system) }
                    #expect(app.answer(call) == nil, "\(kind) is answered before it is decided")
                    await device.house.hub.cancel(call)
                }
                await expect(code(of: kind, decision)) { try await app.result(call) }
                let trace = try await Trace(house, system)
                #expect(trace == before, "\(kind) left a trace")
            }
            #expect(app.notifications == [])
        }
    }

    private func code(of kind: RequestKind, _ decision: Decision) -> HomeError.Code {
        switch kind.need {
        case .permission, .consent: .homeAccessNotAuthorized
        case .systemApp: .insufficientPrivileges
        case .newSession: .invalidParameter
        }
    }

    @Test("performs every request that needs permission for an allowed app")
    func carriedOut() async throws {
        // A repair needs a device of the same shape, so HubRepairTests covers it.
        for kind in RequestKind.allCases
        where kind.need == .permission && kind != .declineAddition && kind != .repairAccessory {
            let device = try Device(database: ConfiguredHouse.database)
            try await device.run { system, _ in
                let app = try await app(device.house)
                try await system.call(.setPermission(Self.identity, .allow))
                let house = try await ConfiguredHouse(device, by: system, for: Self.identity)
                let before = try await Trace(house, system)
                do {
                    let answer = try await app.call(house.request(kind))
                    for result in (try? [ValueResult](json: answer)) ?? [] { #expect(result.error == nil, "\(kind)") }
                } catch { Issue.record("\(kind): \(error)") }
                guard kind.leavesTrace else { return }
                let trace = try await Trace(house, system)
                #expect(trace != before, "\(kind) leaves no trace")
            }
        }
    }
}

extension RequestKind {
    /// A Boolean value that indicates whether the request has a visible effect.
    fileprivate var leavesTrace: Bool {
        switch self {
        case .homes, .accessories, .history, .activity, .removeHistory, .stopBrowsing, .unblockAccessory,
            .triggerStatuses, .triggerRecords,
            .daylight, .receiveMessages:
            false
        default: need == .permission
        }
    }
}

/// The visible effects of requests on the homes, permissions and accessories.
private struct Trace: Equatable {
    var requestsToDevice: Int
    var connections: Int
    var isBridgePaired: Bool
    var pairings: [DeviceID]
    var searches: Searches
    var subscriptions: Set<Characteristic.ID>
    var stored: StoredHomes
    var commits: Int

    /// Records the state after all pending requests.
    init(_ house: ConfiguredHouse, _ system: TestApp) async throws {
        let device = house.device
        // The answer to this read follows those of earlier requests.
        _ = try await system.readValues(device.on)
        house.looks.add()
        requestsToDevice = device.server.requests.count - house.looks.count
        connections = device.house.dialer.dialed.count
        isBridgePaired = await house.bridge.isPaired
        pairings = try await device.house.paired
        searches = await device.house.hub.turn { $0.searches }
        subscriptions = await device.house.hub.turn { $0.feed.subscriptions }
        stored = device.house.store.stored
        commits = device.house.store.commits
    }
}
