internal import Synchronization

/// The storage of a controller's secret key and pairings.
///
/// The content is a sequence of bytes in a format of ``Controller``. It gives control of the accessories: keep it in a file that only
/// your user can read, or in a keychain. If it is lost, the accessories must be reset.
public protocol PairingStore: Sendable {
    /// Returns the bytes that were saved last.
    ///
    /// - Returns: the bytes; `nil` only if nothing was ever saved.
    /// - Throws: any reason why they can't be read. Returning `nil` instead would make the controller lose its pairings.
    func load() async throws -> [UInt8]?

    /// Replaces the bytes that were saved before.
    ///
    /// Return when the new bytes survive a power cut, and keep the old ones complete until then. The controller makes one call at a
    /// time.
    ///
    /// - Parameter bytes: a few hundred bytes for each accessory.
    /// - Throws: any reason why they can't be stored; the old bytes are unchanged then.
    func save(_ bytes: [UInt8]) async throws
}

/// A store in memory, for tests.
public final class InMemoryPairingStore: PairingStore {
    private let bytes = Mutex<[UInt8]?>(nil)

    /// Creates an empty store.
    public init() {}

    /// Returns the bytes that were saved last.
    public func load() -> [UInt8]? { bytes.withLock { $0 } }

    /// Replaces the bytes that were saved before.
    public func save(_ bytes: [UInt8]) { self.bytes.withLock { $0 = bytes } }
}
