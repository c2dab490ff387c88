internal import Synchronization

/// The storage of a controller's secret key and pairings.
///
/// The content is a sequence of bytes whose format only ``Controller`` knows. These bytes give control of the
/// accessories, so keep them in a keychain or in a file that only your user can read. If they are lost, the accessories
/// must be reset.
public protocol PairingStore: Sendable {
    /// Returns the bytes of the last save.
    ///
    /// - Returns: The bytes; `nil` only if nothing was ever saved.
    /// - Throws: Any error, if the bytes can't be read. Don't return `nil` in this case: the controller would start
    ///   without its pairings.
    func load() async throws -> [UInt8]?

    /// Replaces the saved bytes.
    ///
    /// Return only when the new bytes would survive a power failure, and keep the old bytes intact until then. The
    /// controller makes one call at a time.
    ///
    /// - Parameter bytes: The new content, a few hundred bytes for each accessory.
    /// - Throws: Any error, if the bytes can't be stored; the old bytes must be unchanged.
    func save(_ bytes: [UInt8]) async throws
}

/// A store in memory, for tests.
public final class InMemoryPairingStore: PairingStore {
    private let bytes = Mutex<[UInt8]?>(nil)

    /// Creates an empty store.
    public init() {}

    /// Returns the bytes of the last save, or `nil` if nothing was saved.
    public func load() -> [UInt8]? { bytes.withLock { $0 } }

    /// Replaces the saved bytes.
    public func save(_ bytes: [UInt8]) { self.bytes.withLock { $0 = bytes } }
}
