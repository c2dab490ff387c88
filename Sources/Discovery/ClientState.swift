/// What a client is to the Avahi daemon, as both machines are told it.
enum ClientState: Equatable {
    /// No client could be made: the bus itself is away.
    case refused(reason: String)
    /// On the bus, but the Avahi daemon is not.
    case connecting
    /// The Avahi daemon settles its host name.
    case registering
    case running
    /// The client is dead and a new one is needed.
    case failed(reason: String)
}
