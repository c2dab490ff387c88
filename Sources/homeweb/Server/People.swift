import Logging
import Synchronization
import WebAccess

/// The people who may open the page, according to the current file.
final class People: Sendable {
    private struct Known {
        var stamp: Int64?
        var people: [Person] = []
    }

    let file: PeopleFile
    /// Whether a token is also required on this computer.
    let isTokenNeeded: Bool
    private let logger: Logger
    private let known = Mutex(Known())

    init(file: PeopleFile, isTokenNeeded: Bool, logger: Logger) {
        self.file = file
        self.isTokenNeeded = isTokenNeeded
        self.logger = logger
    }

    /// Returns the visitor with a token, or `nil` if the token is unknown.
    func visitor(_ token: AccessToken) -> Visitor? {
        people.holder(of: token).map { Visitor(name: $0.name, role: $0.role, token: token) }
    }

    /// Returns whether an admitted visitor still has permission.
    func admits(_ visitor: Visitor) -> Bool {
        guard let token = visitor.token else { return !isTokenNeeded }
        return self.visitor(token)?.role == visitor.role
    }

    /// The people, which are read again when the file has changed.
    private var people: [Person] {
        known.withLock { known in
            let stamp = file.stamp
            guard known.stamp != stamp else { return known.people }
            known.stamp = stamp
            do {
                known.people = try file.read()?.people ?? []
            } catch {
                // Without a readable file, no visitor is admitted.
                known.people = []
                logger.error("people unreadable", metadata: ["error": "\(error)"])
            }
            return known.people
        }
    }
}
