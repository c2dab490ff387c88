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
