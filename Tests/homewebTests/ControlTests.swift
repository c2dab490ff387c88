import HAPModel
import HomeModel
import HomePresentation
import Testing

@testable import homeweb

/// The HTML of the controls on the page of a service.
@Suite("Controls") struct ControlTests {
    private static func id<Entity>(_ number: Int) -> Identifier<Entity> {
        let digits = String(number)
        let text = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        guard let id = Identifier<Entity>(text) else { preconditionFailure("the text is a UUID") }
        return id
    }

    private func service(
        _ type: ServiceType, _ values: [(CharacteristicType, CharacteristicValue?)], at number: Int = 10,
        linked: [Int] = []
    ) -> Service {
        Service(
            id: Self.id(number), accessory: Self.id(1), iid: InstanceID(UInt64(number)), type: type,
            name: "Part \(number)",
            linkedServices: linked.map { Self.id($0) },
            characteristics: values.enumerated().compactMap { index, value in
                CharacteristicDefinition.of(value.0).map {
                    Characteristic(
                        id: Self.id(number + 1 + index), service: Self.id(number),
                        iid: InstanceID(UInt64(number + 1 + index)), type: value.0, metadata: $0.metadata,
                        value: value.1)
                }
            })
    }

    private func html(_ services: Service...) throws -> String {
        let accessory = Accessory(
            id: Self.id(1), home: Self.id(2), name: "Device", configuredName: "Device", room: Self.id(3),
            category: .other, deviceID: try #require(DeviceID("AA:BB:CC:DD:EE:01")), aid: AccessoryID(1),
            services: services)
        return ControlView.all(of: services[0], in: accessory, isOwner: false).map(\.html).joined()
    }

    private func thermostat(mode: Int64) -> Service {
        service(
            .thermostat,
            [
                (.currentTemperature, .float(19.5)), (.targetTemperature, .float(21)),
                (.targetHeatingCoolingState, .integer(mode)), (.heatingThresholdTemperature, .float(18)),
                (.coolingThresholdTemperature, .float(24)),
            ])
    }

    @Test("show both ends of a thermostat's range only in automatic mode") func thermostats() throws {
        let heating = try html(thermostat(mode: 1))
        #expect(heating.matches(of: /class="knob"/).count == 1 && heating.contains("Now 19.5 °C"))
        #expect(!heating.contains("Heat to"))
        let automatic = try html(thermostat(mode: 3))
        #expect(automatic.matches(of: /class="knob"/).count == 2 && automatic.contains("18 °C – 24 °C"))
        // One end of the range doesn't pass the other.
        #expect(automatic.contains("max=\"24\"") && automatic.contains("min=\"18\""))
        #expect(try html(thermostat(mode: 0)).contains("class=\"dial off\""))
    }

    @Test(
        "show the state of a lock and its next change",
        arguments: [
            (1, 1, "<b>Locked</b> <span>Unlock</span>"), (1, 0, "<b>Unlocking…</b> <span>Lock</span>"),
            (0, 0, "<b>Unlocked</b> <span>Lock</span>"), (2, 1, "The lock is jammed. Check the door, then try again."),
        ] as [(Int64, Int64, String)])
    func locks(current: Int64, target: Int64, expected: String) throws {
        let lock = service(
            .lockMechanism, [(.lockCurrentState, .integer(current)), (.lockTargetState, .integer(target))])
        let html = try html(lock)
        #expect(html.contains(expected))
        // A jammed lock can be locked again.
        #expect(html.matches(of: /<button/).count == (current == 2 ? 2 : 1))
    }

    @Test("have a button that stops a cover only if the device can stop", arguments: [true, false])
    func covers(canStop: Bool) throws {
        let values: [(CharacteristicType, CharacteristicValue?)] = [
            (.currentPosition, .integer(40)), (.targetPosition, .integer(100)), (.positionState, .integer(1)),
        ]
        let html = try html(service(.windowCovering, values + (canStop ? [(.holdPosition, nil)] : [])))
        #expect(html.contains(">Stop</button>") == canStop && html.contains(">Close</button>"))
        // The bar shows the position, and the slider the target.
        #expect(
            html.contains("<progress class=\"amount\" max=\"100\" value=\"40\"") && html.contains("value=\"100\" aria"))
    }

    @Test("name the inputs of a television, without hidden inputs") func inputs() throws {
        func input(_ number: Int, _ name: String, isHidden: Bool) -> Service {
            service(
                .inputSource,
                [
                    (.identifier, .integer(Int64(number))), (.configuredName, .string(name)),
                    (.isConfigured, .integer(1)), (.currentVisibilityState, .integer(isHidden ? 1 : 0)),
                ], at: number * 10)
        }
        let television = service(
            .television, [(.active, .integer(1)), (.activeIdentifier, .integer(2)), (.remoteKey, nil)],
            linked: [20, 30, 40])
        let html = try html(
            television, input(2, "Antenna", isHidden: false), input(3, "<Console>", isHidden: false),
            input(4, "Radio", isHidden: true))
        #expect(html.contains("value=\"2\" aria-pressed=\"true\">Antenna<") && html.contains("&lt;Console&gt;"))
        #expect(!html.contains("Radio"))
        #expect(html.contains("aria-label=\"Left\"") && html.contains(">OK</button>"))
    }

    @Test("offer hue and saturation as sliders, and the color temperatures that the lamp supports") func lamps() throws
    {
        let html = try html(
            service(
                .lightbulb,
                [
                    (.on, .bool(true)), (.brightness, .integer(40)), (.hue, .float(120)), (.saturation, .float(50)),
                    (.colorTemperature, .integer(250)),
                ]))
        #expect(html.contains("class=\"track hue\"") && html.contains("class=\"track saturation\""))
        #expect(html.contains("cx=\"-25\" cy=\"43.301\"") && html.matches(of: /class="control wheel/).count == 1)
        #expect(html.contains("value=\"250\" aria-pressed=\"true\">Neutral<"))
    }

    @Test("are sent alone if nothing else on the page has changed") func parts() {
        func content(_ lamp: String, _ frame: String = "x") -> PageContent {
            PageContent(title: "Lamp", main: "\(frame)\(lamp)y", parts: [PageContent.Part(id: "c", html: lamp)])
        }
        #expect(content("<b>off</b>").parts(changedSince: content("<b>on</b>"))?.map(\.html) == ["<b>off</b>"])
        #expect(content("<b>on</b>", "z").parts(changedSince: content("<b>on</b>")) == nil)
    }

    @Test("are found in any order") func orderOfParts() {
        func content(_ texts: [String], _ end: String = "") -> PageContent {
            let parts = texts.enumerated().map { PageContent.Part(id: "\($0)", html: "<b id=\"\($0)\">\($1)</b>") }
            // The page shows the last part first.
            let order = parts.suffix(1) + parts.dropLast()
            let html = "<p>" + order.map(\.html).joined(separator: "\n") + "</p>"
            return PageContent(title: "", main: html + end, parts: parts)
        }
        let old = content(["on", "on", "off"])
        for (index, new) in [["off", "on", "off"], ["on", "off", "off"], ["on", "on", "on"]].enumerated() {
            #expect(content(new).parts(changedSince: old)?.map(\.id) == ["\(index)"])
            #expect(content(new, "!").parts(changedSince: old) == nil)
        }
    }
}
