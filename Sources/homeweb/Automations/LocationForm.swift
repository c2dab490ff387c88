import HomeModel
import HomePresentation
import SystemKit
import TerminalKit
import Texts

/// The form of a home's location: the owner's unchecked input.
struct LocationForm: Equatable {
    var latitude = ""
    var longitude = ""
    /// The name of the time zone; empty for the computer's.
    var timeZone = ""

    /// Creates the form of a location.
    init(_ location: HomeLocation?) {
        guard let location else { return }
        latitude = "\(location.latitude)"
        longitude = "\(location.longitude)"
        timeZone = location.timeZone ?? ""
    }

    /// Creates a form from a browser's request.
    ///
    /// The first field may contain both numbers, in the format that maps copy: `52.52, 13.40`.
    init(_ query: Query) {
        latitude = (query["latitude"] ?? "").trimmed
        longitude = (query["longitude"] ?? "").trimmed
        timeZone = (query["zone"] ?? "").trimmed
        let parts = latitude.split(separator: ",")
        if longitude.isEmpty, parts.count == 2 {
            latitude = String(parts[0]).trimmed
            longitude = String(parts[1]).trimmed
        }
    }

    /// Checks the form and returns the location.
    ///
    /// - Throws: `HomeError` with code 3 for an invalid number or an unknown time zone.
    func location() throws(HomeError) -> HomeLocation {
        guard let latitude = Self.number(latitude), let longitude = Self.number(longitude) else {
            throw HomeError(
                .invalidParameter,
                detail: localized("enter the location in degrees, such as 52.52 and 13.40; south and west are negative")
            )
        }
        let location = try HomeLocation(
            latitude: latitude, longitude: longitude, timeZone: timeZone.isEmpty ? nil : timeZone)
        guard timeZone.isEmpty || ZoneFile.bytes(of: timeZone) != nil else {
            throw HomeError(
                .invalidParameter,
                detail: localized(
                    "this computer doesn't know the time zone \"\(timeZone.shown)\"; use one such as Europe/Berlin"))
        }
        return location
    }

    private static func number(_ text: String) -> Double? {
        Double(text.replacing(",", with: ".").replacing("−", with: "-"))
    }
}
