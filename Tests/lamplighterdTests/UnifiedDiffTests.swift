import TestTimeouts
import Testing
import YAMLKit

@testable import lamplighterd

@Suite("UnifiedDiff", .timeout)
struct UnifiedDiffTests {
    static func diff(_ old: String, _ new: String) -> String {
        UnifiedDiff.text(from: old, to: new, shown: StrictYAML.withoutSecrets)
    }

    @Test("shows changed lines with three lines of context")
    func hunks() {
        let old = (1...20).map { "l\($0)\n" }.joined()
        let new = old.replacing("l5\n", with: "").replacing("l18\n", with: "l18\nnew\n")
        #expect(
            Self.diff(old, new) == """
                @@ -2,7 +2,6 @@
                 l2
                 l3
                 l4
                -l5
                 l6
                 l7
                 l8
                @@ -16,5 +15,6 @@
                 l16
                 l17
                 l18
                +new
                 l19
                 l20

                """)
        #expect(Self.diff("", "a\n") == "@@ -0,0 +1,1 @@\n+a\n")
        #expect(Self.diff("a", "b\r\n") == "@@ -1,1 +1,1 @@\n-a\n+b\n")
        #expect(Self.diff(old, old) == "")
    }

    @Test(
        "hides values of keys that may contain secrets",
        arguments: [
            ("  setup-code: 415-27-893 # x", "  setup-code: (hidden)"),
            ("{a: 1, password: x, b: 2}", "{a: 1, password: (hidden)"),
            ("  - {\"apiToken\" : \"x\"}", "  - {\"apiToken\" : (hidden)"),
            ("config: {api-key: x}", "config: {api-key: (hidden)"),
            ("password-file: /etc/x", "password-file: /etc/x"), ("tokens:", "tokens:"), ("name: Desk", "name: Desk"),
            ("password=hunter2", "password= (hidden)"),
        ])
    func secrets(line: String, shown: String) {
        #expect(StrictYAML.withoutSecrets(line[...]) == shown)
    }
}
