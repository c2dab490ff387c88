import HomeModel

/// What the hub knows of a session besides its permission.
struct Session: Sendable {
    var app: String
    var capabilities: Set<HomeCapability>
    /// Whose accessories the app is responsible for.
    var vendor: String?
    /// Ends the wait of the session's reader.
    var reader: AsyncStream<Void>.Continuation?

    init(_ opening: SessionOpening) {
        app = opening.app
        capabilities = opening.capabilities
        vendor = opening.capabilities.contains(.vendor) ? opening.vendor : nil
    }
}
