internal import BoundedJSON

/// `PUT /prepare`: announces a timed write (HAP 8.6).
package struct PrepareRequest: Equatable, Sendable {
    /// The time within which the timed write must arrive.
    package var timeToLive: Duration
    /// The id that the timed write will contain.
    package var preparedID: UInt64

    package init(timeToLive: Duration, preparedID: UInt64) {
        self.timeToLive = timeToLive
        self.preparedID = preparedID
    }

    /// The body of the request, with the time in whole milliseconds.
    package var encoded: [UInt8] {
        let (seconds, attoseconds) = timeToLive.components
        let milliseconds = UInt64(max(0, seconds)) * 1000 + UInt64(max(0, attoseconds)) / 1_000_000_000_000_000
        return JSONValue.object(["ttl": .unsigned(milliseconds), "pid": .unsigned(preparedID)]).encoded
    }

    /// Parses a body.
    ///
    /// - Returns: `nil` if the request must be answered with status 400.
    package init?(parsing body: [UInt8]) {
        guard let json = try? JSONValue(parsing: body, maximumLength: HTTPLimits.body), let object = json.object,
            object.members.count(where: { $0.name == "ttl" }) == 1,
            object.members.count(where: { $0.name == "pid" }) == 1, let ttl = object["ttl"]?.unsignedInteger,
            let milliseconds = Int64(exactly: ttl), let pid = object["pid"]?.unsignedInteger,
            .milliseconds(milliseconds) <= Self.maximumTimeToLive
        else { return nil }
        timeToLive = .milliseconds(milliseconds)
        preparedID = pid
    }
}
