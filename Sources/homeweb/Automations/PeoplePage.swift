import HomeClient
import HomeModel
import HomePresentation
import TerminalKit
import Texts

/// The page of the people whose presence automations can use, and of the home's location.
struct PeoplePage: LivePage {
    /// A rejected form, with its error.
    struct Refused {
        var name: (text: String, error: String)?
        var newName: (person: Resident.ID, text: String, error: String)?
        var location: (form: LocationForm, error: String)?
    }

    let manager: HomeManager
    let path: String
    let choice: Home.ID?
    var refused = Refused()
    var place: String { "/more" }

    func content(_ moment: Moment) async -> PageContent {
        if let content = PageContent.inPlaceOfHomes(moment) { return content }
        guard let home = moment.home else { return .missing(localized("There are no homes yet.")) }
        let form = refused.location?.form ?? LocationForm(home.location)
        var location: Templates.Values = [
            "home": "\(home.id)", "latitude": form.latitude, "longitude": form.longitude, "zone": form.timeZone,
            "isSet": home.location != nil,
        ]
        location["error"] = refused.location?.error
        if home.location != nil {
            do throws(HomeError) {
                location["daylight"] = words(try await manager.daylight(of: home.id), .current(of: home))
            } catch {
                location["reason"] =
                    localized("Today's sunrise and sunset are unknown: \(error.localizedMessage)").sentence
            }
        }
        var values: Templates.Values = [
            "home": "\(home.id)", "up": "/automations" + moment.homeQuery, "back": path, "location": location,
            "name": refused.name?.text ?? "",
            "people": home.people.sortedForDisplay.map { person in
                let newName = refused.newName?.person == person.id ? refused.newName : nil
                var values: Templates.Values = [
                    "id": "\(person.id)", "name": person.name,
                    "state": person.isHome ? localized("at home") : localized("away"),
                    "next": person.isHome ? "0" : "1",
                    "word": person.isHome ? localized("Set to away") : localized("Set to home"),
                    "back": path, "newName": newName?.text ?? person.name,
                ]
                values["newNameError"] = newName?.error
                return values
            },
        ]
        values["nameError"] = refused.name?.error
        return PageContent(title: localized("People and location"), main: Templates.render("people", values))
    }

    private func words(_ daylight: Daylight, _ time: HomeTime) -> String {
        func clock(_ moment: Timestamp?) -> String { moment.map(time.clock) ?? localized("none today") }
        return localized(
            "Today: dawn \(clock(daylight.civilDawn)), sunrise \(clock(daylight.sunrise)), sunset \(clock(daylight.sunset)), dusk \(clock(daylight.civilDusk))."
        )
    }
}
