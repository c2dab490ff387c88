import BoundedJSON
import Glibc
import HTTPTypes
import HomeModel
import Logging
import Synchronization
import SystemKit
import TerminalKit
import Texts

/// The display orders of all homes, which all visitors share.
///
/// They are stored in `order.json` in the state directory. A missing or damaged file means the usual order.
final class DisplayOrders: Sendable {
    /// The largest size of the file in bytes.
    static let sizeLimit = 1 << 20

    private struct Contents {
        var orders: [Home.ID: DisplayOrder]
        var readers: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var lastReader: UInt64 = 0
    }

    private let path: String
    private let logger: Logger
    private let contents: Mutex<Contents>

    init(directory: String, logger: Logger) {
        path = directory + "/order.json"
        self.logger = logger
        var orders: [Home.ID: DisplayOrder] = [:]
        do { orders = try Self.read(path) } catch {
            logger.warning("order unreadable", metadata: ["error": "\(error)"])
        }
        contents = Mutex(Contents(orders: orders))
    }

    /// Returns the order of a home.
    func order(of home: Home.ID) -> DisplayOrder { contents.withLock { $0.orders[home] } ?? DisplayOrder() }

    /// Changes and stores the order of a home.
    ///
    /// Orders of homes that aren't among `homes` are removed.
    ///
    /// - Throws: `WebError` if the order can't be stored. It's unchanged in that case.
    func change(
        _ home: Home.ID, among homes: Set<Home.ID>, _ body: (inout DisplayOrder) -> Void
    ) throws(WebError) {
        let outcome = contents.withLock { contents -> Result<[AsyncStream<Void>.Continuation], any Error> in
            var orders = contents.orders.filter { homes.contains($0.key) }
            body(&orders[home, default: DisplayOrder()])
            do { try write(orders) } catch { return .failure(error) }
            contents.orders = orders
            return .success(Array(contents.readers.values))
        }
        switch outcome {
        case .success(let readers): for reader in readers { reader.yield() }
        case .failure(let error):
            logger.error("order not stored", metadata: ["error": "\(error)"])
            throw WebError(.internalServerError, localized("The order can't be stored. See the log of homeweb."))
        }
    }

    /// Reports changes until the stream is released.
    var changes: AsyncStream<Void> {
        let (changes, sink) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = contents.withLock { contents in
            contents.lastReader += 1
            contents.readers[contents.lastReader] = sink
            return contents.lastReader
        }
        sink.onTermination = { [weak self] _ in self?.contents.withLock { $0.readers[number] = nil } }
        return changes
    }

    // MARK: The file

    private static func read(_ path: String) throws -> [Home.ID: DisplayOrder] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return [:] }
            throw SystemError.last
        }
        defer { close(file) }
        let bytes = try OpenFile(file).read(limit: sizeLimit)
        let json = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self), maximumLength: sizeLimit)
        var orders: [Home.ID: DisplayOrder] = [:]
        guard case .object(let homes)? = json["homes"] else { return orders }
        for member in homes.members {
            guard let home = Home.ID(member.name) else { continue }
            let order = member.value
            orders[home] = DisplayOrder(
                rooms: (order["rooms"]?.array ?? []).compactMap { $0.string.flatMap { Room.ID($0) } },
                tiles: (order["tiles"]?.array ?? []).compactMap { $0.string.flatMap { Service.ID($0) } })
        }
        return orders
    }

    private func write(_ orders: [Home.ID: DisplayOrder]) throws {
        var homes: JSONObject = [:]
        for (home, order) in orders {
            homes["\(home)"] = .object([
                "rooms": .array(order.rooms.map { .string("\($0)") }),
                "tiles": .array(order.tiles.map { .string("\($0)") }),
            ])
        }
        let bytes = JSONValue.object(["homes": .object(homes)]).encoded
        try OutputFile.make(path, replacesOthers: true) { file in try OpenFile(file).write(bytes) }
    }
}
