/// The location and the time zone of a home.
public struct HomeLocation: Codable, Sendable, Hashable {
    /// The latitude in degrees, from -90 to 90; north is positive.
    public let latitude: Double
    /// The longitude in degrees, from -180 to 180; east is positive.
    public let longitude: Double
    /// The name of the time zone, such as `Europe/Berlin`; `nil` for the system's time zone.
    public let timeZone: String?

    /// Creates a location.
    ///
    /// - Throws: `HomeError` with code 3 if a number is out of range, or if the time zone's name can't be valid.
    public init(latitude: Double, longitude: Double, timeZone: String? = nil) throws(HomeError) {
        guard -90...90 ~= latitude else {
            throw HomeError(.invalidParameter, detail: "the latitude must be from -90 to 90 degrees")
        }
        guard -180...180 ~= longitude else {
            throw HomeError(.invalidParameter, detail: "the longitude must be from -180 to 180 degrees")
        }
        if let timeZone, !Self.isTimeZoneName(timeZone) {
            throw HomeError(
                .invalidParameter, detail: "the name of the time zone is invalid; use a name such as Europe/Berlin")
        }
        self.latitude = latitude
        self.longitude = longitude
        self.timeZone = timeZone
    }

    /// Returns a Boolean value that indicates whether a string can be the name of a time zone and is safe as the
    /// relative path of a file.
    package static func isTimeZoneName(_ name: String) -> Bool {
        guard name.utf8.count <= 64 else { return false }
        return name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.allSatisfy { $0.isLetter || $0.isDigit || "_+-".utf8.contains($0) }
        }
    }
}

extension UInt8 {
    /// A Boolean value that indicates whether the byte is an ASCII letter.
    var isLetter: Bool { 0x41...0x5A ~= self & 0xDF }

    /// A Boolean value that indicates whether the byte is an ASCII digit.
    var isDigit: Bool { 0x30...0x39 ~= self }
}
