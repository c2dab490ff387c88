package import DeviceKit

/// What all devices of one system have in common.
package struct DatagramTraits: Sendable {
    package var driverName: String
    package var port: UInt16
    /// Where we listen for what they tell by themselves, if they do.
    package var pushPort: UInt16?
    /// Whom a search is sent to, whose port is that of a host's search, too; `nil` for the broadcast address of each network.
    package var searchGroup: IPv4Endpoint?
    /// The port that they answer to, wherever a request came from; `nil` if they answer to where it came from.
    package var answerPort: UInt16?
    /// How often each is asked for its state.
    package var pollInterval: Duration
    /// How many messages may follow on one another.
    package var burst: Int
    /// How many messages a second each can take.
    package var perSecond: Int
}

package struct DatagramReading<Message: Sendable>: Sendable {
    package enum Content: Sendable {
        /// The device says that it is there, and at which port if not at the one that it sends from; that may be the
        /// answer to a question as well.
        case presence(port: UInt16?, Message?)
        /// The device cannot be used; the text says why.
        case unusable(String)
        /// It may answer what it was asked.
        case answer(Message)
        /// It tells something by itself.
        case push(Message)
    }

    /// Who sent it, if the datagram says so.
    package var device: LightID?
    package var content: Content
}

/// A device of one system, as far as it is known, and how one speaks with it: a machine without clock and sockets.
package protocol DatagramDevice: Sendable {
    associatedtype Request: Equatable, Sendable
    associatedtype Message: Sendable

    static var traits: DatagramTraits { get }

    /// Reads a datagram from any sender; `nil` if it isn't one of this system.
    static func read(_ bytes: [UInt8], session: UInt32) -> DatagramReading<Message>?

    /// Returns the datagram that makes all devices announce themselves, for a network where this computer has the local
    /// address.
    static func search(session: UInt32, localAddress: UInt32) -> [UInt8]

    /// A second question to all, at a port of its own, if there are devices that do not answer the first.
    static var secondSearch: (bytes: [UInt8], port: UInt16)? { get }

    init(id: LightID)

    /// Returns the datagrams of a request.
    ///
    /// The session is the same for all requests of one run of the driver; the device sees the local address.
    func datagrams(of request: Request, number: UInt8, session: UInt32, localAddress: UInt32) -> [[UInt8]]

    static func isAnswer(_ message: Message, to request: Request, number: UInt8) -> Bool

    /// Whether a message, though no answer to a request, shows that the device has got it; if no answer comes, it counts.
    static func isReaction(_ message: Message, to request: Request) -> Bool

    /// The device has answered; what was told to it is true from now on.
    ///
    /// - Throws: ``LightError`` if it refused.
    mutating func answered(_ request: Request, with message: Message) throws(LightError)

    /// The device has told something by itself, or that it is there.
    mutating func told(_ message: Message)

    /// The device was out of reach, and may have other names now.
    mutating func returned()

    /// What has to be asked before, or because, something about the device is not known.
    var questions: [Request] { get }

    var polls: [Request] { get }

    /// The lights that the device is; none if that is not known, or it is no light.
    var lights: [LightDescription] { get }

    /// Whether it is known to be something else than a light.
    var isForeign: Bool { get }

    func state(of light: LightID) -> LightReport?

    func requests(for command: LightCommand, to light: LightID) -> [Request]

    /// How a light shows which one it is: what to send, and what to send a second later.
    func identification(of light: LightID) -> (begin: [Request], end: [Request])
}

extension DatagramDevice {
    package static var secondSearch: (bytes: [UInt8], port: UInt16)? { nil }
    package static func isReaction(_ message: Message, to request: Request) -> Bool { false }
}

/// A device that is one light, which has the device's own id.
package protocol SingleLightDevice: DatagramDevice {
    /// What the device is; `nil` if that is not known, or it is no light.
    var description: LightDescription? { get }

    var state: LightReport? { get }

    func requests(for command: LightCommand) -> [Request]

    /// How it shows which one it is: what to send, and what to send a second later.
    var identification: (begin: [Request], end: [Request]) { get }
}

extension SingleLightDevice {
    package var lights: [LightDescription] { description.map { [$0] } ?? [] }
    package func state(of light: LightID) -> LightReport? { state }
    package func requests(for command: LightCommand, to light: LightID) -> [Request] { requests(for: command) }
    package func identification(of light: LightID) -> (begin: [Request], end: [Request]) { identification }
}
