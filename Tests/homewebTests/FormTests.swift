import HAPModel
import HTTPTypes
import HomeModel
import SetupQR
import Synchronization
import Testing
import WebAccess

@testable import homeweb

@Suite("The parsing of requests") struct FormTests {
    @Test(
        "parses the fields of a query, and ignores invalid fields",
        arguments: [
            ("a=1&b=2", [("a", "1"), ("b", "2")]), ("a=x+y%20z", [("a", "x y z")]), ("a", [("a", "")]), ("", []),
            ("a=%C3%A4", [("a", "ä")]), ("a=1=2", [("a", "1=2")]), ("a=%zz&b=1", [("b", "1")]),
            ("a=%f&b=1", [("b", "1")]),
            ("a=%FF&b=1", [("b", "1")]), ("&&a=1", [("a", "1")]),
        ])
    func aQueryIsTakenApart(text: String, fields: [(String, String)]) {
        let query = Query(text)
        #expect(query.fields.map(\.name) == fields.map(\.0) && query.fields.map(\.value) == fields.map(\.1))
    }

    @Test("limits the number of fields") func aQueryIsBounded() {
        let fields = Query((0..<10_000).map { "f\($0)=1" }.joined(separator: "&")).fields
        #expect(fields.count == 200)
    }

    @Test("encodes a query so that it can be parsed again") func aQueryComesBackAsItWent() {
        let query = Query(["a": "ä & b", "page": "/rooms?home=1"])
        #expect(Query(query.text.dropFirst()).fields.map(\.value) == ["ä & b", "/rooms?home=1"])
    }

    @Test(
        "converts a field to the characteristic's format",
        arguments: [
            ("true", CharacteristicFormat.bool, CharacteristicValue?.some(.bool(true))), ("0", .bool, .bool(false)),
            ("on", .bool, nil),
            ("21.5", .float, .float(21.5)), ("nan", .float, nil), ("inf", .float, nil), ("50", .uint8, .integer(50)),
            ("50.0", .uint8, .float(50)), ("18446744073709551615", .uint64, .unsigned(.max)),
            ("-3", .int, .integer(-3)),
            ("x", .int, nil), ("", .int, nil), ("Über", .string, .string("Über")), ("00", .data, nil),
            ("00", .tlv8, nil),
        ])
    func aFieldIsAValueOfItsFormat(text: String, format: CharacteristicFormat, value: CharacteristicValue?) {
        #expect(CharacteristicValue(formText: text, as: format) == value)
    }

    /// The cases include Identify, a vendor-specific characteristic and a hidden service.
    @Test(
        "allows a guest to set only values that have a control",
        arguments: [
            (ServiceType.lightbulb, CharacteristicType.on, false, true), (.lightbulb, .identify, false, false),
            (.accessoryInformation, .identify, false, false), (.lightbulb, .on, true, false),
            (.lightbulb, CharacteristicType(HAPType("5A3B0C2E-1111-2222-3333-444455556666")!), false, false),
        ])
    func aGuestSetsOnlyWhatAPageShowsAsAControl(
        service type: ServiceType, characteristic: CharacteristicType, isHidden: Bool, isAllowed: Bool
    ) throws {
        var random = SystemRandomNumberGenerator()
        let id = Service.ID(using: &random)
        let written = Characteristic(
            id: Characteristic.ID(using: &random), service: id, iid: InstanceID(9), type: characteristic,
            metadata: CharacteristicMetadata(format: .bool, permissions: [.pairedRead, .pairedWrite]))
        let service = Service(
            id: id, accessory: Accessory.ID(using: &random), iid: InstanceID(8), type: type, name: "Lamp",
            isHidden: isHidden, characteristics: [written])
        let form = Query(["\(written.id)": "true"])
        #expect(try ValueActions.values(form, service, .local) == [written.id: .bool(true)], "the owner")
        let guest = Visitor(name: "Anna", access: Visitor.Access(role: .guest))
        let result = Result { try ValueActions.values(form, service, guest) }
        if isAllowed {
            #expect(try result.get() == [written.id: .bool(true)])
        } else {
            let error = #expect(throws: WebError.self) { try result.get() }
            #expect(error?.status == .forbidden)
        }
    }

