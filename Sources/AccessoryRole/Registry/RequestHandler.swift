public import HAPModel
public import HAPProtocol

/// A characteristic that a controller reads.
public struct CharacteristicRead: Equatable, Sendable {
    /// The characteristic's id within its accessory.
    public let iid: InstanceID
    /// The type of the characteristic's service.
    public let service: ServiceType
    /// The `AccessoryFunction.id` of the characteristic's function, if it has one.
    public package(set) var function: String?
    /// The characteristic's type.
    public let type: CharacteristicType
}

/// A single write or read in a request, which belongs to a function of an accessory.
package protocol FunctionPart {
    var iid: InstanceID { get }
    var function: String? { get set }
}

extension CharacteristicRead: FunctionPart {}
extension CharacteristicWrite: FunctionPart {}

/// The result of one written value.
public struct WriteResult: Equatable, Sendable {
    /// The status for the controller.
    public let status: HAPStatus
    /// The write response, for controllers that request one.
    public let response: CharacteristicValue?

    private init(_ status: HAPStatus, _ response: CharacteristicValue?) {
        self.status = status
        self.response = response
    }

    /// The device has accepted the value.
    public static let success = WriteResult(.success, nil)

    /// The device has accepted the value and returns a response.
    ///
    /// Controllers get the response only for characteristics with the `writeResponse` permission (HAP 8.5).
    public static func success(response: CharacteristicValue) -> WriteResult { WriteResult(.success, response) }

    /// The device has rejected the value, so the previous value is restored.
    public static func failure(_ status: HAPStatus) -> WriteResult { WriteResult(status, nil) }
}

/// The result of one read.
public struct ReadResult: Equatable, Sendable {
    let status: HAPStatus
    let value: CharacteristicValue?

    private init(_ status: HAPStatus, _ value: CharacteristicValue?) {
        self.status = status
        self.value = value
    }

    /// The last reported or written value is still valid.
    public static let unchanged = ReadResult(.success, nil)

    /// The current value.
    ///
    /// Subscribers other than the reader are notified if the value differs from the previous one.
    public static func value(_ value: CharacteristicValue) -> ReadResult { ReadResult(.success, value) }

    /// The value can't be read, for the reason in `status`.
    public static func failure(_ status: HAPStatus) -> ReadResult { ReadResult(status, nil) }
}

/// An implementation of an accessory that handles reads and writes, and returns a result for each value.
///
/// Unlike an ``AccessorySource``, a handler may take any amount of time. After ``AccessoryServer/handlerTimeout``, the
/// controller gets `timedOut`, and the task that handles the request is canceled. While
/// ``HandlerCalls/maximumUnfinished`` calls are unfinished, controllers get `busy`.
package protocol RequestHandler: Sendable {
    /// Writes the values of one request and returns a result for each, in order.
    func write(_ values: [CharacteristicWrite], to accessory: AccessoryID) async -> [WriteResult]

    /// Reads characteristics and returns a result for each, in order.
    func read(_ characteristics: [CharacteristicRead], of accessory: AccessoryID) async -> [ReadResult]

    /// Makes the device identify itself.
    func identify(_ accessory: AccessoryID) async
}

/// The result of writing a request's values to one accessory.
enum OrderResult {
    /// One status for all values.
    case all(HAPStatus)
    /// A result for each value, in order.
    case each([WriteResult])

    subscript(index: Int) -> HAPStatus {
        switch self {
        case .all(let status): status
        case .each(let results): results.indices.contains(index) ? results[index].status : .unableToCommunicate
        }
    }

    var hasSuccess: Bool {
        switch self {
        case .all(let status): status == .success
        case .each(let results): results.contains { $0.status == .success }
        }
    }
}
