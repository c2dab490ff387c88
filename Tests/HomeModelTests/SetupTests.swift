import HAPModel
import HAPTesting
import HomeModel
import Testing

@Suite("The input for adding an accessory") struct SetupTests {
    private let token = AccessoryOwnershipToken(data: Array(repeating: 7, count: 16))

    @Test(
        "parses a setup payload or rejects it with an error code",
        arguments: [
            ("X-HM://0071WK4SM7OSX", 0), ("X-HM://0076CDMX27OSX", 93), ("X-HM://00711PP1C0000", 0),
            ("X-HM://00739MG3K0000", 11), ("X-HM://0023ISYWYHSPN", 0), ("X-HM://00527813XAB12", 0),
            ("X-HM://00527813xab12", 0), ("X-HM://00439T7Z2KLGO", 0), ("X-HM://ZZZZZZZZZABCD", nil),
            ("x-hm://00527813XAB12", nil), ("X-HM://00527813XAB1", nil), ("X-HM://00527813XAB123", nil), ("", nil),
            ("X-HM://0052781-XAB12", nil), ("X-HM://000000000ABCD", nil), ("X-HM://ﬁ0527813XAB12", nil),
        ] as [(String, Int?)])
    func payloads(url: String, code: Int?) {
        guard let payload = AccessorySetupPayload(url: url) else {
            #expect(code == nil)
            return
        }
        do {
            try payload.validate()
            #expect(code == 0)
        } catch {
            #expect(code == error.code.rawValue)
        }
    }

    @Test("asks for a setup code that the payload lacks")
    func codeMissing() {
        #expect(AccessorySetupPayload(url: "X-HM://00711PP1C0000")?.needsSetupCode == true)
        #expect(AccessorySetupPayload(url: "X-HM://00527813XAB12")?.needsSetupCode == false)
        #expect(AccessorySetupPayload(url: "X-HM://00527813XAB12")?.category == .lightbulb)
    }

    @Test("rejects random strings without crashing")
    func random() {
        var random = SeededNumbers(seed: 4)
        let alphabet = Array("X-HM:/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZﬁ é")
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<16, using: &random)
            let text = String((0..<count).compactMap { _ in alphabet.randomElement(using: &random) })
            if let payload = AccessorySetupPayload(url: "X-HM://" + text) { try? payload.validate() }
            _ = SetupCode(typed: text)
        }
    }

    @Test(
        "parses typed setup codes",
        arguments: [
            ("518-08-582", true), ("51808582", true), (" 518 08 582 ", true), ("5180-8582", true), ("1111-1111", false),
            ("12345678", false), ("5180858", false), ("518085820", false), ("051808582", false), ("５１８０８５８２", false),
            ("", false),
            (String(repeating: " ", count: 100) + "51808582", false),
        ])
    func codes(text: String, isCode: Bool) {
        #expect((SetupCode(typed: text) != nil) == isCode)
    }

    @Test("bounds the length of a token and hides secrets from descriptions")
    func tokens() {
        #expect(AccessoryOwnershipToken(data: []) == nil)
        #expect(AccessoryOwnershipToken(data: Array(repeating: 1, count: 15)) == nil)
        #expect(AccessoryOwnershipToken(data: Array(repeating: 1, count: 513)) == nil)
        let payload = token.flatMap { AccessorySetupPayload(url: "X-HM://00527813XAB12", ownershipToken: $0) }
        #expect(payload != nil)
        var dumped = ""
        dump(payload, to: &dumped)
        dump(token, to: &dumped)
        dumped += "\(String(describing: payload)) \(String(reflecting: token))"
        for secret in ["111-22-333", "11122333", "7, 7", "00527813"] { #expect(!dumped.contains(secret), "\(secret)") }
    }

    @Test("answers a request with a token and, if required, the payload")
    func requests() throws {
        var random = SeededNumbers(seed: 4)
        let token = try #require(token)
        for requiresURL in [true, false] {
            let request = AddAccessoryRequest(
                id: AddAccessoryRequest.ID(using: &random), home: Home.ID(using: &random), accessoryName: "Lamp",
                category: .lightbulb, requiresSetupPayloadURL: requiresURL)
            #expect((request.makePayload(ownershipToken: token) == nil) == requiresURL)
            #expect(request.makePayload(url: "X-HM://00527813XAB12", ownershipToken: token)?.request == request.id)
            #expect(request.makePayload(url: "https://example.org", ownershipToken: token) == nil)
        }
    }
}
