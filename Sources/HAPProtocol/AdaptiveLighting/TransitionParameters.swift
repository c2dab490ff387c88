/// What a hub says about a transition and reads back, byte for byte.
package struct TransitionParameters: Equatable, Sendable {
    /// 16 bytes by which the hub knows the transition.
    package let transitionID: [UInt8]
    /// When the curve starts by the hub's clock: since 2001-01-01T00:00Z.
    package let start: Duration
    /// The parameters as they came; what is unknown in them is echoed, too.
    package let encoded: [UInt8]

    /// 38 bytes are usual.
    private static let maximumLength = 255

    /// Reads the parameters.
    ///
    /// - Throws: a violation.
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
