package import HomeModel
internal import TerminalKit

/// An answer of the user, as it is stored: it holds until the user gives another, over restarts of app and daemon.
package struct RememberedPermission: Sendable, Hashable {
    package var app: AppIdentity
    package var isAllowed: Bool
    /// The purpose that the user was shown.
    package var usageDescription: String

    package init(app: AppIdentity, isAllowed: Bool, usageDescription: String) {
        self.app = app
        self.isAllowed = isAllowed
        self.usageDescription = usageDescription
    }
}

extension String {
    /// A purpose as it is shown beside what the system says: one short line that cannot pass for anything else.
    ///
    /// Line ends, what begins terminal sequences, and marks that turn the direction of writing become spaces.
    var asPurpose: String {
        let scalars = unicodeScalars.prefix(SessionOpening.longestUsageDescription)
        return String(String.UnicodeScalarView(scalars.map { $0.isPrintable ? $0 : " " }))
    }
}
