public import AccessoryRole
internal import HAPProtocol

/// The program behind an accessory: it carries out the requests of controllers and reports changes.
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
/// All functions have defaults: an accessory that is only read needs no ``write(_:to:)``.
///
/// ## Time
///
/// A request takes at most 2 s: then the controller gets `timedOut`, the values of a write go back to the former ones, and the task
/// that runs the function is canceled. The next request may arrive while a late function still runs. Requests start on the thread that
/// serves all controllers, so they must not block it.
public protocol AccessoryHandler: Sendable {
    /// Writes the values of one request to the device, as one update.
    ///
    /// The values are of the characteristics' formats and within their limits. Controllers see them at once; the former value of
    /// what fails is restored. If the device ends up with another value, report it with ``HostedAccessory/update(_:in:to:)`` before
    /// the function returns.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - accessory: The accessory that they are written to.
    /// - Returns: A result for each value, in order.
    /// - Throws: A `HAPStatus` to refuse all values with it. Any other error is logged, and refuses them with `unableToCommunicate`.
    func write(_ values: [CharacteristicWrite], to accessory: HostedAccessory) async throws -> [WriteResult]

    /// Reads characteristics that a controller asks for now.
    ///
    /// The default leaves all values unchanged: controllers get the value that was reported or written last. `GET /accessories`
    /// always does.
    ///
    /// - Parameters:
    ///   - characteristics: The characteristics, which have the permission `pairedRead`.
    ///   - accessory: The accessory that they belong to.
    /// - Returns: A result for each characteristic, in order.
    /// - Throws: A `HAPStatus` that all have. Any other error is logged, and their status is `unableToCommunicate`.
    func read(
        _ characteristics: [CharacteristicRead], from accessory: HostedAccessory
    ) async throws -> [ReadResult]

    /// Makes the device show which one it is, for example by blinking; no controller waits for that.
    func identify(_ accessory: HostedAccessory) async

    /// Does the accessory's own work, such as measuring or following the device, and reports it.
    ///
    /// It starts when the host runs, or when the accessory is added to a bridge that runs. Its task is canceled when the host ends,
    /// and when the accessory is removed or replaced.
    ///
    /// - Parameter accessory: The accessory to report values of.
    /// - Throws: An error that ends the host's run.
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

    /// Returns at once.
    public func run(_ accessory: HostedAccessory) async throws {}
}