    @Test(
        "redirects only to paths of the page",
        arguments: [
            ("/", "/"), ("/rooms/1?a=b", "/rooms/1?a=b"), ("//evil.example", "/"), ("/\\evil.example", "/"),
            ("https://evil.example", "/"), ("", "/"), ("/a\r\nSet-Cookie: x", "/"), ("/ä", "/"),
        ])
    func noBrowserIsSentElsewhere(path: String, expected: String) { #expect(path.localPath == expected) }

    @Test(
        "parses the host name in a Host header",
        arguments: [
            ("127.0.0.1:8480", "127.0.0.1"), ("[::1]:8480", "::1"), ("home.local", "home.local"), ("a:b:c", nil),
            ("", nil),
            ("[::1", nil), (":80", nil),
        ])
    func aHostIsTakenFromItsHeader(authority: String, host: String?) { #expect(Guard.hostName(authority) == host) }

    @Test(
        "parses an address to listen on",
        arguments: [
            ("127.0.0.1:8480", "127.0.0.1", 8480), ("[::]:0", "::", 0), ("localhost:80", "localhost", 80),
        ])
    func anAddressToListenAt(text: String, host: String, port: Int) throws {
        let address = try #require(Homeweb.address(text))
        #expect(address.host == host && address.port == port)
    }

    @Test(
        "rejects an invalid address to listen on",
        arguments: ["8480", "evil.example:80", "127.0.0.1", "127.0.0.1:70000", ":8480", "127.0.0.1:-1"])
    func noAddress(text: String) { #expect(Homeweb.address(text) == nil) }
}

/// Conversions between the color formats of browsers and HomeKit.
@Suite("Colors") struct RGBColorTests {
    @Test(
        "are created from a hue and a saturation",
        arguments: [
            (0.0, 100.0, "#ff0000"), (120, 100, "#00ff00"), (240, 100, "#0000ff"), (360, 100, "#ff0000"),
            (40, 80, "#ffbb33"),
            (0, 0, "#ffffff"), (-30, 100, "#ff0080"),
        ])
    func hueAndSaturation(hue: Double, saturation: Double, text: String) {
        #expect(RGBColor(hue: hue, saturation: saturation).text == text)
    }

    @Test("keep a chosen hue and saturation when they are converted back") func whatIsChosenComesBack() throws {
        for hue in stride(from: 0.0, to: 360, by: 7) {
            for saturation in stride(from: 20.0, through: 100, by: 20) {
                let back = try #require(RGBColor(RGBColor(hue: hue, saturation: saturation).text)).hueAndSaturation
                #expect(
                    abs(back.hue - hue) <= 3 && abs(back.saturation - saturation) <= 1, "\(hue) \(saturation): \(back)")
            }
        }
    }

    @Test(
        "are rejected if the text is invalid",
        arguments: ["", "red", "#ff00", "#ff00zz", "#+f00ff", "ff0000", "#ff0000 "])
    func noColor(text: String) { #expect(RGBColor(text) == nil) }

    @Test(
        "have an icon in black or white, whichever is visible",
        arguments: [("#ffffff", "#000000"), ("#ffff00", "#000000"), ("#ff0000", "#000000"), ("#0000ff", "#ffffff")])
    func aColorHasAnInk(color: String, ink: String) throws {
        #expect(try #require(RGBColor(color)).ink.text == ink)
    }

    @Test("have less blue at a warm color temperature than at a cold color temperature") func warmIsWarmerThanCold() {
        #expect(RGBColor(mired: 500).blue < RGBColor(mired: 153).blue)
        #expect(RGBColor(mired: 0).text == "#ffffff" && RGBColor(mired: 1e9).red == 255)
    }
}

@Suite("Limits of the page") struct LimitTests {
    @Test("count wrong tokens by address, and forget them after a minute")
    func wrongTokensAreCountedByAddressAndForgotten() {
        final class Clock: @unchecked Sendable { var now = ContinuousClock.now }
        let clock = Clock()
        let limit = AttemptLimit { clock.now }
        for _ in 0..<AttemptLimit.attempts {
            #expect(limit.begin("10.0.0.1"))
        }
        #expect(!limit.begin("10.0.0.1") && limit.begin("10.0.0.2"))
        // An IPv6 network is treated as one address.
        for host in 0..<AttemptLimit.attempts { _ = limit.begin("2001:db8:1:2:0:0:0:\(host)") }
        #expect(!limit.begin("2001:db8:1:2:ffff:0:0:1") && limit.begin("2001:db8:1:3:0:0:0:1"))
        // The result doesn't depend on the notation of an address: the first eight bytes of these addresses are equal.
        for (network, hosts, other) in [
            ("2001:db8::", 1..., "2001:db8:0:1::1"), ("fe80::a:b:", 1..., "2001:db8:9::1"),
        ] {
            for host in hosts.prefix(AttemptLimit.attempts) { #expect(limit.begin("\(network)\(host)")) }
            #expect(!limit.begin("\(network)fff") && limit.begin(other), "\(network)")
        }
        // An IPv4-mapped address from an IPv6 socket is treated like the plain IPv4 address.
        for _ in 0..<AttemptLimit.attempts { #expect(limit.begin("::ffff:192.0.2.1")) }
        #expect(!limit.begin("192.0.2.1") && limit.begin("::ffff:192.0.2.2"))
        clock.now += .seconds(61)
        #expect(limit.begin("10.0.0.1"))
        // A correct token uses up no attempts.
        for _ in 0..<100 {
            #expect(limit.begin("10.0.0.3"))
            limit.succeeded("10.0.0.3")
        }
    }

    @Test("store a limited number of addresses, and drop the oldest") func manyAddressesTakeNoMoreThanTheirPlaces() {
        let limit = AttemptLimit()
        for _ in 0..<AttemptLimit.attempts { _ = limit.begin("192.0.2.1") }
        for host in 0..<5000 {
            _ = limit.begin("10.\(host / 65536).\(host / 256 % 256).\(host % 256)")
        }
        #expect(limit.begin("192.0.2.1"), "the oldest address is dropped")
    }

    @Test("limit the number of live streams, and prevent a person from using all of them")
    func listenersHaveSoManyPlacesAndNoOneTakesAllOfThem() throws {
        let limit = ListenerLimit()
        let ended = Mutex<[Int]>([])
        let enter = { (who: String, number: Int) in limit.enter(who) { ended.withLock { $0.append(number) } } }
        var places = (0..<ListenerLimit.most).map { enter("Mallory", $0) }
        #expect(places.allSatisfy { $0 != nil })
        #expect(enter("Mallory", 64) == nil, "the person with the most places gets no more")
        #expect(ended.withLock { $0 }.isEmpty)
        let anna = enter("Anna", 65)
        #expect(anna != nil && ended.withLock { $0 } == [0], "another person gets a place of the person with the most")
        // A released place becomes free again, but releasing a lost place doesn't free another place.
        places[0] = nil
        #expect(enter("Mallory", 66) == nil)
        places[1] = nil
        let again = enter("Mallory", 67)
        #expect(again != nil && ended.withLock { $0 } == [0])
        withExtendedLifetime((places, anna, again)) {}
    }
}

@Suite("The templates of the pages") struct TemplateTests {
    @Test("can all be rendered") func allAreThere() {
        for (name, _) in Templates.sources { #expect(!Templates.render(name, [:]).isEmpty || name.isEmpty) }
    }

    @Test("have a heading only for a list that is not empty") func aHeadingStandsAboveWhatThereIs() {
        let reading = Templates.render("reading", ["part": "r", "name": "Humidity", "value": "40 %"])
        let service = { Templates.render("service", ["name": "Lamp", "readings": $0, "controls": [String]()]) }
        #expect(service([reading]).contains("<h2>Readings</h2>") && service([reading]).contains("40 %"))
        #expect(!service([]).contains("<h2>Readings</h2>"))
        let problem = { Templates.render("problem", ["message": "No.", "suggestions": $0]) }
        #expect(
            problem(["Lamp", "Light"]).contains("<b>Lamp</b>, <b>Light</b>.") && !problem([]).contains("You could use")
        )
        // A name in an inner list doesn't affect an outer list with the same name.
        let finding: Templates.Values = ["name": "Kitchen Lamp", "suggestions": ["Lamp"]]
        let none: Templates.Values = ["name": "Kitchen Light", "suggestions": [String]()]
        let html = Templates.render("names", ["findings": [finding, none], "suggestions": ["x"]])
        #expect(html.matches(of: /<form/).count == 1)
    }

    /// The text contains Escape, the C1 control sequence introducer, directional marks and overrides, and a soft
    /// hyphen.
    @Test("omit invisible characters in text from devices") func pagesHaveNoInvisibleCharactersFromDevices() {
        let evil = "A\u{1B}[2J\u{9B}\u{202E}\u{2066}\u{200F}\u{61C}\u{AD}B"
        let values: Templates.Values = [
            "heading": evil, "message": evil, "suggestions": [evil], "name": evil,
            "facts": [["name": evil, "value": evil]] as [Templates.Values], "devices": ["list": [["name": evil]]],
            "services": [["name": evil, "characteristics": [["value": evil] as Templates.Values]] as Templates.Values],
        ]
        for name in ["problem", "accessory", "add", "service"] {
            let html = Templates.render(name, values)
            #expect(
                html.contains("A[2JB")
                    && !html.unicodeScalars.contains {
                        evil.dropFirst().dropLast().unicodeScalars.filter { !$0.isASCII || $0 == "\u{1B}" }.contains($0)
                    })
        }
    }

    @Test("keep emoji and letters of all scripts") func emojiStayWhole() {
        for name in ["👨‍👩‍👧", "❤️", "Küche", "مطبخ", "廚房"] { #expect(name.sanitizedForPage == name) }
    }

    @Test("escape text from users and devices") func whatPeopleAndDevicesWriteIsEscaped() {
        let evil = "<script>alert(1)</script>\"'&"
        let html = Templates.render("problem", ["heading": evil, "message": evil, "back": evil])
        #expect(!html.contains("<script>alert") && html.contains("&lt;script&gt;") && !html.contains("\"'&"))
    }

    @Test(
        "describe times by their age",
        arguments: [
            (0, "just now"), (59_000, "just now"), (60_000, "1 minute ago"), (3_599_000, "59 minutes ago"),
            (7_200_000, "2 hours ago"), (-5_000, "just now"), (86_400_000, "1970-01-10 00:00 UTC"),
        ])
    func momentsInWords(ago: Int64, words: String) {
        let now: Int64 = 10 * 86_400_000
        func moment(_ time: Int64) -> Timestamp { Timestamp(millisecondsSince1970: time) }
        #expect(TimeWords.words(for: moment(now - ago), now: moment(now)) == words)
    }

    @Test("refer only to icons that exist") func everyDrawingIsThere() {
        let sprite = String(decoding: PackageResources.icons_svg, as: UTF8.self)
        let wanted = Set(ServiceType.icons.values).union(AccessoryCategory.icons.values).union(["other"])
        for name in wanted { #expect(sprite.contains("<symbol id=\"\(name)\""), "\(name)") }
        for (name, bytes) in Templates.sources {
            for use in String(decoding: bytes, as: UTF8.self).matches(of: /icons\.svg#([a-z0-9-]+)"/) {
                #expect(sprite.contains("<symbol id=\"\(use.1)\""), "\(use.1) of \(name)")
            }
        }
    }

    @Test("have a hash that depends only on the content") func contentHasAMark() {
        #expect(
            LiveStream.mark(of: "a") != LiveStream.mark(of: "b") && LiveStream.mark(of: "a") == LiveStream.mark(of: "a")
        )
    }
}

/// Pictures in the form that browsers send.
@Suite("Pictures of QR codes") struct QRPictureTests {
    private static let payload = "X-HM://0023ISYWYHSPN"

    /// Returns the pixels of a QR code with the given number of pixels per module, on a page with a margin.
    private static func pixels(scale: Int, dark: UInt8, light: UInt8) throws -> (side: Int, pixels: [UInt8]) {
        let code = try #require(QRCode(payload))
        let side = (code.size + 8) * scale
        let pixels = (0..<side * side).map { place in
            code.isDark(place / side / scale - 4, place % side / scale - 4) ? dark : light
        }
        return (side, pixels)
    }

    @Test(
        "are read in different sizes and contrasts, even when rotated",
        arguments: [(2, 0, 255), (4, 60, 180), (8, 0, 255)] as [(Int, UInt8, UInt8)])
    func aCodeIsRead(scale: Int, dark: UInt8, light: UInt8) throws {
        let (side, pixels) = try Self.pixels(scale: scale, dark: dark, light: light)
        #expect(try #require(QRPicture(width: side, height: side, pixels: pixels)).text == Self.payload)
        // Rotated by 90 degrees.
        let turned = (0..<side * side).map { pixels[($0 % side) * side + side - 1 - $0 / side] }
        #expect(try #require(QRPicture(width: side, height: side, pixels: turned)).text == Self.payload)
    }

    @Test("are rejected without a code or with an invalid size") func whatIsNoneIsNone() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            let noise = (0..<200 * 100).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(try #require(QRPicture(width: 200, height: 100, pixels: noise)).text == nil)
        }
        #expect(QRPicture(width: 200, height: 100, pixels: []) == nil)
        #expect(QRPicture(width: -1, height: -1, pixels: [0]) == nil)
        #expect(QRPicture(width: 0, height: 0, pixels: []) == nil)
        #expect(QRPicture(width: .max, height: .max, pixels: [0]) == nil)
        #expect(QRPicture(width: 1201, height: 16, pixels: [UInt8](repeating: 0, count: 1201 * 16)) == nil)
    }
}
