internal import AccessoryRole
internal import HAPModel
internal import HAPProtocol
internal import Logging

/// Adapts a program's handler to the server: adds the ids of functions to requests, and converts errors to statuses.
struct HostedHandler: RequestHandler {
    private let handler: any AccessoryHandler
    private let accessory: HostedAccessory
    private let places: Places
    private let logger: Logger

    init(_ handler: any AccessoryHandler, of accessory: HostedAccessory, at places: Places, logger: Logger) {
        self.handler = handler
        self.accessory = accessory
        self.places = places
        self.logger = logger
    }

    func write(_ values: [CharacteristicWrite], to aid: AccessoryID) async -> [WriteResult] {
        let named = named(values, of: aid)
        return await results(named.count, WriteResult.failure) { try await handler.write(named, to: accessory) }
    }

    func read(_ characteristics: [CharacteristicRead], of aid: AccessoryID) async -> [ReadResult] {
        let named = named(characteristics, of: aid)
        return await results(named.count, ReadResult.failure) { try await handler.read(named, from: accessory) }
    }

    func identify(_ aid: AccessoryID) async { await handler.identify(accessory) }

    func run() async throws { try await handler.run(accessory) }

    /// Returns the writes or reads of a request, with the ids of their functions added.
    private func named<Part: FunctionPart>(_ parts: [Part], of aid: AccessoryID) -> [Part] {
        parts.map { part in
            var part = part
            part.function = places.function(of: CharacteristicID(aid, part.iid))
            return part
        }
    }

    /// Calls the handler, and returns exactly one result per value.
    private func results<Success>(
        _ count: Int, _ failure: (HAPStatus) -> Success, _ body: () async throws -> [Success]
    ) async -> [Success] {
        do {
            let results = try await body()
            if results.count == count { return results }
            logger.error(
                "result count wrong",
                metadata: about(["results": "\(results.count)", "values": "\(count)"]))
            return Array(repeating: failure(.unableToCommunicate), count: count)
        } catch let status as HAPStatus where status != .success {
            return Array(repeating: failure(status), count: count)
        } catch {
            if !(error is CancellationError) {
                logger.warning("handler failed", metadata: about(["error": "\(error)"]))
            }
            return Array(repeating: failure(.unableToCommunicate), count: count)
        }
    }

    private func about(_ metadata: Logger.Metadata) -> Logger.Metadata {
        guard let id = accessory.id else { return metadata }
        return metadata.merging(["accessory": "\(id)"]) { $1 }
    }
}
