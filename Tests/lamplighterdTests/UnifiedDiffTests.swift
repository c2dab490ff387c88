import TestTimeouts
import Testing

@testable import lamplighterd

@Suite("UnifiedDiff", .timeout)
struct UnifiedDiffTests {
    static func diff(_ old: String, _ new: String) -> String {
        UnifiedDiff.text(from: old, to: new, shown: (old, new))
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

    @Test("shows other text in the same lines, and a line that is hidden in one of the texts as hidden")
    func hidden() {
        #expect(
            UnifiedDiff.text(from: "a\nb\nc\n", to: "a\nx\nc\n", shown: ("A\nb\nc\n", "a\nX\nC\n"))
                == "@@ -1,3 +1,3 @@\n A\n-b\n+X\n C\n")
    }
}
