import DeviceKit

/// The identification of a light by blinking.
///
/// Power reports while the light blinks, and for a moment afterwards, are echoes of the blinking. They are held back,
/// so that no controller mistakes them for someone using the switch. If the power still differs from the restored
/// power after that moment, it is reported.
struct Identification: Equatable, Sendable {
    /// The time after the blinking during which power reports count as echoes.
    static let echoTime = Duration.seconds(1)

    /// A number that distinguishes one identification of a light from the next.
    let number: Int
    /// The power to restore: the commanded power after a command, otherwise the power before the identification; `nil`
    /// if unknown.
    var power: Bool?
    /// The power that was last sent.
    var isLit: Bool
    var reported: Bool?
    /// The end of the time during which power reports count as echoes; `nil` while the light is blinking.
    var endsAt: Duration?

    init(number: Int, power: Bool?) {
        self.number = number
        self.power = power
        isLit = power ?? false
    }

    /// The power states that are sent in order before the light's power is restored.
    var blinks: [Bool] { BlinkingLights.blinks(from: power ?? false) }
}

extension MQTTLight {
    /// Starts or restarts an identification.
    ///
    /// Returns the power states that must be sent in order with ``blink(_:_:)``.
    mutating func beginIdentification(_ number: Int) -> [Bool] {
        let current = Identification(number: number, power: identification.map(\.power) ?? on)
        // Don't switch motors on and off to identify them.
        guard settings.component == nil else { return [] }
        identification = current
        return current.blinks
    }

    /// Returns the messages of one blink, or `nil` if a command or another identification has ended this
    /// identification.
    mutating func blink(_ isLit: Bool, _ number: Int) throws(LightError) -> [MQTTMessage]? {
        guard identification?.number == number, identification?.endsAt == nil else { return nil }
        identification?.isLit = isLit
        return try messages(for: LightCommand(on: isLit))
    }

    /// Ends an identification.
    ///
    /// - Returns: The messages that restore the light's power; empty if a command or another identification has ended
    ///   this identification, or if the power is already restored.
    mutating func endIdentification(_ number: Int, now: Duration) -> [MQTTMessage] {
        guard let current = identification, current.number == number, current.endsAt == nil else { return [] }
        return restorePower(of: current, now: now)
    }

    /// Ends an identification because of a command.
    ///
    /// - Returns: The messages that restore the light's power, to be sent before the messages of the command; empty if
    ///   the command sets the power.
    mutating func interruptIdentification(by command: LightCommand, now: Duration) -> [MQTTMessage] {
        guard var current = identification else { return [] }
        guard let power = command.on else {
            return current.endsAt == nil ? restorePower(of: current, now: now) : []
        }
        current.power = power
        current.endsAt = now + Identification.echoTime
        identification = current
        return []
    }

    private mutating func restorePower(of current: Identification, now: Duration) -> [MQTTMessage] {
        identification?.endsAt = now + Identification.echoTime
        on = current.power
        let power = current.power ?? false
        guard current.isLit != power else { return [] }
        return (try? messages(for: LightCommand(on: power))) ?? []
    }

    /// Ends the identification after the time for echoes.
    ///
    /// Returns the light's last reported power if it differs from the restored power.
    mutating func endEchoes(now: Duration) -> LightReport? {
        guard let current = identification, let endsAt = current.endsAt, endsAt <= now else { return nil }
        identification = nil
        guard let reported = current.reported, reported != current.power else { return nil }
        on = reported
        return LightReport(on: reported)
    }
}
