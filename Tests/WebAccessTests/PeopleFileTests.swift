import Glibc
import Testing

@testable import WebAccess

@Suite("The file of the people with access") struct PeopleFileTests {
    private let directory = "/tmp/people-\(UInt64.random(in: 0 ... .max))"

    @Test("is read as it was written, and only its owner may read it") func whatIsWrittenIsRead() throws {
        mkdir(directory, 0o700)
        let file = PeopleFile(directory: directory)
        #expect(try file.read() == nil && file.stamp == 0)
        let people = [Person(name: "owner", role: .owner), Person(name: "Anna", role: .guest)]
        try file.write(PeopleFile.Content(people: people, address: "http://127.0.0.1:8480/"))
        let read = try #require(try file.read())
        #expect(read.address == "http://127.0.0.1:8480/")
        #expect(read.people.map(\.name) == ["owner", "Anna"] && read.people.map(\.role) == [.owner, .guest])
        #expect(read.people[1].token.matches(people[1].token) && !read.people[1].token.matches(people[0].token))
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let stamp = file.stamp
        try file.write(PeopleFile.Content(people: people))
        #expect(file.stamp != stamp)
    }

    @Test("keeps a link that is valid for an hour, and shows its token in no description")
    func link() throws {
        mkdir(directory, 0o700)
        let file = PeopleFile(directory: directory)
        let link = SignInLink(person: "owner", now: 1_000_000)
        var content = PeopleFile.Content(people: [Person(name: "owner", role: .owner)])
        content.link = link
        try file.write(content)
        let read = try #require(try file.read()?.link)
        #expect(read.person == "owner" && read.isValid(link.token, now: 1_000_000))
        #expect(read.isValid(link.token, now: 1_003_600) && !read.isValid(link.token, now: 1_003_601))
        // The clock was set back.
        #expect(!read.isValid(link.token, now: 999_999))
        #expect(!read.isValid(AccessToken(), now: 1_000_000))
        #expect(!"\(read)".contains(link.token.secret))
        content.link = nil
        try file.write(content)
        #expect(try file.read()?.link == nil)
    }

    @Test("loses its link if a person's token is replaced or the person is removed", arguments: [true, false])
    func linkEnds(isReplaced: Bool) throws {
        mkdir(directory, 0o700)
        let file = PeopleFile(directory: directory)
        var content = PeopleFile.Content(people: [
            Person(name: "owner", role: .owner), Person(name: "Anna", role: .owner),
        ])
        content.link = SignInLink(person: "Anna", now: 1_000_000)
        try file.write(content)
        #expect(try file.change { $0.people[0].role = .owner }.link != nil)
        let changed = try file.change {
            if isReplaced { try $0.people.renewToken(of: "Anna") } else { try $0.people.withdraw("Anna") }
        }
        #expect(changed.link == nil)
    }

    @Test("is neither read through a link or a pipe nor written to them") func onlyFiles() throws {
        mkdir(directory, 0o700)
        let file = PeopleFile(directory: directory)
        let other = directory + "/other"
        try PeopleFile(directory: directory).write(PeopleFile.Content(people: [Person(name: "owner", role: .owner)]))
        #expect(rename(file.path, other) == 0 && symlink(other, file.path) == 0)
        #expect(throws: (any Error).self) { try file.read() }
        unlink(file.path)
        #expect(mkfifo(file.path, 0o600) == 0)
        #expect(throws: (any Error).self) { try file.read() }
        try file.write(PeopleFile.Content(people: [Person(name: "Ben", role: .owner)]))
        #expect(try file.read()?.people.map(\.name) == ["Ben"])
    }

    @Test("keeps the rooms of a guest and who may open something; an owner has neither limit")
    func limitsAreKept() throws {
        mkdir(directory, 0o700)
        let file = PeopleFile(directory: directory)
        let guest = Person(name: "Anna", role: .guest, rooms: ["B", "A"], mayOpen: false)
        let owner = Person(name: "owner", role: .owner, rooms: ["A"], mayOpen: false)
        try file.write(PeopleFile.Content(people: [guest, owner]))
        let read = try #require(try file.read()).people
        #expect(read.map(\.rooms) == [["A", "B"], nil] && read.map(\.mayOpen) == [false, true])
    }

