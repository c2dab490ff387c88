import Logging
import Synchronization
import WebAccess

/// Who may come in, as the file says it at this moment.
final class People: Sendable {
    private struct Known {
        var stamp: Int64?
        var people: [Person] = []
    }

    let file: PeopleFile
    /// Whether who sits at this computer needs a token, too.
    let isTokenNeeded: Bool
    private let logger: Logger
    private let known = Mutex(Known())

    init(file: PeopleFile, isTokenNeeded: Bool, logger: Logger) {
        self.file = file
        self.isTokenNeeded = isTokenNeeded
        self.logger = logger
    }

    /// Whose token this is; `nil` for no person's.
    func visitor(_ token: AccessToken) -> Visitor? {
        people.holder(of: token).map { Visitor(name: $0.name, role: $0.role, token: token) }
    }

    /// Whether somebody who was let in still may be here.
    func admits(_ visitor: Visitor) -> Bool {
        guard let token = visitor.token else { return !isTokenNeeded }
        return self.visitor(token)?.role == visitor.role
    }

    /// The people, read anew when the file is another.
    private var people: [Person] {
        known.withLock { known in
            let stamp = file.stamp
            guard known.stamp != stamp else { return known.people }
            known.stamp = stamp
            do {
                known.people = try file.read()?.people ?? []
            } catch {
                // Whoever cannot be looked up is not let in.
                known.people = []
                logger.error("people unreadable", metadata: ["error": "\(error)"])
            }
            return known.people
        }
    }
}
