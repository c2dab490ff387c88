internal import Synchronization

/// Where a controller keeps what it must never forget: its own key, and the accessories that it is paired with.
///
/// All of it is one piece of bytes, which only ``Controller`` understands. Whoever reads it can control the accessories, so it
/// belongs into a file that only your user reads, or into a keychain. Whoever loses it must reset the accessories.
public protocol PairingStore: Sendable {
    /// What was saved last.
    ///
    /// - Returns: the bytes; `nil` only if nothing has ever been saved. Anything else that keeps them from being read is
    ///   thrown: a controller that takes it for nothing begins anew and loses its pairings.
    func load() async throws -> [UInt8]?

    /// Replaces what was saved.
    ///
    /// It returns when the bytes survive a power cut; what was saved before is whole until then. Calls come one after the
    /// other.
    ///
    /// - Parameter bytes: a few hundred of them for each accessory.
    /// - Throws: what keeps them from being stored; nothing has changed then.
    func save(_ bytes: [UInt8]) async throws
}

/// A store that forgets with the process, for tests.
public final class InMemoryPairingStore: PairingStore {
    private let bytes = Mutex<[UInt8]?>(nil)

    /// Makes an empty store.
    public init() {}

    /// What was saved last.
    public func load() -> [UInt8]? { bytes.withLock { $0 } }

    /// Replaces what was saved.
    public func save(_ bytes: [UInt8]) { self.bytes.withLock { $0 = bytes } }
}
