import HomeModel

/// Who is at the other end of a connection, as the system says; an app has no part in it.
package struct AppPeer: Sendable, Hashable {
    package var uid: UInt32
    /// The program that runs; empty if the system does not tell us, as of other users' programs unless we are root.
    package var executable: String
    /// Whether this user may answer for all: root, the daemon's own user, a member of its group.
    package var mayDecide: Bool

    package init(uid: UInt32, executable: String, mayDecide: Bool) {
        self.uid = uid
        self.executable = executable
        self.mayDecide = mayDecide
    }
}

/// Which program is the system app: the one that manages homes and permissions, and is never asked.
package struct SystemApp: Sendable, Hashable {
    /// The id that it declares; under another id it is an app like any other.
    package var app: String
    /// Where it is installed; an id alone anybody could declare.
    package var executable: String
    /// Whether a program that cannot be seen counts by its id, because the daemon sees none of other users: those of them
    /// who may decide could as well run the system app itself.
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

/// Which apps a policy keeps out; the user cannot let them in.
package struct AppRestrictions: Sendable, Hashable {
    /// Ids of apps, under whatever user.
    package var apps: Set<String>
    /// Users, with all their apps.
    package var users: Set<UInt32>

    package init(apps: Set<String> = [], users: Set<UInt32> = []) {
        self.apps = apps
        self.users = users
    }

    func forbid(_ app: AppIdentity) -> Bool { apps.contains(app.app) || users.contains(app.uid) }
}
