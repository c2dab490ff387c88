import HAPController
import HAPModel
import HAPProtocol
import HAPTransport

/// The bridge under load.
///
/// It opens connections to the bridge.
struct Bridge: Sendable {
    /// The timeout of a request.
    static let timeout = Duration.seconds(20)

    let endpoint: AccessoryEndpoint
    let identity: ControllerIdentity
    let dialer: TCPDialer

    /// The characteristics of a light that are read and written.
    struct Light: Sendable {
        let on: CharacteristicID
        let brightness: CharacteristicID
    }

    /// Opens unencrypted connections and runs `body`.
    ///
    /// They are closed when `body` ends.
    ///
    /// - Parameters:
    ///   - count: The number of connections.
    ///   - onEvent: Receives the number of a connection and the body of each of its events.
    ///   - body: The function that uses the connections.
    /// - Returns: The result of `body`.
    /// - Throws: ``Unreachable``, or the error of `body`.
    func withConnections<Outcome: Sendable>(
        _ count: Int, onEvent: @escaping @Sendable (Int, [UInt8]) -> Void = { _, _ in },
        _ body: ([ControllerSession]) async throws -> Outcome
    ) async throws -> Outcome {
        try await withThrowingTaskGroup(of: Void.self) { group in
            // End the connections, which otherwise run until they are canceled.
            defer { group.cancelAll() }
            var sessions: [ControllerSession] = []
            for number in 0..<count {
                let session = ControllerSession(try await dialer.dial(endpoint, within: Self.timeout))
                group.addTask { _ = await session.run { onEvent(number, $0) } }
                sessions.append(session)
            }
            return try await body(sessions)
        }
    }

    /// Opens verified sessions and runs `body`.
    ///
    /// They are closed when `body` ends.
    func withSessions<Outcome: Sendable>(
        _ count: Int, _ pairing: AccessoryPairing, onEvent: @escaping @Sendable (Int, [UInt8]) -> Void = { _, _ in },
        _ body: ([ControllerSession]) async throws -> Outcome
    ) async throws -> Outcome {
        try await withConnections(count, onEvent: onEvent) { sessions in
            for session in sessions {
                try await session.pairVerify(pairing, as: identity, within: Self.timeout)
            }
            return try await body(sessions)
        }
    }

    /// Returns the lights that have brightness, in the order of the bridge's database.
    func lights(_ pairing: AccessoryPairing) async throws -> [Light] {
        let database = try await withSessions(1, pairing) { try await $0[0].readDatabase(within: Self.timeout) }
        let lights = database.accessories.compactMap { accessory -> Light? in
            let characteristics = accessory.services.flatMap(\.characteristics)
            guard let on = characteristics.first(where: { $0.type == .on }),
                let brightness = characteristics.first(where: { $0.type == .brightness })
            else { return nil }
            return Light(
                on: CharacteristicID(accessory.aid, on.iid),
                brightness: CharacteristicID(accessory.aid, brightness.iid))
        }
        guard lights.count >= Load.crowd else { throw LoadError("\(Load.crowd) lights with brightness are needed") }
        return lights
    }
}

extension ControllerSession {
    /// Sends a request and returns its response, which must have the given status.
    @discardableResult
    func demand(_ status: Int, _ request: HTTPRequest) async throws -> HTTPResponse {
        let response = try await self.request(request, within: Bridge.timeout)
        guard response.status == status else {
            throw LoadError("\(request.path) was answered with \(response.status), not \(status)")
        }
        return response
    }

    /// Writes a value or changes a subscription.
    func put(_ entry: WriteRequest.Entry) async throws {
        try await demand(204, HTTPRequest(.put, "/characteristics", body: WriteRequest(entries: [entry]).encoded))
    }
}
