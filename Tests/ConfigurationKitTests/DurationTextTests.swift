import ConfigurationKit
import Testing

@Suite struct DurationTextTests {
    @Test(
        "parses durations",
        arguments: [
            ("150ms", Duration.milliseconds(150)), ("2s", .seconds(2)), ("0s", .zero), ("1.5s", .milliseconds(1500)),
            ("5m", .seconds(300)), ("24h", .seconds(86400)),
        ])
    func durations(text: String, duration: Duration) {
        #expect(DurationText(text)?.duration == duration)
    }

    @Test(
        "rejects invalid durations",
        arguments: [
            "", "2", "s", "ms", "-1s", "2 s", "1e3s", ".5s", "1.s", "1.2.3s", "infs", "nans", "2S", "9999999h", "٣s",
        ])
    func badDurations(text: String) {
        #expect(DurationText(text) == nil)
    }
}
