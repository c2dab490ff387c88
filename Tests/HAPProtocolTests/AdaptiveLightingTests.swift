import BoundedJSON
import HAPCrypto
import HAPModel
import HAPTesting
import Testing

@testable import HAPProtocol

@Suite("Adaptive lighting codec")
struct AdaptiveLightingTests {
    private let vectors: Vectors
    private let brightness: InstanceID
    private let colorTemperature: InstanceID

    init() throws {
        vectors = try Vectors.load()["adaptive_lighting"]
        brightness = InstanceID(UInt64(try vectors["brightness_iid_int"].int))
        colorTemperature = InstanceID(UInt64(try vectors["color_temperature_iid_int"].int))
    }

    private func golden() throws -> TransitionConfiguration {
        guard case .update(let configuration) = try TransitionControlRequest(parsing: vectors["update_request"].bytes)
        else { throw TransitionViolation.invalid(.request) }
        return configuration
    }

    @Test("encodes and parses the golden supported configuration")
    func supported() throws {
        let bytes = try vectors["supported_configuration"].bytes
        let supported = SupportedTransitionConfiguration(brightness: brightness, colorTemperature: colorTemperature)
        #expect(supported.encoded == bytes)
        #expect(Base64.encode(bytes) == (try vectors["supported_configuration_base64_text"].text))
        #expect(try SupportedTransitionConfiguration(parsing: bytes) == supported)
    }

    @Test("encodes and parses each golden request")
    func requests() throws {
        for (name, request) in [
            ("read_request", .read(colorTemperature)), ("disable_request", .disable(colorTemperature)),
            ("update_request", .update(try golden())),
        ] as [(String, TransitionControlRequest)] {
            let bytes = try vectors[name].bytes
            #expect(try TransitionControlRequest(parsing: bytes) == request, "\(name)")
            #expect(request.encoded == bytes, "\(name)")
        }
    }

