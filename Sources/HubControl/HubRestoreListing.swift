import OperatorControl
internal import TerminalKit

/// The contents of a restored backup.
package struct HubRestoreListing: OperatorMessage {
    package var homes: Int
    package var accessories: Int
    package var automations: Int
    /// The number of apps with a decision about their access.
    package var apps: Int
    package var hasHistory: Bool
    /// The files that were replaced and kept.
    package var replaced: [String]

    package init(
        homes: Int, accessories: Int, automations: Int, apps: Int, hasHistory: Bool, replaced: [String] = []
    ) {
        self.homes = homes
        self.accessories = accessories
        self.automations = automations
        self.apps = apps
        self.hasHistory = hasHistory
        self.replaced = replaced
    }

    package var sentences: String {
        let kept = replaced.isEmpty ? "" : " The former state is in \(replaced.joined(separator: " and "))."
        return "Restored \(homes.of("home")) with \(accessories.of("accessory")), \(automations.of("automation")), and "
            + "the permissions of \(apps.of("app")), \(hasHistory ? "with" : "without") the history.\(kept)"
    }
}
