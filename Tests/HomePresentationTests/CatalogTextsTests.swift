import FoundationEssentials
import HAPModel
import HomeModel
import Testing
import Texts

@testable import HomePresentation

/// The texts from the catalog of HAP, which Scripts/check-texts derives with its own rules.
@Suite struct CatalogTextsTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let keys: Set<String> = {
        let path = root.appending(path: "Sources/homeweb/Catalogs/de.po")
        let source = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        return Set(source.matches(of: #/msgid(?:_plural)? "(.*)"/#).map { String($0.output.1) })
    }()

    @Test func translatesNamesOfServices() {
        for type in ServiceDefinition.all.map(\.type) {
            let names = [type.localizedDescription, type.plural, type.noun, type.usualName]
            #expect(Self.keys.isSuperset(of: names), "\(names)")
        }
    }

    @Test func translatesNamesOfCharacteristics() {
        for type in CharacteristicDefinition.all.map(\.type) {
            #expect(Self.keys.contains(type.localizedDescription), "\(type.localizedDescription)")
        }
    }

    @Test("has usual names instead of HAP's terms for all services that people see", arguments: userServices)
    func hasUsualNames(service: ServiceType) throws {
        let definition = try #require(ServiceDefinition.all.first { $0.type == service })
        let shown = (definition.required + definition.optional).compactMap(CharacteristicDefinition.of)
            .filter { ![.tlv8, .data].contains($0.metadata.format) }
        let names = shown.map(\.type.usualName)
        for name in names + [service.usualName] where !["Charging State", "Power State", "State"].contains(name) {
            let terms = ["Current", "Detected", "Event", "Indication", "Programmable", "State", "Stateless", "Target"]
            #expect(!name.split(separator: " ").contains { terms.contains("\($0)") }, "\(name)")
        }
    }

    private static let userServices: [ServiceType] = [
        .airPurifier, .airQualitySensor, .battery, .carbonDioxideSensor, .carbonMonoxideSensor, .contactSensor, .door,
        .doorbell, .fan, .fanv2, .faucet, .filterMaintenance, .garageDoorOpener, .heaterCooler,
        .humidifierDehumidifier, .humiditySensor, .irrigationSystem, .leakSensor, .lightSensor, .lightbulb,
        .lockMechanism, .motionSensor, .occupancySensor, .outlet, .securitySystem, .smokeSensor, .speaker,
        .statelessProgrammableSwitch, .switch, .television, .temperatureSensor, .thermostat, .valve, .window,
        .windowCovering,
    ]

    @Test func translatesNamesOfValues() {
        for type in CharacteristicDefinition.all.map(\.type) {
            for number in type.valueNames.keys {
                let words = type.words(for: number) ?? ""
                #expect(Self.keys.contains(words), "\(words)")
            }
        }
    }

    @Test func translatesProblems() {
        for code in HomeError.Code.allCases {
            #expect(Self.keys.contains(code.problem.replacing("\"", with: "\\\"")), "\(code.problem)")
        }
    }

    @Test func translatesCategories() {
        for number in UInt16(0)...40 {
            let name = AccessoryCategory(rawValue: number).localizedDescription
            #expect(Self.keys.contains(name), "\(name)")
        }
    }

    @Test func describesValuesInTheLanguageOfTheRequest() throws {
        let catalog = try TextCatalog(
            language: "de",
            parsing: Array(
                """
                msgid "."
                msgstr ","

                msgid "on"
                msgstr "an"
                """.utf8))
        TextCatalog.$current.withValue(catalog) {
            #expect(21.5.rounded(toDigits: 1) == "21,5")
            #expect(CharacteristicType.on.localizedWords(for: 1) == "an")
            #expect(CharacteristicType.on.words(for: 1) == "on")
        }
        #expect(21.5.rounded(toDigits: 1) == "21.5")
    }
}
