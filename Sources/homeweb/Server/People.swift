import HTTPTypes
import HomeModel
import Logging
import Synchronization
import Texts
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
        people.holder(of: token).map { Visitor(name: $0.name, access: $0.access, token: token) }
    }

    /// Returns the visitor whom a link signs in, and makes the link invalid; `nil` if the link is invalid.
    func redeem(_ token: AccessToken) -> Visitor? {
        let now = Self.now
        guard let link = (try? file.read())?.link, link.isValid(token, now: now) else { return nil }
        var person: Person?
        do {
            _ = try file.change { content in
                guard let link = content.link, link.isValid(token, now: now) else { return }
                content.link = nil
                person = (try? content.people.index(of: link.person)).map { content.people[$0] }
            }
        } catch {
            logger.error("people not changed", metadata: ["error": "\(error)"])
            return nil
        }
        return person.map { Visitor(name: $0.name, access: $0.access, token: $0.token) }
    }

    private static var now: Int64 { Timestamp.now.millisecondsSince1970 / 1000 }

    /// Returns whether an admitted visitor still has permission.
    func admits(_ visitor: Visitor) -> Bool {
        guard let token = visitor.token else { return !isTokenNeeded }
        return self.visitor(token)?.access == visitor.access
    }

    /// The people in the file, for an owner.
    ///
    /// - Throws: `WebError` if the file can't be read.
    func all() throws(WebError) -> [Person] {
        do { return try file.read()?.people ?? [] } catch { throw unusable(error) }
    }

    /// The address of the page, for links.
    var address: String {
        get throws(WebError) { do { return try file.read()?.address ?? "" } catch { throw unusable(error) } }
    }

    /// Changes the people in the file.
    ///
    /// Concurrent changes are serialized.
    ///
    /// - Throws: `WebError` with the reason if the change isn't possible. Nothing changes in that case.
    func change(_ body: (inout [Person]) throws(PeopleError) -> Void) throws(WebError) {
        let failure: WebError? = known.withLock { known in
            do {
                // Read the people again, because another program may have changed the file in the meantime.
                known.stamp = nil
                _ = try file.change { try body(&$0.people) }
                return nil
            } catch let error as PeopleError {
                return WebError(error)
            } catch {
                return unusable(error)
            }
        }
        if let failure { throw failure }
    }

    private func unusable(_ error: any Error) -> WebError {
        logger.error("people not changed", metadata: ["error": "\(error)"])
        return WebError(
            .internalServerError, localized("The list of people can't be read or written. See the log of homeweb."))
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

extension Person {
    var access: Visitor.Access {
        Visitor.Access(role: role, rooms: rooms.map { Set($0.compactMap { Room.ID($0) }) }, mayOpen: mayOpen)
    }
}

extension WebError {
    fileprivate init(_ error: PeopleError) {
        self =
            switch error {
            case .invalidName:
                WebError(
                    .badRequest,
                    localized("Use letters, digits and spaces for the name, and begin and end with a letter or digit."))
            case .nameInUse: WebError(.conflict, localized("A person with this name already has access."))
            case .tooManyPeople:
                WebError(
                    .conflict,
                    localized(
                        "No more than \(PeopleFile.limit) people can have access. Revoke another person's access first."
                    )
                )
            case .unknownPerson: WebError(.notFound, localized("This person no longer has access."))
            case .changed:
                WebError(
                    .conflict, localized("Someone has changed this access since you opened the form. Reload the page."))
            case .onlyOwner:
                WebError(.conflict, localized("This is the only owner. Make another person an owner first."))
            }
    }
}
