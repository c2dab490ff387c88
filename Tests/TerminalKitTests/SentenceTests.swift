import TerminalKit
import Testing

@Suite("Sentences")
struct SentenceTests {
    @Test(
        "have one capital letter and one period, regardless of how their parts end",
        arguments: [
            (["the disk is full"], "The disk is full."), (["No reply."], "No reply."), (["No reply.\n"], "No reply."),
            (["2 homes", "No reply.", "the disk is full."], "2 homes; No reply; the disk is full."),
            (["two stops.."], "Two stops."), (["waiting ..."], "Waiting ..."), (["waiting …"], "Waiting …"),
            (["is it on?"], "Is it on?"), ([""], ""), ([], ""),
        ])
    func sentences(parts: [String], sentence: String) {
        #expect(parts.sentence == sentence)
    }
}
