import BoundedJSON
import HAPModel
import HAPTesting
import HomeModel
import Testing

private func id<Entity>() -> Identifier<Entity> {
    var random = SeededNumbers(seed: 5)
    return Identifier<Entity>(using: &random)
}

private let sampleRequests: [HomeRequest] = [
    .open(
        SessionOpening(
            app: "org.example.lights", usageDescription: "Shows lights.", capabilities: [.home, .vendor],
            vendor: "kilgo")),
    .open(SessionOpening(app: "a", usageDescription: nil, capabilities: [])), .homes,
    .accessories(AccessoryPageRequest(home: id(), revision: .max, offset: 32)), .readValues([id()]),
    .readValues([]), .writeValues([ValueWrite(characteristic: id(), value: .float(0.1), authorizationData: [1, 255])]),
    .writeValues([ValueWrite(characteristic: id(), value: nil)]),
    .setNotification([id()], isEnabled: true), .identify(id()), .runActionSet(id()), .startBrowsing, .stopBrowsing,
    .addAccessory(AdditionRequest(home: id())), .setUpAccessory(AdditionRequest(home: nil)),
    .addAccessory(
        AdditionRequest(
            home: id(), device: Devices.id(1), code: SetupCode(number: 51_808_582),
            payload: AccessorySetupPayload(url: "X-HM://00527813XAB12"), name: "Lamp")),
    .addAccessory(
        AdditionRequest(
            home: id(),
            payload: AccessorySetupPayload(
                setup: nil, token: AccessoryOwnershipToken(data: Array(0..<16)), request: id()))),
    .declineAddition(id()), .permissions,
    .setPermission(AppIdentity(app: "a", uid: 1000, executable: "/usr/bin/a"), .forget), .answerQuestions,
    .answerConsent(id(), isAllowed: true),
    .setVendor(AppIdentity(app: "a", uid: 1000, executable: ""), vendor: "kilgo", .deny),
    .write(.setAssociatedServiceType(id(), nil)), .write(.addActionSet(id(), name: "x", kind: .sleep)),
    .write(.addServiceGroup(id(), name: "x")), .write(.addServiceToServiceGroup(id(), id())),
    .write(.removeServiceFromServiceGroup(id(), id())), .write(.renameServiceGroup(id(), name: "y")),
    .write(.removeServiceGroup(id())),
]

@Suite("Messages between app and daemon") struct MessageTests {
    @Test("Every request survives its way", arguments: sampleRequests)
    func requests(request: HomeRequest) throws {
        let params = try JSONValue(parsing: request.params.encoded)
        #expect(try HomeRequest(method: request.method, params: params) == request)
    }

    @Test(
        "Every notification survives its way",
        arguments: [
            HomeNotification.authorizationStatusUpdated([.determined, .authorized]), .homesUpdated,
            .transaction(
                HomeTransaction(
                    home: id(), revision: 7, changes: [HomeChange(.nameUpdated("x"), reachesInitiator: true)])),
            .live(.valueUpdated(id(), .data([0, 255]), time: .init(millisecondsSince1970: -1))),
            .live(.reachabilityUpdated(id(), false)),
            .live(.valueUpdated(id(), .float(1.000_000_1), time: .init(millisecondsSince1970: 1 << 60))),
            .accessoryFound(
                DiscoveredAccessory(
                    id: Devices.id(1), name: "Lamp", category: .lightbulb, model: "L", setupHash: "yf4bzw==",
                    vendor: "kilgo")),
            .accessoryLost(Devices.id(1)),
            .live(.actionSetExecutionUpdated(id(), isExecuting: true, last: nil)),
            .cached(.actionSetExecutionUpdated(id(), isExecuting: false, last: .init(millisecondsSince1970: 1 << 50))),
            .addAccessoryRequest(
                AddAccessoryRequest(
                    id: id(), home: id(), accessoryName: "Lamp", category: .lightbulb, requiresSetupPayloadURL: true)),
            .permissionAsked(
                AppPermission(
                    app: AppIdentity(app: "a", uid: .max, executable: "/a"), status: [], usageDescription: "For it.",
                    isPending: true)),
            .permissionAsked(
                AppPermission(
                    app: AppIdentity(app: "a", uid: .max, executable: "/a"), status: [], usageDescription: "For it.",
                    isPending: true,
                    vendors: [
                        VendorClaim(vendor: "kilgo", isAllowed: true), VendorClaim(vendor: "other", isAllowed: nil),
                    ])),
            .consentAsked(
                ConsentQuestion(
                    id: id(), app: AppIdentity(app: "a", uid: 5, executable: ""), usageDescription: "For it.",
                    subject: .addition, name: "Lamp")),
            .additionFailed(
                AccessoryAdditionFailure(
                    home: id(), accessory: Devices.id(1), name: "Lamp", error: HomeError(.addAccessoryFailed))),
        ])
    func notifications(notification: HomeNotification) throws {
        let params = try JSONValue(parsing: notification.params.encoded)
        #expect(try HomeNotification(method: notification.method, params: params) == notification)
    }

