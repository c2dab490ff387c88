package import HAPModel

extension LightKind {
    /// A remote control, a push button or a doorbell.
    ///
    /// Other devices can have buttons, too.
    public static let button = LightKind(
        "button", plural: "buttons", title: "Button", ButtonRules(),
        [PropertyName("press", .programmableSwitchEvent, .choice(ButtonPress.allCases.map(\.rawValue)))]
            + LightKind.sensor.names.filter { $0.type == .batteryLevel || $0.type == .statusLowBattery })
}

/// The press of a button, in the order of HAP's ProgrammableSwitchEvent.
public enum ButtonPress: String, CaseIterable, Hashable, Sendable {
    /// A short press.
    case single
    /// Two short presses.
    case double
    /// A long press.
    case long

    fileprivate var value: Int64 { Int64(Self.allCases.firstIndex(of: self) ?? 0) }

    /// Creates a press from HAP's number, or `nil` for other values.
    package init?(_ value: CharacteristicValue) {
        guard let press = Self.allCases.first(where: { .integer($0.value) == value }) else { return nil }
        self = press
    }
}

/// A button of a device.
public struct PushButton: Hashable, Sendable {
    /// The id within the device; never change it.
    public var id: String
    /// The name for people.
    public var name: String
    /// The presses that the button distinguishes.
    public var presses: Set<ButtonPress>
    /// A Boolean value that indicates whether the button belongs to a doorbell.
    public var isDoorbell: Bool

    /// Creates a button.
    ///
    /// - Parameters:
    ///   - id: The id within the device.
    ///   - name: The name for people.
    ///   - presses: The presses that the button distinguishes.
    ///   - isDoorbell: Whether the button belongs to a doorbell.
    public init(
        id: String, name: String, presses: Set<ButtonPress> = Set(ButtonPress.allCases), isDoorbell: Bool = false
    ) {
        self.id = id
        self.name = name
        self.presses = presses
        self.isDoorbell = isDoorbell
    }

    /// Returns the momentary events of a press.
    ///
    /// - Parameter press: The press.
    /// - Returns: The values for ``LightHost/occurred(_:on:)``; empty if the button doesn't distinguish the press.
    public func events(_ press: ButtonPress) -> PropertyValues {
        var events = PropertyValues()
        guard presses.contains(press) else { return events }
        events[Property(.programmableSwitchEvent, of: id)] = .integer(press.value)
        if isDoorbell, press == .single { events[Property(.programmableSwitchEvent, of: bellID)] = .integer(0) }
        return events
    }

    /// The id of the Doorbell service.
    private var bellID: String { "\(id)/bell" }

    /// The services of the button.
    ///
    /// The Home app supports Doorbell only together with a camera, so a doorbell also gets the service of a button.
    fileprivate var functions: [AccessoryFunction] {
        let name = AccessoryName.sanitized(name, fallback: "Button")
        let button = AccessoryFunction(
            .statelessProgrammableSwitch, id: id,
            [.programmableSwitchEvent: .integer(0), .name: .string(name), .configuredName: .string(name)]
        ).with(.programmableSwitchEvent) { $0.validValues = presses.map(\.value).sorted() }
        guard isDoorbell else { return [button] }
        let bell = AccessoryFunction(.doorbell, id: bellID, [.programmableSwitchEvent: .integer(0)])
        return [button, bell.with(.programmableSwitchEvent) { $0.validValues = [0] }]
    }

    fileprivate init?(_ function: AccessoryFunction, of functions: [AccessoryFunction]) {
        guard function.type == .statelessProgrammableSwitch, let id = function.id else { return nil }
        let values = function.metadata(of: .programmableSwitchEvent)?.validValues
        self.init(
            id: id, name: function.parts.first { $0.type == .name }?.value.string ?? id,
            presses: Set(ButtonPress.allCases.filter { values?.contains($0.value) != false }))
        isDoorbell = functions.contains { $0.id == bellID }
    }
}

extension LightDescription {
    /// The buttons among the functions.
    ///
    /// Setting them keeps all other functions.
    public var buttons: [PushButton] {
        get { functions.buttons }
        set {
            functions.removeAll { $0.type == .statelessProgrammableSwitch || $0.type == .doorbell }
            functions += newValue.flatMap(\.functions)
        }
    }
}

extension [AccessoryFunction] {
    /// The buttons among the functions.
    var buttons: [PushButton] { compactMap { PushButton($0, of: self) } }

    /// The functions, with an added service and added characteristics that number the buttons.
    ///
    /// Without numbers, controllers show buttons in any order.
    package var labelingButtons: [AccessoryFunction] {
        guard contains(where: { $0.type == .statelessProgrammableSwitch }) else { return self }
        let labels = first { $0.type == .serviceLabel }
        let label = labels.map(\.id) ?? "labels"
        let labeled = map { function in
            guard function.type == .statelessProgrammableSwitch else { return function }
            var button = AccessoryFunction(
                function.type, id: function.id, isPrimary: function.isPrimary, isHidden: function.isHidden,
                linked: function.linked.isEmpty ? label.map { [$0] } ?? [] : function.linked, parts: function.parts)
            if !button.has(.serviceLabelIndex) { button.add(.serviceLabelIndex, .integer(1)) }
            return button
        }
        guard labels == nil else { return labeled }
        return labeled + [AccessoryFunction(.serviceLabel, id: label, [.serviceLabelNamespace: .integer(1)])]
    }
}

/// The rules of a button.
///
/// A remote control may report its battery.
struct ButtonRules: DeviceRules {
    private let sensor = SensorRules()

    func functions(_ capabilities: LightCapabilities) -> [AccessoryFunction] {
        capabilities.buttons.flatMap(\.functions) + sensor.functions(capabilities).filter { $0.type == .battery }
    }

    func shown(_ functions: [AccessoryFunction]) -> [AccessoryFunction] { sensor.shown(functions) }

    func valid(
        _ value: CharacteristicValue, of property: Property, _ metadata: CharacteristicMetadata
    ) -> CharacteristicValue? { sensor.valid(value, of: property, metadata) }

    func derived(
        _ type: CharacteristicType, of function: AccessoryFunction, in state: DeviceState
    ) -> CharacteristicValue? { sensor.derived(type, of: function, in: state) }
}
