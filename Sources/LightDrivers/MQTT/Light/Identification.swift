import DeviceKit

/// A light that blinks to show which one it is.
///
/// What it reports of its power while it blinks, and for a moment after, are echoes: they are held, so that no controller
/// takes them for somebody at the switch. What is different when that moment is over is the truth.
struct Identification: Equatable, Sendable {
    /// How long echoes may take.
    static let echoTime = Duration.seconds(1)

    /// Tells one identification of a light from the next.
    let number: Int
    /// The power that the light is left with: what it was before, or what a command made of it; `nil` if not known.
    var power: Bool?
    /// What the light was last told.
    var isLit: Bool
    var reported: Bool?
    /// When echoes are over; `nil` while it blinks.
    var endsAt: Duration?

    init(number: Int, power: Bool?) {
        self.number = number
        self.power = power
        isLit = power ?? false
    }

    /// What the light is told in turn before it is left as it was.
    var blinks: [Bool] { BlinkingLights.blinks(from: power ?? false) }
}

extension MQTTLight {
    /// Begins to blink, also if the light blinks already; returns the powers to send in turn by ``blink(_:_:)``.
    mutating func beginIdentification(_ number: Int) -> [Bool] {
        let current = Identification(number: number, power: identification.map(\.power) ?? on)
        // A motor is not switched on and off to be found.
        guard settings.component == nil else { return [] }
        identification = current
        return current.blinks
    }

    /// The messages of one blink; `nil` if the identification has been ended by a command or another identification.
    mutating func blink(_ isLit: Bool, _ number: Int) throws(LightError) -> [MQTTMessage]? {
        guard identification?.number == number, identification?.endsAt == nil else { return nil }
        identification?.isLit = isLit
        return try messages(for: LightCommand(on: isLit))
    }

    /// The light has blinked enough.
    ///
    /// - Returns: the messages that leave it as it was; none if something newer has ended the identification.
    mutating func endIdentification(_ number: Int, now: Duration) -> [MQTTMessage] {
        guard let current = identification, current.number == number, current.endsAt == nil else { return [] }
        return restorePower(of: current, now: now)
    }

    /// A command comes, which counts more than a light that blinks.
    ///
    /// - Returns: the messages to send before the command's own, for a command that leaves power as it is.
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

    /// Time has passed; returns the light's power, if it is another than before the identification.
    mutating func endEchoes(now: Duration) -> LightReport? {
        guard let current = identification, let endsAt = current.endsAt, endsAt <= now else { return nil }
        identification = nil
        guard let reported = current.reported, reported != current.power else { return nil }
        on = reported
        return LightReport(on: reported)
    }
}
