/// Today's sun events at a home's location.
public struct Daylight: Codable, Sendable, Hashable {
    /// The time of civil dawn; `nil` if there is none today.
    public let civilDawn: Timestamp?
    /// The time of sunrise; `nil` if there is none today.
    public let sunrise: Timestamp?
    /// The time of sunset; `nil` if there is none today.
    public let sunset: Timestamp?
    /// The time of civil dusk; `nil` if there is none today.
    public let civilDusk: Timestamp?
    /// The name of the home's time zone, such as `Europe/Berlin`.
    ///
    /// If the location has no time zone, it's the name of the system's time zone, or `nil` if that is unknown.
    public let timeZone: String?

    package init(
        civilDawn: Timestamp?, sunrise: Timestamp?, sunset: Timestamp?, civilDusk: Timestamp?, timeZone: String?
    ) {
        self.civilDawn = civilDawn
        self.sunrise = sunrise
        self.sunset = sunset
        self.civilDusk = civilDusk
        self.timeZone = timeZone
    }
}
