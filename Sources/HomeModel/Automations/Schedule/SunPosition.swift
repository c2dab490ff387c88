import Glibc

/// The altitude of the sun at a place, by NOAA's form of Meeus's formulas (*Astronomical Algorithms*, chapter 25).
///
/// The error is about 0.01°. Times of events are correct within a minute, or within a few minutes where the sun moves
/// almost along the horizon. The formulas are made for the years 1900 to 2100.
struct SunPosition {
    let location: HomeLocation

    /// The declination and the equation of time at a moment.
    private struct Coordinates {
        /// The angle from the plane of the equator, in degrees.
        var declination: Double
        /// The difference between true and mean solar time, in minutes.
        var equationOfTime: Double

        init(at time: Double) {
            let century = (time / 86_400 - 10_957.5) / 36_525
            let meanLongitude = 280.46646 + century * (36_000.76983 + century * 0.0003032)
            let anomaly = 357.52911 + century * (35_999.05029 - 0.0001537 * century)
            let eccentricity = 0.016708634 - century * (0.000042037 + 0.0000001267 * century)
            let center =
                sine(anomaly) * (1.914602 - century * (0.004817 + 0.000014 * century))
                + sine(2 * anomaly) * (0.019993 - 0.000101 * century) + sine(3 * anomaly) * 0.000289
            let node = 125.04 - 1934.136 * century
            let longitude = meanLongitude + center - 0.00569 - 0.00478 * sine(node)
            let meanObliquity =
                23 + (26 + (21.448 - century * (46.815 + century * (0.00059 - century * 0.001813))) / 60) / 60
            let obliquity = meanObliquity + 0.00256 * cosine(node)
            declination = asin(sine(obliquity) * sine(longitude)) / degree
            let half = tan(obliquity / 2 * degree)
            let y = half * half
            equationOfTime =
                4 / degree
                * (y * sine(2 * meanLongitude) - 2 * eccentricity * sine(anomaly)
                    + 4 * eccentricity * y * sine(anomaly) * cosine(2 * meanLongitude)
                    - 0.5 * y * y * sine(4 * meanLongitude) - 1.25 * eccentricity * eccentricity * sine(2 * anomaly))
        }
    }

    /// Returns the altitude of the sun's center in degrees, without refraction, at a time in seconds since 1970.
    func altitude(at time: Double) -> Double {
        let coordinates = Coordinates(at: time)
        let hourAngle = hourAngle(at: time, coordinates)
        let height =
            sine(location.latitude) * sine(coordinates.declination)
            + cosine(location.latitude) * cosine(coordinates.declination) * cosine(hourAngle)
        return asin(min(max(height, -1), 1)) / degree
    }

    /// Returns the solar noon nearest to a time, when the sun is in the south or in the north.
    func noon(nearestTo time: Double) -> Double {
        // One degree takes four minutes. The equation of time hardly changes in half a day.
        var noon = time
        for _ in 0..<2 { noon -= hourAngle(at: noon, Coordinates(at: noon)) * 240 }
        return noon
    }

    /// Returns the time of an event on the day around the given noon, rounded up to a second; `nil` if it doesn't
    /// happen.
    func time(of event: SunEvent, noon: Double) -> Double? {
        let direction: Double = event.isRising ? -1 : 1
        var (above, below) = (noon, noon + direction * 43_200)
        guard altitude(at: above) > event.altitude, altitude(at: below) < event.altitude else { return nil }
        // Between noon and midnight, the altitude passes each value at most once.
        while abs(below - above) > 0.1 {
            let middle = (above + below) / 2
            if altitude(at: middle) > event.altitude { above = middle } else { below = middle }
        }
        return max(above, below).rounded(.up)
    }

    /// Returns a Boolean value that indicates whether the sun is below the altitude of an event.
    func isBelow(_ event: SunEvent, at time: Double) -> Bool { altitude(at: time) < event.altitude }

    /// Returns the sun's angle from the south, in degrees from -180 to 180; negative in the morning.
    private func hourAngle(at time: Double, _ coordinates: Coordinates) -> Double {
        let minutes = time / 60 + coordinates.equationOfTime + 4 * location.longitude
        return (minutes / 4 - 180).remainder(dividingBy: 360)
    }
}

extension SunEvent {
    /// The altitude of the sun's center, in degrees.
    ///
    /// At sunrise and sunset, refraction lifts the sun by 34', and its radius is 16'.
    var altitude: Double {
        switch self {
        case .sunrise, .sunset: -0.833
        case .civilDawn, .civilDusk: -6
        }
    }

    /// A Boolean value that indicates whether the event is in the morning.
    package var isRising: Bool { self == .sunrise || self == .civilDawn }
}

private let degree = Double.pi / 180

private func sine(_ degrees: Double) -> Double { sin(degrees * degree) }

private func cosine(_ degrees: Double) -> Double { cos(degrees * degree) }
