import BoundedJSON
import HAPModel
import HAPTesting
import HomeModel
import Testing

private func id<Entity>() -> Identifier<Entity> {
    var random = SeededNumbers(seed: 5)
    return Identifier<Entity>(using: &random)
}

@Suite("The protocol between apps and the daemon") struct MessageTests {
    @Test("combines several failed values into one error")
    func answers() throws {
        let error = HomeError(.valueLowerThanMinimum, detail: "too low", accessory: id(), suggestions: ["a"])
        let results = [
            ValueResult(characteristic: id(), value: .string("x"), time: .init(millisecondsSince1970: 5)),
            ValueResult(characteristic: id(), error: error),
        ]
        #expect(results.error?.code == .readWritePartialSuccess)
        #expect(results.suffix(1).error == error)
        #expect([results[1], results[1]].error?.code == .readWriteFailure)
        #expect(results.prefix(1).error == nil)
    }

    @Test("describes a decision about access in words")
    func status() {
        #expect("\(AuthorizationStatus())" == "not determined")
        #expect("\(AuthorizationStatus([.determined, .authorized]))" == "determined, authorized")
        #expect("\(AuthorizationStatus([.determined, .restricted]))" == "determined, restricted")
    }

    @Test("encodes an error with its number, name, sentence and suggestions")
    func error() throws {
        let error = HomeError(.objectWithSimilarNameExistsInHome, suggestions: ["Lamp 2"])
        #expect(
            error.json.text
                == #"{"code":31,"name":"objectWithSimilarNameExistsInHome","message":"the name is already used in this home; choose another name, such as \"Lamp 2\"","suggestions":["Lamp 2"]}"#
        )
        #expect(try HomeError(json: error.json) == error)
        let own = HomeError(.valueLowerThanMinimum, detail: "too; low", remedy: "write 1", suggestions: ["a", "b"])
        #expect(own.message == #"too; low; write 1, such as "a", "b""#)
        #expect(try HomeError(json: own.json) == own && own.json["remedy"] == "write 1")
        let sentence = HomeError(.genericError, detail: "it is here; not there", suggestions: ["a"])
        #expect(sentence.message == #"it is here; not there; try "a""#)
        #expect(HomeError(.operationTimedOut).message == "the operation timed out; try again")
        let unknown = try HomeError(json: ["code": 9999, "name": "x", "message": "something new"])
        #expect(unknown == HomeError(.unexpectedError, detail: "something new"))
    }

    @Test("uses the error numbers of HomeKit and HAP")
    func codes() {
        #expect(HomeError.Code.nameDoesNotEndWithValidCharacters.rawValue == 60)
        #expect(HomeError.Code.objectWithSimilarNameExists.rawValue == 95)
        #expect(HomeError.Code(rawValue: 94) == nil)
        for number in -1...106 where number != 94 && number != 0 { #expect(HomeError.Code(rawValue: number) != nil) }
        #expect(HomeError.Code(hapStatus: -70402, isBridged: true) == .bridgedAccessoryNotReachable)
        #expect(HomeError.Code(hapStatus: -70402, isBridged: false) == .accessoryCommunicationFailure)
        #expect(HomeError.Code(hapStatus: 0, isBridged: false) == nil)
    }

    @Test(
        "names the invalid member of a malformed request",
        arguments: [
            ("rooms.add", "{}", "\"home\" is missing"),
            ("rooms.add", #"{"home":5,"name":"x"}"#, "\"home\" has a value"),
            ("rooms.add", #"{"home":"x","name":"x"}"#, "\"home\" has a value"),
            ("rooms.add", "[]", "\"home\" is missing"),
            ("homes.add", #"{"name":null}"#, "\"name\" is missing"),
            ("values.write", #"{"values":5}"#, "\"values\" has a value"),
            ("values.read", #"{"characteristics":["x"]}"#, "\"characteristics[0]\" has a value"),
            ("homes.add", #"{"name":["x"]}"#, "\"name\" has a value"),
            (
                "accessories.add", #"{"home":"00000000-0000-4000-8000-000000000000","url":"X-HM://"}"#,
                "\"url\" has a value"
            ),
            (
                "accessories.add",
                #"{"home":"00000000-0000-4000-8000-000000000000","ownershipToken":"070707070707070707070707070707070"}"#,
                "\"ownershipToken\" has a value"
            ),
            ("privacy.set", #"{"app":{},"decision":"allow"}"#, "\"app.app\" is missing"),
        ])
    func malformed(method: String, params: String, expected: String) throws {
        let error = #expect(throws: HomeError.self) {
            _ = try HomeRequest(method: method, params: JSONValue(parsing: params))
        }
        #expect(error?.message.contains(expected) == true)
    }

    @Test("returns nil for unknown methods and notifications, and rejects unknown events")
    func unknown() throws {
        #expect(try HomeRequest(method: "homes.explode", params: [:]) == nil)
        #expect(try HomeNotification(method: "homes.explode", params: [:]) == nil)
        #expect(throws: HomeError.self) { try HomeEvent(json: ["event": "exploded"]) }
    }

    @Test("validates the id, capability and purpose of a session")
    func opening() throws {
        func code(_ opening: SessionOpening) -> Int {
            do { try opening.validate() } catch { return error.code.rawValue }
            return 0
        }
        var opening = SessionOpening(
            app: "org.example.lights", usageDescription: "Shows lights.", capabilities: [.home])
        #expect(code(opening) == 0)
        var long = opening
        long.app = String(repeating: "a", count: SessionOpening.longestApp)
        #expect(code(long) == 0)
        long.app += "a"
        #expect(code(long) == 3)
        opening.usageDescription = " \n"
        #expect(code(opening) == 1001)
        opening.capabilities = [.vendor]
        #expect(code(opening) == 80)
        opening.app = "a b"
        #expect(code(opening) == 3)
        (opening.version, opening.newest) = (0, nil)
        #expect(code(opening) == 1003)
    }

    @Test(
        "agrees on the newest common version and names the side to upgrade",
        arguments: [
            (1, nil, 1, nil), (1, 2, 2, nil), (2, nil, 2, nil), (2, 9, 2, nil), (2, 1, 2, nil), (.min, .max, 2, nil),
            (
                3, 4, nil,
                "the app uses versions 3 to 4 of the home's protocol and homehubd versions 1 to 2; upgrade homehubd"
            ),
            (
                0, nil, nil,
                "the app uses version 0 of the home's protocol and homehubd versions 1 to 2; upgrade the app"
            ),
        ] as [(Int, Int?, Int?, String?)])
    func versions(version: Int, newest: Int?, agreed: Int?, detail: String?) {
        var opening = SessionOpening(app: "a", usageDescription: "Shows lights.", capabilities: [.home])
        (opening.version, opening.newest) = (version, newest)
        do {
            #expect(try opening.validate() == agreed)
        } catch {
            #expect(error == HomeError(.protocolMismatch, detail: detail))
        }
    }

    @Test("accepts only UUIDs as IDs")
    func identifiers() {
        var random = SeededNumbers(seed: 2)
        for _ in 0..<100 {
            let id = Room.ID(using: &random)
            #expect(Room.ID(id.description) == id)
            #expect(Room.ID(id.description.lowercased()) == id)
            #expect(Array(id.description)[14] == "4" && "89AB".contains(Array(id.description)[19]))
        }
        for text in [
            "", "x", "0000", "00000000_0000_4000_8000_000000000000", "+0000000-0000-4000-8000-000000000000",
            "00000000-0000-4000-8000-00000000000é",
        ] {
            #expect(Room.ID(text) == nil)
        }
    }
}
