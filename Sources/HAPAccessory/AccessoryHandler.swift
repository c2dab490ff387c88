public import AccessoryRole
internal import HAPProtocol

/// The implementation of an accessory, which carries out the requests of controllers and reports changes.
///
/// ```swift
/// actor Lamp: AccessoryHandler {
///     func write(_ values: [CharacteristicWrite], to accessory: HostedAccessory) async throws -> [WriteResult] {
///         try await device.send(values)
///         return values.map { _ in .success }
///     }
///
///     func run(_ accessory: HostedAccessory) async throws {
///         for await isOn in device.changes { await accessory.update(.on, to: .bool(isOn)) }
///     }
/// }
/// ```
///
/// All methods have default implementations. For example, a read-only accessory doesn't need ``write(_:to:)``.
///
/// ## Time limit
///
/// A read or a write may take at most 2 s. After that, the controller gets `timedOut`, the values of a write are
/// reverted, and the task that runs the method is canceled. The next request may arrive while the canceled method is
/// still running. Each method starts on the thread that serves all controllers, so it must not block that thread.
public protocol AccessoryHandler: Sendable {
    /// Writes the values of one request to the device, as one update.
    ///
    /// The values have the formats of their characteristics and are within the limits. Controllers see the written
    /// values immediately; if a write fails, the previous value is restored. If the device ends up with a different
    /// value, report it with ``HostedAccessory/update(_:in:to:)`` before the method returns.
    ///
    /// - Parameters:
    ///   - values: The values to write.
    ///   - accessory: The accessory to write to.
    /// - Returns: A result for each value, in order.
    /// - Throws: A `HAPStatus`, which becomes the status of all values. Any other error is logged, and the status of
    ///   all values is `unableToCommunicate`.
    func write(_ values: [CharacteristicWrite], to accessory: HostedAccessory) async throws -> [WriteResult]

    /// Reads characteristics that a controller requests.
    ///
    /// The default implementation leaves all values unchanged, so that controllers get the last reported or written
    /// values. A request for the whole database, `GET /accessories`, always gets these values and doesn't call this
    /// method.
    ///
    /// - Parameters:
    ///   - characteristics: The characteristics to read, which all have the `pairedRead` permission.
    ///   - accessory: The accessory to read from.
    /// - Returns: A result for each characteristic, in order.
    /// - Throws: A `HAPStatus`, which becomes the status of all characteristics. Any other error is logged, and the
    ///   status is `unableToCommunicate`.
    func read(
        _ characteristics: [CharacteristicRead], from accessory: HostedAccessory
    ) async throws -> [ReadResult]

    /// Makes the device identify itself, for example by blinking.
    ///
    /// Controllers don't wait until the method returns.
    func identify(_ accessory: HostedAccessory) async

    /// Performs the accessory's own work, such as measuring or observing the device, and reports values.
    ///
    /// The method starts when the host runs, or when the accessory is added to a running bridge. Its task is canceled
    /// when the host ends, or when the accessory is removed or replaced.
    ///
    /// - Parameter accessory: The accessory whose values the method reports.
    /// - Throws: Any error, which ends the host's run. ``AccessoryHost/run()`` then throws the same error, unless it is
    ///   a `CancellationError`.
    func run(_ accessory: HostedAccessory) async throws
}

extension AccessoryHandler {
    /// Refuses all values with `readOnly`.
    public func write(
        _ values: [CharacteristicWrite], to accessory: HostedAccessory
    ) async throws -> [WriteResult] { throw HAPStatus.readOnly }

    /// Leaves all values unchanged.
    public func read(
        _ characteristics: [CharacteristicRead], from accessory: HostedAccessory
    ) async throws -> [ReadResult] { characteristics.map { _ in .unchanged } }

    /// Does nothing.
    public func identify(_ accessory: HostedAccessory) async {}

    /// Returns immediately.
    public func run(_ accessory: HostedAccessory) async throws {}
}
