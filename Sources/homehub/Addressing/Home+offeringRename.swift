import HomeModel
import HomePresentation
import SystemKit

extension Home {
    /// Adds a remedy to an error about the name of a room or zone.
    ///
    /// If an accessory already has the name, the remedy is to rename that accessory.
    func offeringRename(_ error: HomeError, of typed: String) -> HomeError {
        guard error.code == .objectWithSimilarNameExistsInHome, let accessory = accessories.named(typed).first,
            let name = suggestedNames(from: accessory.primaryService?.localizedDescription ?? "", for: accessory.id)
                .first
        else { return error }
        let offer =
            "to free the name, use \(ShellCommand.homehub) rename '\(accessory.name.shown)' '\(name)' --kind accessory"
        return HomeError(
            error.code, detail: error.problem,
            remedy: error.effectiveRemedy.map { "\($0); \(offer)" } ?? offer,
            accessory: error.accessory, suggestions: error.suggestions)
    }
}
