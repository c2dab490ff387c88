import BoundedJSON
import Glibc
import HTTPTypes
import HomeModel
import Logging
import Synchronization
import SystemKit
import TerminalKit
import Texts

/// How all homes are displayed, which all visitors share.
///
/// It's stored in `order.json` in the state directory. A missing or damaged file means the usual display.
final class HomeDisplays: Sendable {
    /// The largest size of the file in bytes.
    static let sizeLimit = 1 << 20

    private struct Contents {
        var displays: [Home.ID: HomeDisplay]
        var readers: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var lastReader: UInt64 = 0
    }

    private let path: String
    private let logger: Logger
    private let contents: Mutex<Contents>

    init(directory: String, logger: Logger) {
        path = directory + "/order.json"
        self.logger = logger
        var displays: [Home.ID: HomeDisplay] = [:]
        do { displays = try Self.read(path) } catch {
            logger.warning("order unreadable", metadata: ["error": "\(error)"])
        }
        contents = Mutex(Contents(displays: displays))
    }

    /// Returns how a home is displayed.
    func display(of home: Home.ID) -> HomeDisplay { contents.withLock { $0.displays[home] } ?? HomeDisplay() }

    /// Changes and stores how a home is displayed.
    ///
    /// The displays of homes that aren't among `homes` are removed.
    ///
    /// - Throws: `WebError` if the change can't be stored. Nothing is changed in that case.
    func change(
        _ home: Home.ID, among homes: Set<Home.ID>, _ body: (inout HomeDisplay) -> Void
    ) throws(WebError) {
        let outcome = contents.withLock { contents -> Result<[AsyncStream<Void>.Continuation], any Error> in
            var displays = contents.displays.filter { homes.contains($0.key) }
            body(&displays[home, default: HomeDisplay()])
            do { try write(displays) } catch { return .failure(error) }
            contents.displays = displays
            return .success(Array(contents.readers.values))
        }
        switch outcome {
        case .success(let readers): for reader in readers { reader.yield() }
        case .failure(let error):
            logger.error("order not stored", metadata: ["error": "\(error)"])
            throw WebError(.internalServerError, localized("The change can't be stored. See the log of homeweb."))
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

    private static func read(_ path: String) throws -> [Home.ID: HomeDisplay] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return [:] }
            throw SystemError.last
        }
        defer { close(file) }
        let bytes = try OpenFile(file).read(limit: sizeLimit)
        let json = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self), maximumLength: sizeLimit)
        var displays: [Home.ID: HomeDisplay] = [:]
        guard case .object(let homes)? = json["homes"] else { return displays }
        for member in homes.members {
            guard let home = Home.ID(member.name) else { continue }
            func ids<Entity>(_ name: String) -> [Identifier<Entity>] {
                (member.value[name]?.array ?? []).compactMap { $0.string.flatMap { Identifier($0) } }
            }
            displays[home] = HomeDisplay(
                rooms: ids("rooms"), tiles: ids("tiles"), favorites: ids("favorites"), wide: Set(ids("wide")),
                hidden: Set(ids("hidden")))
        }
        return displays
    }

    private func write(_ displays: [Home.ID: HomeDisplay]) throws {
        func list<Entity>(_ ids: [Identifier<Entity>]) -> JSONValue { .array(ids.map { .string("\($0)") }) }
        var homes: JSONObject = [:]
        for (home, display) in displays {
            homes["\(home)"] = .object([
                "rooms": list(display.rooms), "tiles": list(display.tiles), "favorites": list(display.favorites),
                "wide": list(display.wide.sorted()), "hidden": list(display.hidden.sorted()),
            ])
        }
        let bytes = JSONValue.object(["homes": .object(homes)]).encoded
        try OutputFile.make(path, replacesOthers: true) { file in try OpenFile(file).write(bytes) }
    }
}
