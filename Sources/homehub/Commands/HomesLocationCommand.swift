import ArgumentParser
import BoundedJSON
import HomeClient
import HomeModel
import HomePresentation
import TerminalKit

struct HomesLocationCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "location", abstract: "Show, set or remove the location of a home, for sunrise and sunset.",
        discussion: """
            For example: homehub homes location "My House" 52.52,13.40 --time-zone Europe/Berlin. South and west are \
            negative: -33.87,151.21, or 33.87S,151.21E. The command prints today's sunrise and sunset, so that you \
            notice a wrong sign. To remove the location: homehub homes location "My House" none.
            """)

    @Argument(help: "The home, by name or ID.", completion: .names(.homes))
    var object: String

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "Latitude and longitude in degrees, or none to remove the location.", valueName: "latitude,longitude"))
    var position: [String] = []

    @Option(
        help: ArgumentHelp(
            "The time zone, such as Europe/Berlin (default: the computer's).", valueName: "zone"))
    var timeZone: String?

    @OptionGroup var options: HomeOptions

    func validate() throws {
        if let option = position.first(where: { $0.hasPrefix("--") }) {
            throw ValidationError("Unknown option '\(option)'")
        }
    }

    func run(_ session: HomeSession) async throws {
        let home = try await session.manager.homes.home(object)
        let typed = position.joined(separator: " ")
        switch typed {
        case "" where timeZone == nil: break
        case "none": try await session.manager.setLocation(nil, of: home.id)
        default: try await session.manager.setLocation(try location(typed, of: home), of: home.id)
        }
        guard let home = await session.manager.homes.first(where: { $0.id == home.id }) else { return }
        guard let location = home.location else {
            return session.print("\(home.name) has no location\n", json: ["location": .null])
        }
        let daylight = try await session.manager.daylight(of: home.id)
        session.print(
            Self.text(of: location, daylight, .current(of: home)),
            json: ["location": location.json, "daylight": daylight.json])
    }

    /// Returns the typed location or, if no position was typed, the current position with the typed time zone.
    private func location(_ typed: String, of home: Home) throws(HomeError) -> HomeLocation {
        guard !typed.isEmpty else {
            guard let old = home.location else {
                throw HomeError(.missingParameter, detail: "a time zone needs a location; add one, such as 52.52,13.40")
            }
            return try HomeLocation(latitude: old.latitude, longitude: old.longitude, timeZone: timeZone)
        }
        let position = try Position(typed: typed)
        return try HomeLocation(
            latitude: position.latitude, longitude: position.longitude, timeZone: timeZone ?? home.location?.timeZone)
    }

    private static func text(of location: HomeLocation, _ daylight: Daylight, _ time: HomeTime) -> String {
        func clock(_ moment: Timestamp?) -> String { moment.map { time.clock($0) } ?? "none today" }
        let rows = [
            ("location", Position(latitude: location.latitude, longitude: location.longitude).text),
            ("time zone", location.timeZone ?? daylight.timeZone.map { "\($0) (the computer's)" } ?? "the computer's"),
            ("dawn", clock(daylight.civilDawn)), ("sunrise", clock(daylight.sunrise)),
            ("sunset", clock(daylight.sunset)), ("dusk", clock(daylight.civilDusk)),
        ]
        return rows.map { name, value in
            name + String(repeating: " ", count: 12 - name.count) + value.sanitized + "\n"
        }.joined()
    }
}

/// A typed position: `52.52,13.40` or `33.87S,151.21E`.
struct Position: Equatable {
    let latitude: Double
    let longitude: Double

    init(latitude: Double, longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }

    init(typed: String) throws(HomeError) {
        let parts = typed.uppercased().replacing("°", with: "").replacing("−", with: "-")
            .split { $0 == "," || $0 == " " || $0 == ";" }.map(String.init)
        guard parts.count == 2, let latitude = Self.degrees(parts[0], "N", "S"),
            let longitude = Self.degrees(parts[1], "E", "W")
        else {
            throw HomeError(
                .invalidParameter,
                detail:
                    "don't understand \"\(typed.shown)\"; use latitude and longitude in degrees, such as 52.52,13.40")
        }
        self.init(latitude: latitude, longitude: longitude)
    }

    private static func degrees(_ text: String, _ positive: Character, _ negative: Character) -> Double? {
        let sign = text.last == negative ? -1.0 : 1
        let digits = text.last == negative || text.last == positive ? text.dropLast() : text[...]
        guard digits.utf8.allSatisfy({ "0123456789.-+".utf8.contains($0) }), let number = Double(digits) else {
            return nil
        }
        return sign * number
    }

    /// The position with the directions, so that a wrong sign is visible.
    var text: String {
        "\(JSONValue.number(latitude.magnitude).text)° \(latitude < 0 ? "S" : "N"), "
            + "\(JSONValue.number(longitude.magnitude).text)° \(longitude < 0 ? "W" : "E")"
    }
}
