import HomeHub
import TerminalKit

extension HubStatus {
    /// Returns the status in one line, such as "2 homes, 14 accessories (13 reachable), 3 apps.", with the reasons why
    /// accessories can't be found or changes can't be stored.
    func sentence(discoveryError: String? = nil, storage: String? = nil) -> String {
        let text = [
            homes.of("home"), accessories.of("accessory") + (accessories > 0 ? " (\(reachable) reachable)" : ""),
            sessions.of("app"),
        ].joined(separator: ", ")
        let errors = [discoveryError.map { "accessories can't be found: \($0)" }, storage].compactMap(\.self)
        return ([text] + errors).sentence
    }
}
