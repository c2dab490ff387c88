/// One connection of an app, from its opening to its end; numbers are never used again.
package struct SessionID: Hashable, Sendable, Comparable {
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }

    package static func < (a: SessionID, b: SessionID) -> Bool { a.number < b.number }
}

/// One request that an app waits on.
package struct Call: Hashable, Sendable {
    /// Who asks.
    package let session: SessionID
    /// Tells the session's calls apart.
    package let number: UInt64

    package init(_ session: SessionID, _ number: UInt64) {
        self.session = session
        self.number = number
    }
}
