import HomeModel

/// An app that was installed with access to the homes.
///
/// The installation by root is the consent. A decision of the user takes precedence.
package struct InstalledApp: Sendable, Hashable {
    /// The app ID that it declares.
    package var app: String
    /// The user that runs it, which no other program should run as.
    package var uid: UInt32
    /// A Boolean value that indicates whether it may list the other apps and decide about their access.
    package var managesApps: Bool

    package init(app: String, uid: UInt32, managesApps: Bool = false) {
        self.app = app
        self.uid = uid
        self.managesApps = managesApps
    }
}
