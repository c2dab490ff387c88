/// The parameters that a hub sends with a transition, and later reads back unchanged.
package struct TransitionParameters: Equatable, Sendable {
    /// The transition's identifier, 16 bytes.
    package let transitionID: [UInt8]
    /// The start of the curve according to the hub's clock, as the time since 2001-01-01T00:00Z.
    package let start: Duration
    /// The parameters as received, including unknown items.
    package let encoded: [UInt8]

    /// The maximum length, in bytes.
    ///
    /// The parameters usually take 38 bytes.
    private static let maximumLength = 255

    /// Parses the parameters.
    ///
    /// - Throws: ``TransitionViolation`` if the bytes are invalid.
    package init(parsing bytes: [UInt8]) throws(TransitionViolation) {
        guard bytes.count <= Self.maximumLength else { throw .invalid(.parameters) }
        let items = try TransitionItems(parsing: bytes)
        transitionID = try items.required(1, .transitionID)
        guard transitionID.count == 16 else { throw .invalid(.transitionID) }
        guard let start = try items.number(2, .start) else { throw .missing(.start) }
        self.start = .milliseconds(start)
        encoded = bytes
    }
}