    @Test("parses the golden update")
    func update() throws {
        let configuration = try golden()
        #expect(configuration.colorTemperature == colorTemperature)
        #expect(configuration.parameters.start == .milliseconds(try vectors["start_ms_since_2001_int"].int))
        #expect(configuration.updateInterval == .seconds(60))
        #expect(configuration.notifyThreshold == .seconds(600))
        let entries: [AdaptiveLightingCurve.Entry?] = [
            .init(adjustmentFactor: -0.5, mired: 250, offset: .zero),
            .init(adjustmentFactor: -1, mired: 350, offset: .seconds(600)),
            .init(adjustmentFactor: -1, mired: 350, offset: .zero, hold: .seconds(1200)),
            .init(adjustmentFactor: 0, mired: 300, offset: .seconds(1800)),
        ]
        #expect(
            configuration.curve
                == AdaptiveLightingCurve(entries: entries.compactMap(\.self), brightness: brightness))
    }

    @Test("encodes and parses each golden response")
    func responses() throws {
        let configuration = try golden()
        func status(_ seconds: Int) -> TransitionStatus {
            TransitionStatus(
                colorTemperature: colorTemperature, parameters: configuration.parameters, elapsed: .seconds(seconds))
        }
        for (name, response) in [
            ("update_response", .updated(status(0))), ("read_response_while_inactive", .inactive),
            ("disable_response", .disabled),
        ] as [(String, TransitionControlResponse)] {
            let bytes = try vectors[name].bytes
            #expect(response.encoded == bytes, "\(name)")
            #expect(try TransitionControlResponse(parsing: bytes) == response, "\(name)")
        }
        let read = try vectors["status_read_at_60000_ms"].bytes
        #expect(status(60).encoded == read)
        #expect(try TransitionStatus(parsing: read) == status(60))
        // The explicit holds of zero in the golden response are parsed and encoded again.
        let active = try vectors["read_response_while_active"].bytes
        #expect(TransitionControlResponse.active(configuration).encoded == active)
        #expect(try TransitionControlResponse(parsing: active).encoded == active)
    }

    @Test("returns the golden values of the curve at the golden times")
    func samples() throws {
        let curve = try golden().curve
        let samples = try vectors["samples"].list
        #expect(samples.count == 10)
        for sample in samples {
            let mired = curve.mired(
                elapsed: .milliseconds(try sample["elapsed_ms_int"].int),
                brightness: try sample["brightness_int"].int)
            #expect(mired == (try sample["mired_int"].optionalInt), "\(sample.path)")
        }
    }

    @Test(
        "interpolates between entries, holds the first value before the first entry and ends after the last entry",
        arguments: [
            (-1, 50, 190), (0, 50, 190), (5, 50, 190), (10, 50, 190), (15, 50, 225), (20, 50, 260), (29, 50, 260),
            (30, 50, 260), (31, 50, nil), (15, 0, 260), (15, 20, 260), (15, 80, 190), (15, 1000, 190),
            (15, Int.min, 260), (Int64.max, 50, nil), (Int64.min, 50, 190),
        ] as [(Int64, Int, Int?)])
    func edges(seconds: Int64, brightness: Int, mired: Int?) throws {
        let entries: [AdaptiveLightingCurve.Entry?] = [
            .init(adjustmentFactor: -1, mired: 240, offset: .seconds(10), hold: .seconds(99)),
            .init(adjustmentFactor: -1.3333334, mired: 326.66667, offset: .seconds(10)),
            // This entry applies immediately after the hold of the previous entry.
            .init(adjustmentFactor: 0, mired: 400, offset: .zero, hold: .seconds(10)),
        ]
        let curve = try #require(
            AdaptiveLightingCurve(
                entries: entries.compactMap(\.self), brightness: self.brightness, brightnessRange: 20...80))
        #expect(curve.duration == .seconds(30))
        #expect(curve.mired(elapsed: .seconds(seconds), brightness: brightness) == mired)
    }

    @Test("accepts the maximum number of entries in fragments, but no more")
    func longCurve() throws {
        var draft = Draft()
        draft.entries = (0..<AdaptiveLightingCurve.maximumEntries).map { number in
            Draft.entry(offset: number % 3 == 0 ? [0] : [0x40, 0x77, 0x1B, 0], hold: number % 2 == 0 ? [7] : nil)
        }
        let request = try TransitionControlRequest(parsing: draft.request)
        #expect(request.encoded == draft.request)
        draft.entries.append(Draft.entry())
        #expect(throws: TransitionViolation.tooLong) { try TransitionControlRequest(parsing: draft.request) }
        #expect(throws: TransitionViolation.tooLong) {
            try TransitionControlRequest(parsing: [UInt8](repeating: 0, count: TransitionItems.maximumLength + 2))
        }
    }

    @Test("validates each item of an update", arguments: Draft.table)
    func drafts(row: Draft.Row) throws {
        var draft = Draft()
        row.change(&draft)
        let result = Result { () throws(TransitionViolation) in try TransitionControlRequest(parsing: draft.request) }
        switch result {
        case .success(let request):
            #expect(row.violation == nil)
            #expect(try TransitionControlRequest(parsing: request.encoded) == request)
        case .failure(let violation): #expect(violation == row.violation)
        }
    }

    @Test("uses the default intervals and a brightness range of 10 to 100 if these items are missing")
    func defaults() throws {
        var draft = Draft()
        draft.interval = nil
        draft.threshold = nil
        draft.range = nil
        guard case .update(let configuration) = try TransitionControlRequest(parsing: draft.request) else {
            Issue.record("no update")
            return
        }
        #expect(configuration.updateInterval == .seconds(60))
        #expect(configuration.notifyThreshold == .seconds(600))
        #expect(configuration.curve.brightnessRange == 10...100)
    }

    @Test(
        "rejects malformed requests",
        arguments: [
            ("", .missing(.request)), ("01", .malformedTLV), ("0101", .malformedTLV), ("0100", .missing(.instanceID)),
            ("0103010100", .invalid(.instanceID)), ("01020100", .invalid(.instanceID)),
            ("010b0109010000000000000000", .invalid(.instanceID)), ("0200", .missing(.configuration)),
            ("02020100", .missing(.instanceID)), ("0103010105 0000 0103010105", .malformedTLV),
            ("0103010105 0103010105", .malformedTLV), ("0103010105 0200", .invalid(.request)),
            ("0205010301010a 0000 0205010301010a", .malformedTLV), ("0900", .missing(.request)),
            ("020801060101010301", .malformedTLV), ("020801060101 0a 030102", .missing(.parameters)),
        ] as [(String, TransitionViolation)])
    func noRequests(hex: String, violation: TransitionViolation) throws {
        let bytes = try #require([UInt8](hex: hex.filter { $0 != " " }))
        #expect(throws: violation) { try TransitionControlRequest(parsing: bytes) }
    }

    @Test(
        "ignores unknown items in a request, and accepts numbers with leading zero bytes",
        arguments: [
            "0103010105", "01040102 0500 0901ff", "0000 0000 0103010105 0000 0000", "010a 0108 0500000000000000",
        ])
    func unusual(hex: String) throws {
        let bytes = try #require([UInt8](hex: hex.filter { $0 != " " }))
        #expect(try TransitionControlRequest(parsing: bytes) == .read(InstanceID(5)))
    }

    @Test(
        "rejects malformed configurations and responses",
        arguments: [
            "0106 01010a 020101", "0106 01010a 020101 0000 0106 01010b 020101", "0106 010100 020101", "0103 01010a",
        ])
    func noConfigurations(hex: String) throws {
        let bytes = try #require([UInt8](hex: hex.filter { $0 != " " }))
        #expect(throws: TransitionViolation.self) { try SupportedTransitionConfiguration(parsing: bytes) }
        #expect(throws: TransitionViolation.self) { try TransitionControlResponse(parsing: bytes) }
        #expect(throws: TransitionViolation.self) { try TransitionStatus(parsing: bytes) }
    }
}
