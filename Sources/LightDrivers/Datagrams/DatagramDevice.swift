package import DeviceKit

/// The common properties of all devices of one system.
package struct DatagramTraits: Sendable {
    package var driverName: String
    package var port: UInt16
    /// The port at which we receive state changes that devices send on their own; `nil` if they send none.
    package var pushPort: UInt16?
    /// The multicast group of a search, whose port is also that of a search at a host; `nil` to search the broadcast
    /// address of each network.
    package var searchGroup: IPv4Endpoint?
    /// The port to which devices send all answers; `nil` if they answer to the source port.
    package var answerPort: UInt16?
    /// The interval between state queries to a device.
    package var pollInterval: Duration
    /// The maximum number of messages without a pause.
    package var burst: Int
    /// The maximum number of messages a second to each device.
    package var perSecond: Int
}

package struct DatagramReading<Message: Sendable>: Sendable {
    package enum Content: Sendable {
        /// The device announces itself; the port is `nil` if it is the source port.
        ///
        /// It may be an answer, too.
        case presence(port: UInt16?, Message?)
        /// The device can't be used, for this reason.
        case unusable(String)
        /// A possible answer to a request.
        case answer(Message)
        /// A state change that the device sends on its own.
        case push(Message)
    }

    /// The sender, if the datagram contains its id.
    package var device: LightID?
    package var content: Content
}

/// The known state and the protocol of a device of one system: a machine without a clock and sockets.
package protocol DatagramDevice: Sendable {
    associatedtype Request: Equatable, Sendable
    associatedtype Message: Sendable

    static var traits: DatagramTraits { get }

    /// Parses a datagram from any sender; `nil` if it doesn't belong to this system.
    static func read(_ bytes: [UInt8], session: UInt32) -> DatagramReading<Message>?

    /// Returns the datagram that makes all devices announce themselves, for a network where this computer has the local
    /// address.
    static func search(session: UInt32, localAddress: UInt32) -> [UInt8]

    /// A second search datagram with a separate port, for devices that don't answer the first; `nil` without such
    /// devices.
    static var secondSearch: (bytes: [UInt8], port: UInt16)? { get }

    init(id: LightID)

    /// Returns the datagrams of a request.
    ///
    /// The session is the same for all requests of one run of the driver; the device sees the local address.
    func datagrams(of request: Request, number: UInt8, session: UInt32, localAddress: UInt32) -> [[UInt8]]

    static func isAnswer(_ message: Message, to request: Request, number: UInt8) -> Bool

    /// Returns whether a message shows that the device has received a request, without being its answer; it counts as
    /// the answer if none arrives.
    static func isReaction(_ message: Message, to request: Request) -> Bool

    /// Processes the answer to a request, whose values count as the device's state from now on.
    ///
    /// - Throws: ``LightError`` if the device refused.
    mutating func answered(_ request: Request, with message: Message) throws(LightError)

    /// Processes an announcement, or a state change that the device sent on its own.
    mutating func told(_ message: Message)

    /// Processes the return of an unreachable device, which may have other names now.
    mutating func returned()

    /// The queries for missing properties of the device.
    var questions: [Request] { get }

    var polls: [Request] { get }

    /// The device's lights; empty if they are unknown, or if the device isn't a light.
    var lights: [LightDescription] { get }

    /// A Boolean value that indicates whether it is known to be something other than a light.
    var isForeign: Bool { get }

    func state(of light: LightID) -> LightReport?

    func requests(for command: LightCommand, to light: LightID) -> [Request]

    /// Returns the requests that identify a light, and those to send a second later.
    func identification(of light: LightID) -> (begin: [Request], end: [Request])
}

extension DatagramDevice {
    package static var secondSearch: (bytes: [UInt8], port: UInt16)? { nil }
    package static func isReaction(_ message: Message, to request: Request) -> Bool { false }
}

/// A device with a single light, which has the device's id.
package protocol SingleLightDevice: DatagramDevice {
    /// The light's description; `nil` if it is unknown, or if the device isn't a light.
    var description: LightDescription? { get }

    var state: LightReport? { get }

    func requests(for command: LightCommand) -> [Request]

    /// The requests that identify the light, and those to send a second later.
    var identification: (begin: [Request], end: [Request]) { get }
}

extension SingleLightDevice {
    package var lights: [LightDescription] { description.map { [$0] } ?? [] }
    package func state(of light: LightID) -> LightReport? { state }
    package func requests(for command: LightCommand, to light: LightID) -> [Request] { requests(for: command) }
    package func identification(of light: LightID) -> (begin: [Request], end: [Request]) { identification }
}
