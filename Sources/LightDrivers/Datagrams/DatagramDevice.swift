package import DeviceKit

/// The common properties of all devices of one system.
package struct DatagramTraits: Sendable {
    package var driverName: String
    /// The name of the system.
    package var title: String
    /// The system's devices in one sentence.
    package var about: String
    package var port: UInt16
    /// The local port to which devices send state changes without a request; `nil` if they send only answers.
    package var pushPort: UInt16?
    /// The multicast group to which searches are sent; `nil` to search the broadcast address of each network.
    ///
    /// The group's port is also the port for searches that are sent to a single host.
    package var searchGroup: IPv4Endpoint?
    /// The local port to which devices send all answers; `nil` if they answer to the source port of the request.
    package var answerPort: UInt16?
    /// The interval between state queries to a device.
    package var pollInterval: Duration
    /// The maximum number of messages that are sent to a device without a pause.
    package var burst: Int
    /// The maximum average number of messages per second to each device.
    package var perSecond: Int
}

package struct DatagramReading<Message: Sendable>: Sendable {
    package enum Content: Sendable {
        /// The device announces itself. The port is `nil` if the device receives requests on the port from which it
        /// sent the announcement.
        ///
        /// The message, if any, may also be the answer to a request.
        case presence(port: UInt16?, Message?)
        /// The device can't be used; the text is the reason.
        case unusable(String)
        /// A possible answer to a request.
        case answer(Message)
        /// A state change that the device sent without a request.
        case push(Message)
    }

    /// The sender, if the datagram contains its id.
    package var device: LightID?
    package var content: Content
}

/// The known state and the protocol of one device.
///
/// It is a state machine, without a clock or sockets.
package protocol DatagramDevice: Sendable {
    associatedtype Request: Equatable, Sendable
    associatedtype Message: Sendable

    static var traits: DatagramTraits { get }

    /// Parses a datagram from any sender, or returns `nil` if the datagram doesn't belong to this system's protocol.
    static func read(_ bytes: [UInt8], session: UInt32) -> DatagramReading<Message>?

    /// Returns the datagram that makes all devices announce themselves.
    ///
    /// `localAddress` is this computer's address in the network to search.
    static func search(session: UInt32, localAddress: UInt32) -> [UInt8]

    /// A second search datagram and its port, for devices that don't answer the first datagram; `nil` if the system has
    /// no such devices.
    static var secondSearch: (bytes: [UInt8], port: UInt16)? { get }

    init(id: LightID)

    /// Returns the datagrams of a request.
    ///
    /// `session` is the same for all requests of one run of the driver. `localAddress` is the address of this computer
    /// from which the device receives the request.
    func datagrams(of request: Request, number: UInt8, session: UInt32, localAddress: UInt32) -> [[UInt8]]

    static func isAnswer(_ message: Message, to request: Request, number: UInt8) -> Bool

    /// Returns whether a message isn't the answer to a request but shows that the device has received it.
    ///
    /// If no answer arrives, such a message counts as the answer.
    static func isReaction(_ message: Message, to request: Request) -> Bool

    /// Processes the answer to a request and adopts the resulting state.
    ///
    /// - Throws: ``LightError`` if the device refused the request.
    mutating func answered(_ request: Request, with message: Message) throws(LightError)

    /// Processes an announcement, or a state change that the device sent without a request.
    mutating func told(_ message: Message)

    /// Prepares for the return of a device that has become unreachable.
    ///
    /// Its names may have changed by the time it answers again.
    mutating func returned()

    /// The queries for missing properties of the device.
    var questions: [Request] { get }

    var polls: [Request] { get }

    /// The device's lights; empty if they are unknown, or if the device isn't a light.
    var lights: [LightDescription] { get }

    /// A Boolean value that indicates whether the device is known to be something other than a light.
    var isForeign: Bool { get }

    func state(of light: LightID) -> LightReport?

    func requests(for command: LightCommand, to light: LightID) -> [Request]

    /// Returns the requests that begin the identification of a light, and the requests that end it a second later.
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

    /// The requests that begin the identification of the light, and the requests that end it a second later.
    var identification: (begin: [Request], end: [Request]) { get }
}

extension SingleLightDevice {
    package var lights: [LightDescription] { description.map { [$0] } ?? [] }
    package func state(of light: LightID) -> LightReport? { state }
    package func requests(for command: LightCommand, to light: LightID) -> [Request] { requests(for: command) }
    package func identification(of light: LightID) -> (begin: [Request], end: [Request]) { identification }
}
