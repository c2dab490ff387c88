import HomeModel

/// The peer of a connection, as the system reports it.
///
/// An app can't falsify this information.
package struct AppPeer: Sendable, Hashable {
    package var uid: UInt32
    /// The path of the executable; empty if the system hides it, as it does for other users' programs unless the hub
    /// runs as root.
    package var executable: String
    /// A Boolean value that indicates whether the app's user may decide about the apps of all users.
    ///
    /// These users are root, the daemon's user and the members of its group.
    package var mayDecide: Bool

    package init(uid: UInt32, executable: String, mayDecide: Bool) {
        self.uid = uid
        self.executable = executable
        self.mayDecide = mayDecide
    }
}

/// The identity of the system app, which manages homes and permissions and never needs permission.
package struct SystemApp: Sendable, Hashable {
    /// The app ID that it declares.
    ///
    /// A program that declares another ID is an ordinary app, even at the same path.
    package var app: String
    /// The path at which it's installed.
    ///
    /// The path must match, too, because any program can declare the ID.
    package var executable: String
    /// A Boolean value that indicates whether the app ID suffices if the executable is hidden, because the daemon can't
    /// see other users' programs.
    ///
    /// Only users who may decide benefit from this, and they could run the system app anyway.
    package var isTakenUnseen: Bool

    package init(app: String, executable: String, isTakenUnseen: Bool = false) {
        self.app = app
        self.executable = executable
        self.isTakenUnseen = isTakenUnseen
    }

    func isRun(by peer: AppPeer, as app: String) -> Bool {
        let isSeen = !peer.executable.isEmpty
        return peer.mayDecide && app == self.app && (isSeen ? peer.executable == executable : isTakenUnseen)
    }
}

/// The apps that a policy denies access.
///
/// The user can't allow them.
package struct AppRestrictions: Sendable, Hashable {
    /// IDs of denied apps, for all users.
    package var apps: Set<String>
    /// Users whose apps are all denied.
    package var users: Set<UInt32>

    package init(apps: Set<String> = [], users: Set<UInt32> = []) {
        self.apps = apps
        self.users = users
    }

    func forbid(_ app: AppIdentity) -> Bool { apps.contains(app.app) || users.contains(app.uid) }
}
