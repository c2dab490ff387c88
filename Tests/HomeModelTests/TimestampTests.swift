import HomeModel
import TestTimeouts
import Testing

@Suite("Timestamps", .timeout)
struct TimestampTests {
    @Test(
        "are described as RFC 3339 in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_795_600_800_042, "2026-11-25T10:00:00.042Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (-1_000, "1969-12-31T23:59:59.000Z"),
            (.max, "292278994-08-17T07:12:55.807Z"), (.min, "-292275055-05-16T16:47:04.192Z"),
        ])
    func text(milliseconds: Int64, text: String) {
        #expect("\(Timestamp(millisecondsSince1970: milliseconds))" == text)
    }

    @Test("have an order, and a duration between them")
    func distance() {
        let (first, last) = (Timestamp(millisecondsSince1970: .min), Timestamp(millisecondsSince1970: .max))
        #expect(first < last && first.duration(to: last) > .zero && last.duration(to: first) < .zero)
        let moment = Timestamp(millisecondsSince1970: 1_500)
        #expect(moment.duration(to: Timestamp(millisecondsSince1970: 250)) == .milliseconds(-1_250))
        #expect(Timestamp(millisecondsSince1970: 0) < .now)
    }
}