    @Test("Every answer survives its way")
    func answers() throws {
        let transaction = HomeTransaction(home: id(), revision: 1, changes: [HomeChange(.homeRemoved)])
        for result: HomeCommit.Result in [
            .nothing, .home(id()), .room(id()), .zone(id()), .actionSet(id()), .accessories([id()]), .accessories([]),
        ] {
            let commit = HomeCommit(result: result, transaction: transaction, stale: result == .nothing ? [id()] : [])
            #expect(try HomeCommit(json: commit.json) == commit)
            #expect(try AdditionReply(json: AdditionReply.added(commit).json) == .added(commit))
        }
        #expect(try AdditionReply(json: AdditionReply.handedOver(app: "a").json) == .handedOver(app: "a"))
        let setUp = AdditionReply.setUp(AccessorySetupResult(home: id(), accessories: [id(), id()]))
        #expect(try AdditionReply(json: setUp.json) == setUp)
        let error = HomeError(.valueLowerThanMinimum, detail: "too low", accessory: id(), suggestions: ["a"])
        let results = [
            ValueResult(characteristic: id(), value: .string("x"), time: .init(millisecondsSince1970: 5)),
            ValueResult(characteristic: id(), error: error),
        ]
        #expect(try [ValueResult](json: results.json) == results)
        #expect(results.error?.code == .readWritePartialSuccess)
        #expect(results.suffix(1).error == error)
        #expect([results[1], results[1]].error?.code == .readWriteFailure)
        #expect(results.prefix(1).error == nil)
        let reply = SessionReply(status: [.determined], isSystemApp: true)
        #expect(try SessionReply(json: reply.json) == reply)
    }

    @Test("An error is printed with its number, its name, a sentence and suggestions")
    func error() throws {
        let error = HomeError(.objectWithSimilarNameExistsInHome, suggestions: ["Lamp 2"])
        #expect(
            error.json.text
                == #"{"code":31,"name":"objectWithSimilarNameExistsInHome","message":"the name is taken in this home; choose another, for instance \"Lamp 2\"","suggestions":["Lamp 2"]}"#
        )
        #expect(try HomeError(json: error.json) == error)
        let own = HomeError(.valueLowerThanMinimum, detail: "too; low", remedy: "write 1", suggestions: ["a", "b"])
        #expect(own.message == #"too; low; write 1, for instance "a", "b""#)
        #expect(try HomeError(json: own.json) == own && own.json["remedy"] == "write 1")
        let sentence = HomeError(.genericError, detail: "it is here; not there", suggestions: ["a"])
        #expect(sentence.message == #"it is here; not there; for instance "a""#)
        #expect(HomeError(.operationTimedOut).message == "it took too long; try again")
        let unknown = try HomeError(json: ["code": 9999, "name": "x", "message": "something new"])
        #expect(unknown == HomeError(.unexpectedError, detail: "something new"))
    }

    @Test("The numbers of errors are the public ones")
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
        "What is malformed is refused, and the refusal names it",
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

    @Test("An unknown method is no request, and an unknown notification nothing")
    func unknown() throws {
        #expect(try HomeRequest(method: "homes.explode", params: [:]) == nil)
        #expect(try HomeNotification(method: "homes.explode", params: [:]) == nil)
        #expect(throws: HomeError.self) { try HomeEvent(json: ["event": "exploded"]) }
    }

    @Test("Whatever members a message lacks or has of the wrong kind, it is refused or read, and nothing breaks")
    func mutilated() throws {
        var random = SeededNumbers(seed: 9)
        let wrong: [JSONValue] = [.null, 5, -1, 1.5, "x", true, [], [:], ["x"], .unsigned(.max), ["float": "nan"]]
        var refused = 0
        for request in sampleRequests {
            for _ in 0..<50 {
                let broken = mutilate(request.params, wrong, &random)
                do { _ = try HomeRequest(method: request.method, params: broken) } catch { refused += 1 }
            }
        }
        #expect(refused > 100)
    }

    private func mutilate(_ json: JSONValue, _ wrong: [JSONValue], _ random: inout SeededNumbers) -> JSONValue {
        guard Int.random(in: 0..<4, using: &random) > 0 else { return wrong.randomElement(using: &random) ?? .null }
        switch json {
        case .object(let object):
            guard let member = object.members.randomElement(using: &random) else { return json }
            var object = object
            object[member.name] = mutilate(member.value, wrong, &random)
            return .object(object)
        case .array(let elements):
            return .array(elements.map { mutilate($0, wrong, &random) })
        default: return wrong.randomElement(using: &random) ?? .null
        }
    }

    @Test("A session is opened with an id, the capability and a purpose")
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
        "App and daemon agree on the newest version that both speak, and else say who is to be upgraded",
        arguments: [
            (1, nil, 1, nil), (1, 2, 2, nil), (2, nil, 2, nil), (2, 9, 2, nil), (2, 1, 2, nil), (.min, .max, 2, nil),
            (
                3, 4, nil,
                "the app speaks versions 3 to 4 of the home's protocol, homehubd versions 1 to 2; upgrade homehubd"
            ),
            (0, nil, nil, "the app speaks version 0 of the home's protocol, homehubd versions 1 to 2; upgrade the app"),
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

    @Test("An identity is a UUID and nothing else")
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
