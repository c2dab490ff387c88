package import HomeModel
internal import TerminalKit

/// The user's stored decision about an app.
///
/// It's valid until the next decision, even if the app or the daemon restarts.
package struct RememberedPermission: Sendable, Hashable {
    package var app: AppIdentity
    package var isAllowed: Bool
    /// The usage description that the user saw.
    package var usageDescription: String

    package init(app: AppIdentity, isAllowed: Bool, usageDescription: String) {
        self.app = app
        self.isAllowed = isAllowed
        self.usageDescription = usageDescription
    }
}

extension String {
    /// A usage description for display next to the system's information: one short line that can't imitate other parts
    /// of the display.
    ///
    /// Line breaks, control characters of terminal sequences and bidirectional controls become spaces.
    var asPurpose: String {
        let scalars = unicodeScalars.prefix(SessionOpening.longestUsageDescription)
        return String(String.UnicodeScalarView(scalars.map { $0.isPrintable ? $0 : " " }))
    }
}