    @Test("always has an owner, unique names and a limit") func changesOfTheListAreChecked() {
        var people = [Person(name: "Mom", role: .owner), Person(name: "Anna", role: .member)]
        func error(_ change: (inout [Person]) throws(PeopleError) -> Void) -> PeopleError? {
            do throws(PeopleError) { try change(&people) } catch { return error }
            return nil
        }
        #expect(error { people throws(PeopleError) in try people.withdraw("mom") } == .onlyOwner)
        #expect(
            error { people throws(PeopleError) in try people.update(Person(name: "Mom", role: .guest)) } == .onlyOwner)
        #expect(
            error { people throws(PeopleError) in try people.invite(Person(name: "ANNA", role: .guest)) } == .nameInUse)
        #expect(
            error { people throws(PeopleError) in try people.invite(Person(name: "-", role: .guest)) } == .invalidName)
        #expect(error { people throws(PeopleError) in try people.withdraw("Carl") } == .unknownPerson)
        #expect(people.count == 2)
        let token = people[1].token
        #expect(error { people throws(PeopleError) in try people.update(Person(name: "anna", role: .owner)) } == nil)
        #expect(people[1].name == "Anna" && people[1].role == .owner && people[1].token.matches(token))
        #expect(error { people throws(PeopleError) in try people.withdraw("Mom") } == nil)
        #expect(error { people throws(PeopleError) in try people.renewToken(of: "Anna") } == nil)
        #expect(!people[0].token.matches(token))
        for number in 1..<PeopleFile.limit { try? people.invite(Person(name: "Guest \(number)", role: .guest)) }
        #expect(
            error { people throws(PeopleError) in try people.invite(Person(name: "Last", role: .guest)) }
                == .tooManyPeople)
    }

    @Test(
        "is rejected if it is damaged",
        arguments: [
            "", "{}", "[]", "{\"people\": [{}]}",
            "{\"people\": [{\"name\": \"a\", \"role\": \"king\", \"token\": \"\"}]}",
            "{\"people\": [{\"name\": \"a\", \"role\": \"owner\", \"token\": \"short\"}]}",
        ])
    func aDamagedFileLetsNoPersonIn(text: String) throws {
        mkdir(directory, 0o700)
        let file = PeopleFile(directory: directory)
        let stream = try #require(fopen(file.path, "w"))
        fputs(text, stream)
        fclose(stream)
        let error = #expect(throws: (any Error).self) { try file.read() }
        #expect("\(try #require(error))".contains("is damaged"))
    }

    @Test("contains tokens that are accepted with spaces and in any case") func aTokenIsTakenAsPeopleTypeIt() throws {
        let token = AccessToken()
        #expect(token.secret.utf8.count == 26)
        let spaced = token.secret.uppercased().enumerated().map {
            $0.offset % 4 == 3 ? "\($0.element) " : "\($0.element)"
        }
        #expect(try #require(AccessToken(spaced.joined())).matches(token))
        #expect(AccessToken(String(token.secret.dropLast())) == nil)
        #expect(AccessToken(token.secret + "a") == nil && AccessToken(String(repeating: "a", count: 4000)) == nil)
        #expect(AccessToken("l" + token.secret.dropFirst()) == nil, "the letter isn't in the alphabet")
        #expect("\(token)" == "(token)" && !String(reflecting: token).contains(token.secret))
        #expect(AccessToken().secret != token.secret)
    }

    @Test("assigns each token to one person") func aTokenIsItsHoldersAlone() {
        let people = [Person(name: "owner", role: .owner), Person(name: "Anna", role: .guest)]
        #expect(people.holder(of: people[1].token)?.name == "Anna")
        #expect(people.holder(of: people[0].token)?.role == .owner)
        #expect(people.holder(of: AccessToken()) == nil)
    }
}
