import HomeHub
import TerminalKit

extension HubStatus {
    /// The status in one line, such as "2 homes, 14 accessories (13 reachable), 3 apps.".
    ///
    /// - Parameters:
    ///   - discoveryError: the reason why accessories can't be found; `nil` if they can.
    ///   - storage: the reason why changes can't be stored; `nil` if they can.
    /// - Returns: the line.
    func sentence(discoveryError: String? = nil, storage: String? = nil) -> String {
        func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }
        let text = [
            count(homes, "home", "homes"),
            count(accessories, "accessory", "accessories") + (accessories > 0 ? " (\(reachable) reachable)" : ""),
            count(sessions, "app", "apps"),
        ].joined(separator: ", ")
        let errors = [discoveryError.map { "accessories cannot be found: \($0)" }, storage].compactMap(\.self)
        return ([text] + errors).sentence
    }
}
